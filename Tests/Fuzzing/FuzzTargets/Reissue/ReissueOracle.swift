internal import CBOR
internal import JSON
internal import MdocModel
internal import MdocVerification
internal import Reports

/// The demands on the report about a mutant, worked out from what the fuzzer signed and from no code of the verification:
///
/// 1. An element that is reported is, byte for byte of its value, one whose digest stands in the MSO that the issuer signed,
///    under its namespace and digest ID; an element of the phone's own is one that the phone signed and was authorised for.
///    The document is of the MSO's type, in date, and no reference in the MSO that can be read says revoked.
/// 2. Each answer has its evidence among the reported elements (`ReissueEvidence`): yes needs a proof, no a refutation, and
///    evidence that is whole is never unknown because of another part.
/// 3. Where only the holder changed something, no answer is yes and no outcome `allow` that the unchanged documents do not
///    obtain. From no to cannot tell is no gain: what does not come cannot refute.
struct ReissueOracle {
    /// The name of every holder.
    static let canary = Array("Zzyzx".utf8)

    private(set) var violations: [StaticString] = []
    private let scenario: ReissueScenario
    private let response: ReissuedResponse

    init(_ scenario: ReissueScenario, _ response: ReissuedResponse) {
        self.scenario = scenario
        self.response = response
    }

    private mutating func demand(_ condition: Bool, _ reason: StaticString) {
        if !condition { violations.append(reason) }
    }

    mutating func checkElements(of report: TransactionReport) {
        guard report.verdict == .verified else {
            demand(
                report.documents.allSatisfy { $0.verified == nil },
                "elements of a response that is not verified")
            return
        }
        demand(!report.documents.isEmpty, "verified without a document")
        let hasAll = report.documents.count == response.documents.count
        demand(hasAll || !response.isOrdered, "a document is lost")
        for (index, outcome) in report.documents.enumerated() {
            guard let document = outcome.verified else {
                violations.append("verified without its elements")
                continue
            }
            let origins = response.isOrdered && hasAll ? [response.documents[index]] : response.documents
            let found = origins.map { ReissueLedger($0).violations(by: document, in: scenario) }
            violations += found.first(where: \.isEmpty) ?? found.first ?? ["a document that nobody issued"]
        }
    }

    mutating func checkAnswers(of report: TransactionReport) {
        for question in scenario.questions {
            let words = report.documents.map { outcome in
                outcome.answers.first { $0.subject == question.subject }?.answer.word
            }
            let word = report.answer(to: question)
            demand(
                word != .yes || (!words.isEmpty && words.allSatisfy { $0 == .yes }),
                "a yes that a document does not say")
        }
        guard report.verdict == .verified else {
            demand(!report.isAllowed, "allowed, and not verified")
            demand(
                report.documents.flatMap(\.answers).allSatisfy { $0.answer.word == .unknown },
                "an unverified answer")
            return
        }
        for outcome in report.documents {
            guard let document = outcome.verified else { continue }
            var evidence = ReissueEvidence(document, on: scenario.day)
            for (subject, answer) in outcome.answers {
                evidence.check(answer.word, to: subject, isExpiryAsked: asks(for: "expiry_date"))
            }
            violations += evidence.violations
        }
        if report.isAllowed, scenario.isCompared { checkAllowed(report) }
    }

    private mutating func checkAllowed(_ report: TransactionReport) {
        demand(
            report.documents.flatMap(\.answers).allSatisfy { $0.answer.word == .yes }, "allowed without a yes"
        )
        let documents = report.documents.compactMap(\.verified)
        demand(documents.contains { !$0.elements.isEmpty }, "allowed, and nothing was shared")
        for document in documents {
            let evidence = ReissueEvidence(document, on: scenario.day)
            demand(
                !asks(for: "expiry_date") || !evidence.isPast("expiry_date"), "allowed after the expiry date")
        }
        let asked = scenario.requests.flatMap(\.nameSpaces).filter { $0.name == ReissueValues.mainNameSpace }
            .flatMap(\.elements).map(\.identifier)
        for identifier in asked where ReissueEvidence.isMandatory(identifier) {
            demand(
                documents.contains { ReissueEvidence($0, on: scenario.day).hasMandatory(identifier) },
                "allowed without a mandatory element that was asked for")
        }
    }

    private func asks(for identifier: String) -> Bool {
        scenario.requests.contains { request in
            request.nameSpaces.contains { $0.elements.contains { $0.identifier == identifier } }
        }
    }

    mutating func checkGain(of report: TransactionReport, over honest: HonestAnswer) {
        for (question, isYes) in zip(scenario.questions, honest.isYes) {
            demand(isYes || report.answer(to: question) != .yes, "a holder's change made an answer yes")
        }
        demand(honest.isAllowed || !report.isAllowed, "a holder's change made the outcome allow")
    }

    mutating func checkTexts(of report: TransactionReport) {
        let text = report.text(elements: .values)
        demand(
            text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnsafe }, "a text is not fit for a terminal")
        let json = report.json(portrait: .bytes).utf8
        demand(json.last == UInt8(ascii: "}"), "the report is no JSON object")
        let names = report.text(elements: .names)
        var quiet = [Array(names.utf8)]
        if report.verdict != .verified { quiet += [Array(text.utf8), json] }
        demand(
            quiet.allSatisfy { $0.firstRange(of: Self.canary) == nil } || isNamed,
            "a value in a text without values")
    }

    /// Whether an edit made the holder's name the name of an element, which texts may have.
    private var isNamed: Bool {
        response.documents.contains { document in
            document.candidates.contains { candidate in
                let item = ReferenceCBOR.decode(candidate[...], depth: 64)?.embedded
                return item?["elementIdentifier"]?.utf8?.firstRange(of: Self.canary) != nil
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it controls a terminal or the direction of text.
    fileprivate var isUnsafe: Bool {
        properties.generalCategory == .control || (0x202a...0x202e).contains(value)
            || (0x2066...0x2069).contains(value)
    }
}
