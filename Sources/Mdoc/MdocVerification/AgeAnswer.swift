package import MdocModel

extension ItemsRequest {
    /// The ages in years whose attestations are requested, in the order of the request.
    package var agesAsked: [Int] {
        nameSpaces.flatMap(\.elements).compactMap { AgeAttestation($0.identifier)?.years }
    }
}

/// The answer to the question "at least N years old?".
package enum AgeAnswer: Equatable, Sendable {
    case yes(by: ElementName)
    case no(by: ElementName)
    case cannotTell(AgeUnknown)

    /// The reason that the age question has no answer.
    package enum AgeUnknown: Hashable, Sendable {
        /// No age attestation was returned.
        case noAttestation
        /// The returned attestations do not answer the question about this age.
        case noneApplies
        /// One piece of evidence says yes and another says no.
        case contradictory
        /// An element that could answer was returned, but its value has the wrong type.
        case wrongType(ElementName, WrongType)
        /// The returned `age_in_years` is lower than the age that the question is about. The value was
        /// correct on the day of issue, so the holder may have reached the age since.
        case asOfIssue
        /// The returned age is higher than any person's age.
        case implausible(ElementName)
        /// A part of the returned birth date is not known.
        case approximate(ElementName)
        /// An attestation was returned in a namespace where the data model of the document's type has no
        /// attestations.
        case elsewhere(ElementName)
    }
}

extension AgeAnswer {
    /// The element that answers, or the reason that no element does. The text is for users.
    package var reason: String {
        switch self {
        case .yes(let element), .no(let element): element.text
        case .cannotTell(.noAttestation): "no age attestation was returned"
        case .cannotTell(.noneApplies): "the returned age attestations say nothing about this age"
        case .cannotTell(.contradictory): "the proofs of age contradict one another"
        case .cannotTell(.asOfIssue):
            "age_in_years is the age on the day of issue, so it proves only a minimum age"
        case .cannotTell(.wrongType(let element, let wrong)): wrong.explanation(of: element.text)
        case .cannotTell(.implausible(let element)):
            "\(element.text) is more than 200 years, so it cannot be a person's age"
        case .cannotTell(.approximate(let element)):
            "\(element.text) is approximate: a part of the date is not known"
        case .cannotTell(.elsewhere(let element)):
            "\(element.text) is not in the namespace where this document type has its ages"
        }
    }
}
