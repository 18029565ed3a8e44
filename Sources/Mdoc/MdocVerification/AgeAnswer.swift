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

    package enum AgeUnknown: Hashable, Sendable {
        case noAttestation
        /// Those that came say nothing about this age.
        case noneApplies
        /// One says yes and another no.
        case contradictory
        /// An element that could tell came, and its value is not of its type.
        case wrongType(ElementName, WrongType)
        /// An age in years of fewer years came, which was so on the day of issue.
        case asOfIssue
        /// An age came that no person reaches.
        case implausible(ElementName)
        /// A part of the birth date is not known.
        case approximate(ElementName)
        /// An attestation came in a namespace in which the document's type has none.
        case elsewhere(ElementName)
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
        case .cannotTell(.implausible(let element)):
            "\(element.text) is more than 200 years, which is no person's age"
        case .cannotTell(.approximate(let element)):
            "\(element.text) is approximate: a part of the date is not known"
        case .cannotTell(.elsewhere(let element)):
            "\(element.text) is not in the namespace that this document type has its ages in"
        }
    }
}
