internal import CBOR
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderStore
internal import ReaderService

/// The part of each element that a text shows: its name, or its name and value.
package enum ElementDisplay: Sendable {
    case names
    case values
}

extension TransactionReport {
    /// Returns the report as text for a terminal: what happened, and what to do next.
    package func text(elements: ElementDisplay) -> String {
        lines(elements: elements, under: headline).joined(separator: "\n")
    }

    /// Returns the lines of the report under the given headline.
    func lines(elements: ElementDisplay, under headline: String) -> [String] {
        var lines = [headline]
        lines += documents.flatMap { $0.lines(elements: elements, policy: basis?.policy.revocation) }
        lines += errors.map { "  ! \(Terminal.safe($0.detail, limit: 400))  [\($0.id)]" }
        lines += missing.map { "  \($0.text)" }
        lines += unusable.map { "  ! \($0.text)  [\(OutcomeReason.elementUnusable.rawValue)]" }
        lines += notes.map { "  note: \($0.explanation)  [\($0.id.rawValue)]" }
        lines += unansweredQuestions
        if let basis { lines.append("  judged by: \(basis.text)") }
        if let asked { lines += asked.lines }
        lines += advice
        return lines
    }

    var headline: String {
        switch verdict {
        case .verified: [answersLine, "VERIFIED"].compactMap(\.self).joined(separator: "\n")
        case .mock where isAccepted:
            "TEST DOCUMENT: \(resultText ?? "every check passed")"
        case .mock: "TEST DOCUMENT: it proves nothing"
        case .rejected: "REJECTED: do not rely on this response"
        case .malformed: "MALFORMED: the bytes are not the expected message"
        case .incomplete: "INCOMPLETE: there is no response to judge"
        }
    }

    /// The outcome in one or two words, followed by the answers; `nil` if there are no answers to show, and
    /// no needed document or element is missing or unusable.
    private var answersLine: String? {
        let summary =
            switch conclusion.outcome {
            case .allow: "YES"
            case .deny: "NO"
            case .unclear, .declined, .cancelled, .failed: "CANNOT TELL"
            }
        return resultText.map { "\(summary): \($0)" }
    }

