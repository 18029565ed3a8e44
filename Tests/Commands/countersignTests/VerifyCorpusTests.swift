import CommandBench
import Testing
import VectorFiles

/// All presentations of the repository's corpus, and of the shared one where it is here, through the built command.
@Suite("verify, corpus")
struct VerifyCorpusTests {
    /// Rules that real wallets break without harm.
    private static let deviations: Set = [
        "cbor.indefinite_item_map", "cbor.indefinite_mso", "cbor.nonminimal_int", "issuer_auth.tagged",
        "issuer_auth.x5chain_protected", "x509.ds_state",
    ]
    /// The bytes are not the structure.
    private static let malformed: Set = [
        "cbor.truncated", "cbor.empty", "cbor.not_a_map", "cbor.huge_length", "cbor.dup_namespace",
        "cbor.dup_key_item", "cbor.item_untagged", "session.empty_map", "session.trailing_bytes",
        "session.dup_data", "session.not_a_map",
    ]
    private static let incomplete: Set = ["session.status_11", "session.status_20"]

    private func expectedStatus(_ sample: StoredPresentation, strict: Bool) -> Int32 {
        if ["ok.age_nearest_below", "ok.document_error"].contains(sample.name) { return 1 }
        if sample.isAccepted || !strict && Self.deviations.contains(sample.name) { return 0 }
        if Self.malformed.contains(sample.name) { return 65 }
        return Self.incomplete.contains(sample.name) ? 3 : 2
    }

    private static let verdicts: [Int32: String] = [
        0: "verified", 1: "verified", 2: "rejected", 3: "incomplete", 65: "malformed",
    ]

    @Test("The corpus is whole", arguments: StoredCorpus.all)
    func complete(_ corpus: StoredCorpus) {
        let names = Set(corpus.presentations.map(\.name))
        #expect(names.count == corpus.presentations.count)
        #expect(Self.deviations.union(Self.malformed).union(Self.incomplete).isSubset(of: names))
    }

    @Test(
        "Each is judged as it should be, and what is only a deviation is listed",
        arguments: StoredCorpus.presentations)
    func judged(_ sample: StoredPresentation) throws {
        try judge(sample, sample.arguments)
    }

    @Test(
        "Decrypted from SessionData, each response gets the same verdict",
        arguments: StoredCorpus.presentations.filter { $0.layer == .response })
    func decrypted(_ sample: StoredPresentation) throws {
        #expect(try judge(sample, sample.encrypted).phases.first?.name == "decrypt")
    }

    @discardableResult
    private func judge(_ sample: StoredPresentation, _ arguments: [String]) throws -> VerdictJSON {
        let run = try CommandRun(arguments + ["--json"])
        #expect(run.status == expectedStatus(sample, strict: false))
        #expect(run.errors.isEmpty)
        run.expectNoValues(unless: sample.isAccepted || Self.deviations.contains(sample.name))
        let report = try run.report()
        let isTest = report.documents.contains { $0.issuer?.country == "UT" }
        let verdict = Self.verdicts[run.status]
        #expect(report.verdict == (isTest && verdict == "verified" ? "mock" : verdict))
        if Self.deviations.contains(sample.name) {
            #expect(report.documents.map(\.deviations) == [[sample.name]])
        }
        if sample.isAccepted { #expect(report.documents.flatMap(\.deviations).isEmpty) }
        return report
    }

    @Test("Under --strict everything but the good ones is refused", arguments: StoredCorpus.presentations)
    func strict(_ sample: StoredPresentation) throws {
        let run = try CommandRun(sample.arguments + ["--json", "--strict"])
        #expect(run.status == expectedStatus(sample, strict: true))
        #expect(sample.isAccepted == [0, 1].contains(run.status))
        run.expectNoValues(unless: sample.isAccepted)
    }

    @Test(
        "Q159 The nearest attestation answers another age than its own",
        arguments: [
            ("ok.age_nearest_above", "20", "yes", "age_over_21"),
            ("ok.age_nearest_below", "68", "no", "age_over_65"),
        ], StoredCorpus.all)
    func nearestAge(
        _ question: (name: String, years: String, answer: String, element: String), _ corpus: StoredCorpus
    ) throws {
        let (name, years, answer, element) = question
        let sample = try #require(corpus.presentation(name))
        let document = try #require(
            try CommandRun(sample.arguments + ["--json"]).report().documents.first)
        #expect(document.ageOver == [years: answer])
        #expect(document.ageReason == [years: "org.iso.18013.5.1/\(element)"])
        let text = try CommandRun(sample.arguments)
        #expect(text.output.contains("over \(years): \(answer) (org.iso.18013.5.1/\(element))"))
    }

