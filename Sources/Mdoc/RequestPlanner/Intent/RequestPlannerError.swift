internal import JSON

/// The reason that a text is not an intent, or that an intent must not be asked.
package enum RequestPlannerError: Error, Equatable, Sendable {
    /// The text has more bytes than the limit.
    case textTooLong(limit: Int)
    /// These words are not part of the text form of an intent.
    case notUnderstood(String)
    /// The intent has no claim or no document.
    case nothingAsked
    /// The intent has this claim twice.
    case claimTwice(Claim)
    /// The intent requires a claim that it does not ask.
    case requiredNotAsked(Claim)
    /// The intent has this document type twice.
    case documentTwice(docType: String)
    /// The age is not in the range from 0 to 99.
    case ageOutOfRange(Int)
    /// The intent breaks this rule, because it asks for too much with this claim.
    case overAsking(RequestRule, Claim)
    /// A document of the intent has no element that answers this claim.
    case documentLacks(Claim, docType: String)
}

/// The rules against asking too much. A refusal names the rule by its raw value.
package enum RequestRule: String, CaseIterable, Sendable {
    /// A birth date, birth year or age in years is not asked if an attestation answers.
    case attestationAnswersAge = "age.attestation_answers"
    /// A request asks about at most two ages (ISO/IEC 18013-5 7.2.5).
    case twoAgesAtMost = "age.two_at_most"
    /// A portrait is asked only if a person compares it with the holder's face.
    case portraitNobodyCompares = "portrait.nobody_compares"
    /// A claim is not asked if the purpose does not need it.
    case notNeededForPurpose = "purpose.not_needed"
    /// Biometric templates, which machines compare, are never asked.
    case biometricTemplate = "element.biometric_template"
}

extension RequestPlannerError {
    /// The reason in words for users; for a request that asks too much, with the name of the rule.
    package var explanation: String {
        switch self {
        case .textTooLong(let limit): "the request has more than \(limit) bytes"
        case .notUnderstood(let words):
            "\"\(Terminal.safe(words, limit: 80))\" is not understood"
                + (question
                    ?? ": /usr/share/doc/countersign/Documentation/command-line.md lists the words, which are case-sensitive")
        case .nothingAsked: "nothing is asked: name a document and what to ask of it"
        case .claimTwice(let claim): "\(claim.safe) is asked twice: name it once"
        case .requiredNotAsked(let claim):
            "\(claim.safe) is required but not asked: name it before the first semicolon too"
        case .documentTwice(let docType):
            "the document type \(Terminal.safe(docType, limit: 80)) is named twice: name it once"
        case .ageOutOfRange(let years): "a request cannot ask about an age of \(years) years: give 0 to 99"
        case .overAsking(let rule, let claim): "refused: \(claim.safe): \(rule.meaning)  [\(rule.rawValue)]"
        case .documentLacks(let claim, let docType):
            "\(Terminal.safe(docType, limit: 80)) has no element that answers: \(claim.safe)"
                + (question ?? "")
        }
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
        case .attestationAnswersAge: "a yes or no about an age needs no date of birth and no age in years"
        case .twoAgesAtMost: "a request may ask about two ages at most"
        case .portraitNobodyCompares:
            "a portrait may be requested only if a person compares it with the holder's face"
        case .notNeededForPurpose: "the purpose of the request does not need this element"
        case .biometricTemplate: "biometric templates are never requested"
        }
    }
}
