internal import MdocVerification
internal import MdocModel

/// The fact that an age in years was returned in place of the answer to "at least `years`".
///
/// PassKit requests the age in years if a licence has no attestation for `years`. The age was true on the day
/// of issue, and reveals more than was asked.
package struct AgeStandIn: Hashable, Sendable {
    package let docType: String
    /// The age in the question.
    package let years: Int

    /// Returns the stand-ins in `response`, one for each question about age that has no other answer.
    static func all(
        in response: VerifiedResponse, comparedWith comparison: RequestComparison
    ) -> [AgeStandIn] {
        guard case .requested(let requests) = comparison else { return [] }
        return response.documents.flatMap { document -> [AgeStandIn] in
            guard !document.evidence(named: { $0 == "age_in_years" }).isEmpty else { return [] }
            return requests.filter { $0.docType == document.docType }.flatMap(\.agesAsked)
                .filter { document.isAgeAtLeast($0).isUnanswered }
                .map { AgeStandIn(docType: document.docType, years: $0) }
        }
    }
}

extension AgeAnswer {
    /// Whether neither a yes, a no nor a contradiction was returned.
    fileprivate var isUnanswered: Bool {
        switch self {
        case .yes, .no, .cannotTell(.contradictory): false
        case .cannotTell: true
        }
    }
}