    @Test(
        "Q156 Q243 What did not come is listed; without a document that was asked for the exit code is 1",
        arguments: [
            ("ok.element_missing", "element.not_returned", 0),
            ("ok.document_error", "document.not_returned", 1),
        ], StoredCorpus.all)
    func notReturned(_ expected: (name: String, id: String, status: Int32), _ corpus: StoredCorpus) throws {
        let sample = try #require(corpus.presentation(expected.name))
        let run = try CommandRun(sample.arguments + ["--json"])
        #expect(run.status == expected.status)
        #expect(try run.report().errors.map(\.id) == [expected.id])
    }

    @Test(
        "What the phone asserts itself is told from what the issuer signed",
        arguments: StoredCorpus.presentations(named: "ok.device_signed_element"))
    func selfAsserted(_ sample: StoredPresentation) throws {
        let run = try CommandRun(sample.arguments + ["--json"])
        #expect(try run.report().documents.map(\.selfAsserted) == [["org.example.device/now"]])
        #expect(try CommandRun(sample.arguments).output.contains("now (asserted by the phone itself)"))
    }
}

/// Q200: what is not verified shows no value, wherever it is written.
@Suite("Element values")
struct ElementValueTests {
    @Test(
        "Q200 If a response is refused, no output contains any of its values, whether requested or not",
        arguments: StoredCorpus.presentations.filter { !$0.isAccepted && $0.level != .profile })
    func refused(_ sample: StoredPresentation) throws {
        try CommandRun(sample.arguments + ["--show-values"]).expectNoValues(unless: false)
    }

    @Test(
        "The values looked for are those of the corpus: a verified response shows them, where asked",
        arguments: StoredCorpus.presentations(named: "ok.signature"))
    func verified(_ sample: StoredPresentation) throws {
        let values =
            sample.isOwn
            ? ["Testrup-Ødegård", "Lumi Séraphine", "UT-7700423519"] : ["Mustermann", "Érika", "0123456789"]
        let json = try CommandRun(sample.arguments + ["--json"])
        for value in values + ["_9j_4AAQ"] { #expect(json.output.contains(value), "\(value)") }
        let shown = try CommandRun(sample.arguments + ["--show-values"])
        for value in values + ["ffd8ffe0"] { #expect(shown.output.contains(value), "\(value)") }
        let names = try CommandRun(sample.arguments)
        #expect(names.status == 0)
        #expect(names.output.contains("family_name"))
        names.expectNoValues(unless: false)
    }
}

extension CommandRun {
    /// Texts of the documents of both corpora, and the beginning of the portrait in each form it could take.
    private static let values = [
        "Testrup", "Séraphine", "7700423519", "1986-11-01", "Mustermann", "Érika", "0123456789",
        "1986-03-14", "2034-01-14", "2024-01-15", "_9j_4AAQ", "/9j/4AAQ",
        "ffd8ffe0",
    ]

    func expectNoValues(unless isVerified: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        guard !isVerified else { return }
        for value in Self.values {
            #expect(!everything.contains(value), "\(value)", sourceLocation: sourceLocation)
        }
    }
}
