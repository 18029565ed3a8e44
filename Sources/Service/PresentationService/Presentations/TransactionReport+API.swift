internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderService
internal import ReaderStore
internal import Reports

/// A reason why a presentation did not end with `allow`, or a remark on the phone's messages.
struct ReportReason: Sendable {
    let id: String
    let text: String
}

extension TransactionReport {
    private static let mostReasons = 40

    /// The checks that failed or could not be made, followed by errors, elements of the wrong type, and
    /// remarks on the phone's messages.
    var reasons: [ReportReason] {
        let failures = documents.flatMap(\.report.checks).compactMap { check -> ReportReason? in
            switch check.outcome {
            case .passed, .skipped: nil
            case .failed, .undetermined:
                ReportReason(
                    // A check that can fail in several ways has the id of the failure as its `reason`.
                    id: check.reason?.rawValue ?? check.id.rawValue,
                    text: Terminal.safe(check.explanation, limit: 400))
            }
        }
        let errors = errors.map { ReportReason(id: $0.id, text: Terminal.safe($0.detail, limit: 400)) }
        let unusable = unusable.map {
            ReportReason(id: OutcomeReason.elementUnusable.rawValue, text: $0.text)
        }
        let notes = notes.map { ReportReason(id: $0.id.rawValue, text: $0.explanation) }
        return Array((failures + errors + unusable + notes).prefix(Self.mostReasons))
    }

    /// The reasons of the report, followed by the reasons that the conclusion adds. If the end of the daemon
    /// interrupted the presentation, that is the only reason.
    private func reasons(for conclusion: Conclusion?) -> [ReportReason] {
        let added = (conclusion?.reasons ?? []).compactMap(\.outcomeReason)
        let words = added.map { ReportReason(id: $0.rawValue, text: $0.explanation) }
        let known = added.contains(.restarted) ? [] : reasons
        // A reason that is in both lists is returned once.
        return known + words.filter { word in !known.contains { $0.id == word.id } }
    }

    /// The members of a result without element values: verdict, answers, reasons, missing elements,
    /// trust and policy, and the type, checks and issuer of the first document.
    ///
    /// - Parameters:
    ///   - conclusion: the outcome that follows from this report; `nil` if there is no outcome, or if the
    ///     outcome follows from another report.
    ///   - basis: the trust of the presentation, from which `trustAgeSeconds` is computed.
    ///   - ended: the time at which the response was judged.
    func resultMembers(
        for conclusion: Conclusion?, by basis: JudgingBasis, at ended: Timestamp
    ) -> [(String, JSONValue)] {
        let document = documents.first?.report
        // `self.basis` is `nil` if no response was judged. In this case `trustAgeSeconds` is null.
        return [
            ("verdict", .string(verdict.rawValue)), ("test", .boolean(hasTestDocument)),
            ("answers", .array(answerMembers)),
            (
                "reasons",
                .array(reasons(for: conclusion).map { ["id": .string($0.id), "text": .string($0.text)] })
            ),
            ("missing", .array(missing.map(\.json))), ("docType", JSONValue(document?.docType)),
            ("parts", document?.parts.json ?? .null),
            ("issuer", document.map { issuerJSON($0.issuer) } ?? .null),
            ("trustSnapshot", JSONValue(self.basis?.trustSnapshot.description)),
            (
                "trustAgeSeconds",
                self.basis.flatMap { _ in basis.age(at: ended) }.map(JSONValue.integer) ?? .null
            ),
            ("policy", JSONValue(self.basis?.policy.revocation.name)),
        ]
    }

    /// The result for the customer's page: the answers, the missing elements, and whether the document is for
    /// tests. All other members are null.
    var screenResult: JSONValue {
        [
            "verdict": .string(verdict.rawValue), "test": .boolean(hasTestDocument),
            "answers": .array(answerMembers), "reasons": .array([]),
            "missing": .array(missing.map(\.json)),
            "docType": .null, "parts": .null,
            "issuer": ["country": .null, "name": .null, "test": .boolean(hasTestDocument)],
            "trustSnapshot": .null, "trustAgeSeconds": .null, "policy": .null,
            "decision": .null, "receipt": .null, "retainedUntil": .null,
        ]
    }

    /// The questions with their answers, without the subjects that the API has no word for.
    private var answerMembers: [JSONValue] {
        questions.compactMap { question in
            question.subject.receiptSubject.map {
                ["ask": .string("\($0)"), "answer": .string(answer(to: question).rawValue)]
            }
        }
    }

    /// The country and the name of an issuer, without characters that change how a page shows them.
    private func issuerJSON(_ issuer: DocumentIssuer?) -> JSONValue {
        // The authority's name, or the name of the document signer if its certificate has no name for its
        // issuer.
        let name = issuer.flatMap { $0.issuerCommonName ?? $0.dsCommonName }
        return [
            // The limits restrict how much text a certificate can put on the page. A valid country has two
            // letters.
            "country": JSONValue(issuer?.country.map { Terminal.safe($0, limit: 8) }),
            "name": JSONValue(name.map { Terminal.safe($0, limit: 120) }),
            "test": .boolean(hasTestDocument),
        ]
    }
}
