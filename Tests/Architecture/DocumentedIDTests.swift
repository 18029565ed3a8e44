import Foundation
import Testing

/// The ids that programs may meet: those of the reference in `Documentation/command-line.md`, those that the sources define, and those that tests
/// expect.
enum DocumentedIDs {
    static let reference = SourceFile.text(of: "Documentation/command-line.md")

    /// The first column of every table of ids or rules, one set a table.
    static func tables(of page: String) -> [Set<String>] {
        page.matches(of: /(?m)^\| (?:id|rule) \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/).map { table in
            Set(table.1.matches(of: /(?m)^\| `([^`]+)` \|/).map { String($0.1) })
        }
    }

    /// The groups of ids that are listed in sentences.
    static let listedGroups = ["bundle.", "mock.", "receipt_chain.", "presentation.", "nonce."]

    /// The groups of which `listed` finds no id on a page, for example because a sentence has other words now.
    static func absentGroups(in page: String) -> [String] {
        let ids = listed(in: page)
        return listedGroups.filter { group in !ids.contains { $0.hasPrefix(group) } }
    }

    /// Those that are listed in a sentence instead: of bundles, mocks, chains of receipts, presentations and nonces.
    static func listed(in page: String) -> Set<String> {
        var ids = Set(page.matches(of: /`((?:bundle|mock|receipt_chain)\.[a-z_]+)`/).map { String($0.1) })
        for (prefix, sentence) in [
            ("presentation.", /refused as `presentation\.` and one of ((?:[^.]|\n)*?);/),
            ("nonce.", /`nonce\.`\s+(?:is\s+)?followed\s+by\s+([^.]*)\./),
        ] {
            for words in page.matches(of: sentence) {
                ids.formUnion(words.1.matches(of: /`([a-z0-9_]+)`/).map { prefix + $0.1 })
            }
        }
        return ids
    }

    /// Where the ids of each table are defined, and how: by the first id of the table, to tell the tables apart.
    static let definitions: [(first: String, files: [String], pattern: String)] = [
        (
            "age.attestation_answers", ["Sources/Mdoc/RequestPlanner/Intent/RequestPlannerError.swift"],
            #"case \w+ = "([a-z_.]+)""#
        ),
        ("issuer_certificate", ["Sources/Mdoc/MdocVerification/CheckID.swift"], #"case \w+ = "([a-z_]+)""#),
        (
            "input.malformed",
            [
                "Sources/Service/Reports/TransactionError.swift",
                "Sources/Mdoc/MdocVerification/ResponseVerification.swift",
            ], #"case \w+ = "([a-z0-9_.]+)""#
        ),
        (
            "session.copies_differ", ["Sources/Service/ReaderService/PresentationNote.swift"],
            #"case \w+ = "([a-z_]+\.[a-z_]+)""#
        ),
        ("cbor.indefinite_mso", ["Sources/Mdoc/MdocModel/Deviation.swift"], #"case \w+ = "([a-z0-9_.]+)""#),
        (
            "trust.anchor_twice",
            [
                "Sources/Mdoc/MdocTrust/Snapshot/TrustFinding.swift",
                "Sources/Mdoc/MdocTrust/Snapshot/TrustSnapshot+Admission.swift",
            ],
            #"case \.\w+: "([a-z_.]+)"$"#
        ),
        (
            "identity.busy",
            ["Sources/Service/ReaderIdentityStore/IdentityStoreError.swift"],
            #""(identity\.[a-z_]+)""#
        ),
        (
            "usb.power", ["Sources/Service/Doctor/DoctorCheck.swift"],
            #"case \w+ = "([A-Za-z.]+)""#
        ),
    ]

    /// What a pattern's group finds in the sources of these paths.
    static func defined(in files: [String], by pattern: String) throws -> Set<String> {
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        var ids: Set<String> = []
        for path in files {
            let file = try #require(SourceFile.sources.first { $0.path == path }, "\(path)")
            let text = file.code as NSString
            for match in expression.matches(in: file.code, range: NSRange(location: 0, length: text.length)) {
                ids.insert(text.substring(with: match.range(at: 1)))
            }
        }
        return ids
    }

    /// Words with dots, as they stand in string literals.
    static func words(inLiteralsOf code: String) -> Set<String> {
        var words: Set<String> = []
        for literal in code.matches(of: /"((?:[^"\\\n]|\\.)*)"/) {
            for word in literal.1.matches(of: /\w+(?:\.\w+)*/) { words.insert(String(word.0)) }
        }
        return words
    }

    /// The enum cases whose raw values are ids: the id by the name of its case.
    static func cases(in code: String) -> [String: Set<String>] {
        var cases: [String: Set<String>] = [:]
        for match in code.matches(of: /(?m)^\s*case (\w+) = "([\w.]+)"$/) {
            cases[String(match.2), default: []].insert(String(match.1))
        }
        return cases
    }

    /// The enum cases that a text names.
    static func names(in code: String) -> Set<String> {
        Set(code.matches(of: /\.(\w+)\b/).map { String($0.1) })
    }

    /// Those that are not `group.snake_case`.
    static func ungrouped(_ ids: Set<String>) -> [String] {
        ids.filter { $0.wholeMatch(of: /[a-z0-9_]+\.[a-z0-9_]+/) == nil }.sorted()
    }

    /// Those that no test expects: neither by their text nor by the case that has it as its raw value.
    static func unexpected(
        _ ids: Set<String>, words: Set<String>, names: Set<String>, cases: [String: Set<String>]
    ) -> [String] {
        ids.filter { id in
            !words.contains(id) && cases[id, default: []].isDisjoint(with: names)
        }.sorted()
    }
}

@Suite("Ids of the reference")
struct DocumentedIDTests {
    /// This folder spells out what it looks for.
    private static let tests = SourceFile.tests.filter { !$0.path.hasPrefix("Tests/Architecture/") }
    private static let tables = DocumentedIDs.tables(of: DocumentedIDs.reference)

    @Test("Every id in it is expected by a test")
    func expected() {
        let listed = DocumentedIDs.listed(in: DocumentedIDs.reference)
        let heads = DocumentedIDs.reference.matches(of: /(?m)^\| (?:id|rule) \|/)
        #expect(Self.tables.count == heads.count && Self.tables.allSatisfy { !$0.isEmpty } && !listed.isEmpty)
        let ids = Self.tables.reduce(listed) { $0.union($1) }
        let unexpected = DocumentedIDs.unexpected(
            ids,
            words: Self.tests.reduce(into: []) { $0.formUnion(DocumentedIDs.words(inLiteralsOf: $1.code)) },
            names: Self.tests.reduce(into: []) { $0.formUnion(DocumentedIDs.names(in: $1.code)) },
            cases: DocumentedIDs.cases(in: SourceFile.sources.map(\.code).joined(separator: "\n")))
        #expect(unexpected == [])
    }

    @Test("Every group of ids that sentences list is found there, and every id of a nonce")
    func listed() throws {
        let page = DocumentedIDs.reference
        #expect(DocumentedIDs.absentGroups(in: page) == [])
        let nonces = try DocumentedIDs.defined(
            in: ["Sources/Mdoc/WalletPresentation/Nonce/IssuedNonce.swift"],
            by: #"case \w+ = "(nonce\.[a-z_]+)""#)
        #expect(!nonces.isEmpty)
        #expect(DocumentedIDs.listed(in: page).filter { $0.hasPrefix("nonce.") } == nonces)
    }

    @Test("The twin: a sentence in other words is missed, and its group is absent")
    func absentGroups() {
        let other = DocumentedIDs.reference.replacingOccurrences(of: "followed", with: "continued")
        #expect(DocumentedIDs.absentGroups(in: other) == ["nonce."])
        #expect(DocumentedIDs.absentGroups(in: "") == DocumentedIDs.listedGroups)
        let page = "The id is `nonce.` followed\nby `a_b` or `c`. Else `nonce.` is followed by `d`. And `e`."
        #expect(DocumentedIDs.listed(in: page) == ["nonce.a_b", "nonce.c", "nonce.d"])
    }

    @Test("Every id that the sources define stands in its table, and no other")
    func defined() throws {
        for (first, files, pattern) in DocumentedIDs.definitions {
            let table = try #require(Self.tables.first { $0.contains(first) }, "\(first)")
            #expect(try DocumentedIDs.defined(in: files, by: pattern) == table, "\(first)")
        }
    }

    @Test("Every id in it has a group; names of checks and of outcomes have their own form")
    func grouped() {
        let ids = Self.tables.filter { $0.isDisjoint(with: ["issuer_certificate", "reader.found"]) }
        #expect(ids.count == Self.tables.count - 2)
        let found = ids.flatMap { DocumentedIDs.ungrouped($0.subtracting(["declined", "cancelled"])) }
        #expect(found == [])
    }

    @Test("The twin: an id without a group or in another style is found")
    func ungrouped() {
        #expect(
            DocumentedIDs.ungrouped([
                "trust.older", "older", "trust.isOlder", "trust-older", "trust.", "bench_link.x2",
            ])
                == ["older", "trust-older", "trust.", "trust.isOlder"])
    }

    @Test("Every act of a chain's audit log is a row of fleet.md, and no other")
    func acts() throws {
        let page = SourceFile.text(of: "Documentation/fleet.md")
        let table = try #require(page.firstMatch(of: /(?m)^\| act \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/)).1
        let named = table.matches(of: /(?m)^\| (.*?) \|/).flatMap { $0.1.matches(of: /`(\w+)`/) }
        let acts = try DocumentedIDs.defined(
            in: ["Sources/Fleet/FleetHub/Database/AuditLog.swift"], by: #"^ +case (\w+)$"#)
        #expect(acts.count == 7 && Set(named.map { String($0.1) }) == acts)
    }

    @Test("The twin: an id is found by its whole text or its case, and in code alone")
    func recognised() {
        let page = "| id | meaning |\n|---|---|\n| `a.b` | x |\n| `c` | y |\n\n| part |\n|---|\n| `d` |\n"
        #expect(DocumentedIDs.tables(of: page) == [["a.b", "c"]])
        let cases = DocumentedIDs.cases(in: "    case other = \"a.b\"\n")
        for (code, isExpected) in [
            (#"#expect(id == "a.b")"#, true), (#"let outcome = "rejected a.b,""#, true),
            ("return .other", true), (#"let id = "a.bc""#, false), (#"let id = "x.a.b""#, false),
            ("a.b.c()", false), ("return .others", false),
        ] {
            let unexpected = DocumentedIDs.unexpected(
                ["a.b"], words: DocumentedIDs.words(inLiteralsOf: code),
                names: DocumentedIDs.names(in: code), cases: cases)
            #expect(unexpected.isEmpty == isExpected, "\(code)")
        }
    }
}