    /// The answers, followed by a note if a needed element is missing or cannot be used; `nil` if there is
    /// nothing to show.
    private var resultText: String? {
        let parts = [
            answersText, isIncomplete ? "not everything that is needed was shared" : nil,
            unusable.isEmpty ? nil : "a needed element cannot be used",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Each question with its answer. A returned portrait is left out, because a person has to compare it.
    private var answersText: String? {
        let answers = questions.map { (subject: $0.subject, answer: answer(to: $0)) }
            .filter { $0.subject != .portrait || $0.answer != .yes }
            .map { "\($0.subject.text) \($0.answer.text)" }
        return answers.isEmpty ? nil : answers.joined(separator: ", ")
    }

    /// The lines on questions about documents that were not returned.
    private var unansweredQuestions: [String] {
        questions.filter { question in
            !documents.contains { question.docTypes.contains($0.report.docType) }
        }.map { question in
            let types = question.docTypes.sorted().map { Terminal.safe($0, limit: 80) }
            return
                "  \(question.subject.text): cannot tell (\(types.joined(separator: " or ")) was not returned)"
        }
    }

    /// The advice on how to get a better result; empty if there is none.
    private var advice: [String] {
        var advice: [String] = []
        if documents.contains(where: \.isIssuerUnknown) { advice.append(Self.adviceOnTrust) }
        if !documents.isEmpty, !requestCompared {
            advice.append(
                "The response was not compared with a request, because the request is not known: give the request with --request."
            )
        }
        return advice
    }

    /// The advice on how to trust an issuer.
    package static let adviceOnTrust = """
        Only roots that you name are trusted. --trust takes the root certificate (IACA) of the issuing
        authority: a PEM file, a DER file, or a folder of such files. Get it from the authority's own site or
        from a VICAL, not from the phone: the document signer's certificate in the response is not a root.
        """
}

extension DocumentOutcome {
    /// Whether no trusted root was found for the document signer's certificate.
    package var isIssuerUnknown: Bool {
        report.checks.contains { check in
            if case .failed(.issuerCertificate(.anchorNotFound)) = check.outcome { return true }
            return false
        }
    }

    fileprivate func lines(elements display: ElementDisplay, policy: RevocationPolicy?) -> [String] {
        var lines = [Terminal.safe(report.docType, limit: 80)]
        lines += answers.map { "  \($0.subject.text): \($0.answer.text)" }
        if let issuer = report.issuer { lines.append("  issuer: \(issuer.text)") }
        lines += report.parts.lines(under: policy)
        if let verified { lines += verified.lines(elements: display) }
        lines += report.checks.compactMap(\.line)
        lines += report.deviations.map {
            "  deviation: \($0.meaning)\(foundStringType($0))  [\($0.rawValue)]"
        }
        return lines
    }

    /// Returns a text that names the ASN.1 string type of the country in the document signer's certificate,
    /// if the deviation is a wrong string type. The text is empty for other deviations.
    private func foundStringType(_ deviation: Deviation) -> String {
        guard deviation == .dsCountryForm, let type = report.issuer?.countryStringType else { return "" }
        return "; it is a \(type)"
    }
}

extension VerificationBasis {
    fileprivate var text: String {
        "trust snapshot \(trustSnapshot.shortText), policy \(Terminal.safe(policy.revocation.name, limit: 40))"
    }
}

extension VerdictParts {
    /// Returns the lines that show the parts of the verdict. A part that is neither yes nor no is shown as
    /// "not known".
    fileprivate func lines(under policy: RevocationPolicy?) -> [String] {
        let parts = [
            ("signed by a trusted issuer", authentic.rawValue), ("valid now", fresh.rawValue),
            ("document in date", documentCurrent.rawValue), ("held by this phone", holderBound.rawValue),
        ]
        return [
            "  "
                + parts.map { "\($0): \(["yes", "no"].contains($1) ? $1 : "not known")" }.joined(
                    separator: " · "),
            "  revoked: \(revocation.text(under: policy))",
        ]
    }
}

extension RevocationFinding {
    fileprivate func text(under policy: RevocationPolicy?) -> String {
        switch self {
        case .good(let age): "no, according to lists up to \(Self.span(age)) old"
        case .revoked(let cause, let age): "YES, \(cause.explanation) (list \(Self.span(age)) old)"
        // Revocation was not checked, because an earlier check failed. The policy was therefore not applied.
        case .undetermined(.notChecked, _, _): "not known: \(UndeterminedCause.notChecked.explanation)"
        case .undetermined(let cause, let subject, _):
            "not known for the \(subject.rawValue): \(cause.explanation)\(decision(of: policy))"
        }
    }

    /// Returns a text that says whether the policy accepts the undetermined revocation; empty without a
    /// policy.
    private func decision(of policy: RevocationPolicy?) -> String {
        policy.map {
            "; policy \(Terminal.safe($0.name, limit: 40)) \($0.accepts(self) ? "accepts" : "refuses") that"
        }
            ?? ""
    }

    /// Returns the age of a list in words.
    ///
    /// - Parameter seconds: the age in seconds.
    private static func span(_ seconds: Int64) -> String {
        // A list may be dated slightly in the future (`clockSkew`).
        switch max(0, seconds) {
        case ..<7200: "\(max(0, seconds) / 60) minutes"
        case ..<172_800: "\(seconds / 3600) hours"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension Question.Subject {
    /// The short form of the question.
    fileprivate var text: String {
        switch self {
        case .ageOver(let years, _): "over \(years)"
        case .drive(let vehicle): "may drive \(vehicle.text) today"
        case .inDate: "in date"
        case .portrait: "portrait to compare"
        }
    }
}

extension ReasonedAnswer {
    fileprivate var text: String { "\(word.text) (\(reason))" }
}

extension Answer {
    fileprivate var text: String { self == .unknown ? "cannot tell" : rawValue }
}

extension DocumentIssuer {
    fileprivate var text: String {
        let root = anchorSubject.map { "trusted root \(Terminal.safe($0))" } ?? "no trusted root"
        return "\(Terminal.safe(dsSubject)), \(root)"
    }
}

extension CheckReport {
    /// The line of this check; `nil` for a check that passed. The JSON form contains all checks. A failed
    /// check ends with the id of its reason, which is more precise than the id of the check.
    fileprivate var line: String? {
        switch outcome {
        case .passed: nil
        case .failed:
            "  failed: \(Terminal.safe(explanation, limit: 400))  [\(reason?.rawValue ?? id.rawValue)]"
        case .undetermined: "  undetermined: \(Terminal.safe(explanation, limit: 400))  [\(id.rawValue)]"
        case .skipped: "  not checked  [\(id.rawValue)]"
        }
    }
}

extension VerifiedDocument {
    /// The maximum number of elements in a text, so that a large document does not flood the terminal.
    private static let mostElements = 200

    fileprivate func lines(elements display: ElementDisplay) -> [String] {
        var lines = [
            "  the phone proved possession of its key with a \(deviceBinding == .mac ? "MAC, to this reader only" : "signature")"
        ]
        if isCurrent == .no { lines.append("  EXPIRED by its own expiry_date") }
        let shown = elements.prefix(Self.mostElements)
        switch display {
        case .names: lines.append("  elements: " + shown.map(\.label).joined(separator: ", "))
        case .values: lines += shown.map { "  \($0.label): \($0.valueText)" }
        }
        if elements.count > shown.count {
            lines.append("  … and \(elements.count - shown.count) more elements")
        }
        return lines
    }
}

extension VerifiedElement {
    fileprivate var label: String {
        Terminal.safe(name.identifier, limit: 80)
            + (signedBy == .device ? " (asserted by the phone itself)" : "")
    }

    /// The value in diagnostic notation, cut so that one value does not flood the terminal.
    fileprivate var valueText: String {
        var notation = DiagnosticNotation()
        notation.longestByteString = 16
        notation.longestText = 200
        notation.longestNotation = 2000
        return value.diagnostic(notation)
    }
}

extension AskedRequest {
    /// The lines on the signature of the request; empty if no request was sent.
    fileprivate var lines: [String] {
        guard let sent else { return [] }
        let name = Terminal.safe(sent.identity ?? "", limit: 80)
        let signature =
            switch sent.readerAuthentication {
            case .none: "not signed"
            case .documents: "signed by identity \(name), one signature for each document"
            case .all: "signed by identity \(name), one signature for all documents"
            }
        return ["  request: \(signature)"]
    }
}
