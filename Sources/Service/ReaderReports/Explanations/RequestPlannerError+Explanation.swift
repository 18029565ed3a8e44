package import RequestPlanner

extension RequestPlannerError {
    /// Why this is not asked; where it is too much, with the name of the rule.
    package var explanation: String {
        switch self {
        case .textTooLong(let limit): "the request has more than \(limit) bytes"
        case .notUnderstood(let words):
            "what is \"\(Terminal.safe(words, limit: 80))\"? The README has the words"
        case .nothingAsked: "nothing is asked"
        case .claimTwice(let claim): "asked twice: \(claim.safe)"
        case .documentTwice(let docType): "named twice: \(Terminal.safe(docType, limit: 80))"
        case .ageOutOfRange(let years): "\(years) years: a request may ask about 0 to 99"
        case .overAsking(let rule, let claim): "not asked: \(claim.safe): \(rule.meaning)  [\(rule.rawValue)]"
        case .documentLacks(let claim, let docType):
            "\(Terminal.safe(docType, limit: 80)) has nothing that answers: \(claim.safe)"
        }
    }
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
        case .portraitNobodyCompares: "a portrait is for somebody who compares it with a face"
        case .notNeededForPurpose: "this purpose does not need it"
        case .biometricTemplate: "templates that machines compare are not for a counter"
        }
    }
}
