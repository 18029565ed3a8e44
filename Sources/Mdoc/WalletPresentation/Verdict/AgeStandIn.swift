internal import MdocVerification
internal import MdocModel

/// An age in years that was received where "at least `years`" was asked: PassKit asks for it if a licence has no
/// such attestation. It was correct when the document was issued, and reveals more than was asked.
package struct AgeStandIn: Hashable, Sendable {
    package let docType: String
    /// What was asked.
    package let years: Int

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
    fileprivate var isUnanswered: Bool {
        switch self {
        case .yes, .no, .cannotTell(.contradictory): false
        case .cannotTell: true
        }
    }
}
