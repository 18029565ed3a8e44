internal import JSON

/// Why an intent is not one, or is not asked.
package enum RequestPlannerError: Error, Equatable, Sendable {
    /// The text has more bytes than are read.
    case textTooLong(limit: Int)
    /// These words are not part of an intent.
    case notUnderstood(String)
    /// Nothing is asked, or no document is named.
    case nothingAsked
    case claimTwice(Claim)
    /// The answer must have what is not asked.
    case requiredNotAsked(Claim)
    case documentTwice(docType: String)
    /// An age is not in 0 to 99.
    case ageOutOfRange(Int)
    /// It asks for more than it needs.
    case overAsking(RequestRule, Claim)
    /// A document that was named cannot answer this.
    case documentLacks(Claim, docType: String)
}

/// The rules against asking too much, by the names they are refused with.
package enum RequestRule: String, CaseIterable, Sendable {
    /// A birth date, birth year or age in years where an attestation answers.
    case attestationAnswersAge = "age.attestation_answers"
    /// At most two ages in one request (ISO/IEC 18013-5 7.2.5).
    case twoAgesAtMost = "age.two_at_most"
    case portraitNobodyCompares = "portrait.nobody_compares"
    /// More than the purpose needs.
    case notNeededForPurpose = "purpose.not_needed"
    /// Templates that machines compare.
    case biometricTemplate = "element.biometric_template"
}

extension RequestPlannerError {
    /// Why this is not asked; where it is too much, with the name of the rule.
    package var explanation: String {
        switch self {
        case .textTooLong(let limit): "the request has more than \(limit) bytes"
        case .notUnderstood(let words):
            "\"\(Terminal.safe(words, limit: 80))\" is not understood"
                + (question
                    ?? ": /usr/share/doc/countersign/Documentation/command-line.md lists the words, which are case-sensitive")
        case .nothingAsked: "nothing is asked: name a document and what to ask of it"
        case .claimTwice(let claim): "asked twice: \(claim.safe)"
        case .requiredNotAsked(let claim):
            "required, but not asked: \(claim.safe): name it before the first semicolon too"
        case .documentTwice(let docType): "named twice: \(Terminal.safe(docType, limit: 80))"
        case .ageOutOfRange(let years): "an age of \(years) years cannot be asked about: give 0 to 99"
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
    /// In plain words.
    package var meaning: String {
        switch self {
        case .attestationAnswersAge: "a yes or no about an age needs no date of birth and no age in years"
        case .twoAgesAtMost: "a request may ask about two ages at most"
        case .portraitNobodyCompares:
            "a portrait may be asked for only where a person compares it with a face"
        case .notNeededForPurpose: "the purpose of the request does not need it"
        case .biometricTemplate: "biometric templates are never asked for"
        }
    }
}
