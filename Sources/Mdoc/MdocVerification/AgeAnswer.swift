package import MdocModel

extension ItemsRequest {
    /// The ages that are asked about, in the order of the request.
    package var agesAsked: [Int] {
        nameSpaces.flatMap(\.elements).compactMap { AgeAttestation($0.identifier)?.years }
    }
}

/// The answer to "at least N years old?".
package enum AgeAnswer: Equatable, Sendable {
    case yes(by: ElementName)
    case no(by: ElementName)
    case cannotTell(AgeUnknown)

    package enum AgeUnknown: Equatable, Sendable {
        case noAttestation
        /// Those that came say nothing about this age.
        case noneApplies
        /// One says yes and another no.
        case contradictory
        /// An element that could tell came, and its value is not of its type.
        case wrongType(ElementName, WrongType)
        /// An age in years of fewer years came, which was so on the day of issue.
        case asOfIssue
    }
}

extension AgeAnswer {
    /// The element that answers, or why none does.
    package var reason: String {
        switch self {
        case .yes(let element), .no(let element): element.text
        case .cannotTell(.noAttestation): "no age attestation was returned"
        case .cannotTell(.noneApplies): "the returned age attestations say nothing about this age"
        case .cannotTell(.contradictory): "the proofs of age contradict one another"
        case .cannotTell(.asOfIssue):
            "age_in_years was true on the day of issue, and proves only that the holder is at least so old"
        case .cannotTell(.wrongType(let element, let wrong)): wrong.explanation(of: element.text)
        }
    }
}
