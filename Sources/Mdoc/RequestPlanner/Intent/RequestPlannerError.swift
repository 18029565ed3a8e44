internal import JSON

/// The reason that a text is not an intent, or that an intent is refused.
package enum RequestPlannerError: Error, Equatable, Sendable {
    /// The text has more bytes than the limit.
    case textTooLong(limit: Int)
    /// These words are not part of the text form of an intent.
    case notUnderstood(String)
    /// The intent has no claim or no document.
    case nothingAsked
    /// The intent has this claim twice.
    case claimTwice(Claim)
    /// The intent requires a claim that is not among its claims.
    case requiredNotAsked(Claim)
    /// The intent has this document type twice.
    case documentTwice(docType: String)
    /// The age is not in the range from 0 to 99.
    case ageOutOfRange(Int)
    /// The claim asks for more than this rule allows.
    case overAsking(RequestRule, Claim)
    /// A document of the intent has no element that answers this claim.
    case documentLacks(Claim, docType: String)
}

/// The rules against asking too much. The text of a refusal ends with the raw value of the broken rule.
package enum RequestRule: String, CaseIterable, Sendable {
    /// A birth date, birth year or age in years is not requested if an age attestation answers the question
    /// about the age.
    case attestationAnswersAge = "age.attestation_answers"
    /// A request asks about at most two ages (ISO/IEC 18013-5 7.2.5).
    case twoAgesAtMost = "age.two_at_most"
    /// A portrait is requested only if a person compares it with the holder's face.
    case portraitNobodyCompares = "portrait.nobody_compares"
    /// A claim is refused if the purpose of the request does not need it.
    case notNeededForPurpose = "purpose.not_needed"
    /// Biometric templates, which machines compare, are never requested.
    case biometricTemplate = "element.biometric_template"
}

extension RequestPlannerError {
    /// The reason in words for users. For a request that asks too much, the text contains the name of the
    /// rule.
    package var explanation: String {
        switch self {
        case .textTooLong(let limit): "the request has more than \(limit) bytes"
        case .notUnderstood(let words):
            "\"\(Terminal.safe(words, limit: 80))\" is not understood"
                + (question
                    ?? ": /usr/share/doc/countersign/Documentation/command-line.md lists the words, which are case-sensitive")
        case .nothingAsked: "the request asks for nothing: name a document, and what to ask of it"
        case .claimTwice(let claim): "\(claim.safe) is asked for twice: name it once"
        case .requiredNotAsked(let claim):
            "\(claim.safe) is required but not asked for: name it before the first semicolon too"
        case .documentTwice(let docType):
            "the document type \(Terminal.safe(docType, limit: 80)) is named twice: name it once"
        case .ageOutOfRange(let years): "a request cannot ask about an age of \(years) years: give 0 to 99"
        case .overAsking(let rule, let claim):
            "refused: \(claim.safe): \(rule.meaning)\(remedy(for: rule, claim))  [\(rule.rawValue)]"
        case .documentLacks(let claim, let docType):
            "\(Terminal.safe(docType, limit: 80)) has no element that answers: \(claim.safe)"
                + (question ?? "")
        }
    }

    /// The words to write instead of a claim that asks for too much; empty if there are none.
    private func remedy(for rule: RequestRule, _ claim: Claim) -> String {
        guard rule == .notNeededForPurpose else { return question ?? "" }
        let purposes = RequestPurpose.allCases.filter { $0.needs(claim.kind) }.map { "\($0.rawValue):" }
        return "; for another purpose, begin the request with \(purposes.joined(separator: " or "))"
    }

    private var question: String? { suggestion.map { "; did you mean \"\($0)\"?" } }
}

extension Claim {
    fileprivate var safe: String { Terminal.safe(description, limit: 80) }
}

extension RequestRule {
    /// The rule in words, for messages to users.
    package var meaning: String {
        switch self {
        case .attestationAnswersAge:
            "the question whether the holder is old enough needs neither the date of birth nor the age in years"
        case .twoAgesAtMost: "a request may ask about two ages at most"
        case .portraitNobodyCompares:
            "a portrait may be requested only if a person compares it with the holder's face"
        case .notNeededForPurpose: "the purpose of the request does not need this element"
        case .biometricTemplate: "biometric templates are never requested"
        }
    }
}
