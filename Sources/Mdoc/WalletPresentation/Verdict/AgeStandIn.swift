internal import MdocVerification
internal import MdocModel

/// The fact that an age in years was returned in place of the answer to "at least `years`".
///
/// PassKit requests the age in years if a licence has no attestation for `years`. The returned age was
/// correct on the day of issue, and reveals more than the request asked for.
package struct AgeStandIn: Hashable, Sendable {
    package let docType: String
    /// The age that the question asks about.
    package let years: Int

    /// Returns one value for each question about age that `response` answers only with an age in years.
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
    /// Whether the document does not answer the question. Contradictory elements count as an answer.
    fileprivate var isUnanswered: Bool {
        switch self {
        case .yes, .no, .cannotTell(.contradictory): false
        case .cannotTell: true
        }
    }
}
