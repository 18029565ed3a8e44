import Foundation
import Testing
import VectorFiles

@testable import ReaderAPI
@testable import Doctor
@testable import countersign

@Suite("Texts that a user may read")
struct UserFacingTextTests {
    @Test("All of them are in .build/user-facing-texts.md, for a person to read from top to bottom")
    func page() throws {
        let page = UserFacingTexts.page
        let folder = VectorFiles.repository.appending(path: ".build")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(page.utf8).write(to: folder.appending(path: "user-facing-texts.md"), options: .atomic)
        #expect(page.split(separator: "\n").count > 700)
        for layer in TextGroup.Layer.allCases { #expect(page.contains("\n## \(layer.rawValue)\n")) }
        for line in [
            "- `CBORError.truncated` — the bytes end inside an item (byte 7)",
            "- `store.no_space` (ReaderStoreError.noSpace) — there is no space left",
        ] {
            #expect(page.contains("\n\(line)"))
        }
    }

    @Test(
        "Each is in plain words, in the form of its group, and says what to do",
        arguments: UserFacingTexts.groups)
    func rules(_ group: TextGroup) {
        #expect(!group.entries.isEmpty)
        #expect(TextRules.findings(in: group) == [])
    }

    private static func findings(
        _ texts: String..., id: String? = nil, form: TextGroup.Form = .clause,
        ids: TextGroup.IDForm = .grouped, hasAdvice: Bool = false
    ) -> [String] {
        TextRules.findings(
            in: TextGroup(
                type: "Sample", layer: .formats, form: form, ids: ids, hasAdvice: hasAdvice,
                entries: texts.enumerated().map {
                    TextGroup.Entry(name: "Sample.\($0.offset)", id: id, text: $0.element)
                }))
    }

    @Test(
        "The twin: a text that breaks a rule is found",
        arguments: [
            ("", "no text"), ("The phone left", "begins like a sentence"),
            ("the phone left.", "ends like a sentence"), ("the phone left: ", "ends like a sentence"),
            ("the list is due", "write must be"), ("the phone \u{1b}[31m left", "steers a terminal"),
            ("family_name is Testrup", "has the value Testrup"),
        ])
    func brokenText(_ text: String, _ fault: String) {
        #expect(Self.findings(text).contains { $0.contains(fault) })
    }

    @Test("The twin: names, quoted words and paths may begin a text, and one that is twice is found")
    func beginnings() {
        let texts = [
            "the phone left", "\"lanes\" is missing", "/etc/x cannot be read", "OpenSSL failed",
            "Bluetooth ended", "--store takes a folder", "48 hours are over", "CN=Utopia has expired",
        ]
        for text in texts { #expect(Self.findings(text) == []) }
        #expect(Self.findings("the phone left", "it took long", "the phone left").count == 1)
        #expect(Self.findings("Tap again.", form: .sentence) == [])
        #expect(Self.findings("tap again", form: .sentence).count == 2)
    }

    @Test(
        "The twin: a text says what to do, or it is found",
        arguments: [
            ("the reader hangs: pull it out", true), ("pcscd does not run: install it", true),
            ("the reader hangs and nobody knows why", false), ("must be a path", true),
            ("the adapter of that name is not there", false), ("nothing is kept here: it was removed", false),
        ])
    func advice(_ text: String, _ hasAdvice: Bool) {
        #expect(Self.findings(text, hasAdvice: true).isEmpty == hasAdvice)
    }

    @Test(
        "The twin: an id has the form of its group, or it is found",
        arguments: [
            ("store.no_space", [.grouped, .wordOrGrouped, .camelCase]),
            ("no_space", [.word, .wordOrGrouped]), ("noSpace", [.camelCase]), ("pcsc-no-reader", []),
            ("store.noSpace", [.groupedCamelCase]), ("", []),
            ("reader.found", [.grouped, .wordOrGrouped, .camelCase, .groupedCamelCase]),
        ] as [(String, [TextGroup.IDForm])])
    func ids(_ id: String, _ forms: [TextGroup.IDForm]) {
        for form in [TextGroup.IDForm.grouped, .word, .wordOrGrouped, .camelCase, .groupedCamelCase] {
            #expect(Self.findings("the disk is full", id: id, ids: form).isEmpty == forms.contains(form))
        }
    }

    @Test("Each case of an enum is sampled once, and a circle is not endless")
    func samples() {
        #expect(AdapterSample.samples == [.one, .two])
        #expect(CircleSample.samples.count == 100)
    }

    private enum AdapterSample: SampledCases {
        case one, two

        static func sample(after previous: Self?) -> Self? {
            switch previous {
            case nil: .one
            case .one?: .two
            case .two?: nil
            }
        }
    }

    private enum CircleSample: SampledCases {
        case one

        static func sample(after previous: Self?) -> Self? { .one }
    }

    @Test("Literals are read as a user sees them, with what is put into them left out")
    func literals() throws {
        let source = #"""
            throw .usage("\(path): no \"file\"" + " at \(a(b("c")))")
            throw .usage("--policy: there are "
                + names.joined(separator: ", "))
            throw .malformed("\(option): \(error.explanation)")
            return .other("not one")
            """#
        let found = try TextsInPlace.entries(of: TextsInPlace.commandFailure, in: source, at: "a.swift")
        #expect(found.map(\.text) == ["…: no \"file\" at …", "--policy: there are …"])
        let groups = try TextsInPlace.groups()
        #expect(groups.reduce(0) { $0 + $1.entries.count } > 300)
        #expect(groups.allSatisfy { !$0.entries.isEmpty })
    }

    @Test("Every id of doctor and of the HTTP API is there with its text")
    func idsWithTexts() {
        let listed = Set(UserFacingTexts.groups.flatMap(\.entries).compactMap(\.id))
        #expect(DoctorCheck.ID.allCases.filter { !listed.contains($0.rawValue) } == [])
        // They pass on the texts of reader faults and of the registry of brands.
        #expect(
            APIProblem.ID.allCases.filter { !listed.contains($0.rawValue) }
                == [.readerUnavailable, .brandUnavailable])
        #expect(!listed.contains("reader.lost"))
    }

    /// Types with texts that have no group, and why.
    private static let others = [
        "FleetDocumentError": "is of the fleet, which the command line does not have",
        "FleetFolderError": "is of the fleet, which the command line does not have",
        "FleetTrustError": "is of the fleet, which the command line does not have",
        "HubError": "is of the fleet, which the command line does not have",
        "PortraitFault": "is part of what a report says of a portrait",
        "PostgreSQLError": "is of the fleet's tables, which the command line does not have",
        "TokenKeyFileError": "is of the daemon and the hub, which read the keys",
        "LaneReadiness": "passes on the advice of a fault",
        "StatusWord": "is part of `inspect`, which shows messages and reports no error",
        "TextForm": "is part of what is said of a file or an answer of that form",
        "VICALEntryFault": "is part of the finding about its entry",
        "VICALMemberFault": "is part of the finding about its entry",
        "TransactionReport": "puts the texts of others together",
    ]

    @Test("Every type of Sources that explains itself has its group")
    func complete() {
        let files = TextsInPlace.swiftFiles(in: "Sources")
        let explained = files.reduce(into: Set<String>()) { $0.formUnion(Self.explained(in: $1.text)) }
        let listed = Set(UserFacingTexts.groups.map(\.type))
        #expect(explained.count > 50)
        #expect(explained.subtracting(listed).sorted() == Self.others.keys.sorted())
    }

    @Test("The twin: a type that explains itself is found by its last name")
    func explanations() {
        let source = """
            extension A.B {
                /// x
                package var explanation: String { "" }
            }
            struct C { var other: String }
            enum D {
                func advice(for x: Int) -> String { "" }
            }
            """
        #expect(Self.explained(in: source) == ["B", "D"])
    }

    /// The types of a source that have a text of this kind. Words, not expressions, which took 40 s for all of Sources.
    private static func explained(in source: String) -> Set<String> {
        var type = ""
        var types: Set<String> = []
        for line in source.split(separator: "\n") {
            if let name = word(after: ["extension", "enum", "struct", "class", "actor"], in: line) {
                type = name.split(separator: ".").last.map(String.init) ?? ""
            } else if line.hasPrefix("    "), let name = word(after: ["var", "func"], in: line.dropFirst(4)),
                ["explanation", "advice", "meaning", "errorDescription"].contains(name)
            {
                types.insert(type)
            }
        }
        return types
    }

    /// The name that a line declares by one of these words, after its modifiers.
    private static func word(after keywords: Set<String>, in line: Substring) -> String? {
        guard let first = line.first, first.isLowercase else { return nil }
        let words = line.split(separator: " ", maxSplits: 6)
        guard let index = words.firstIndex(where: { keywords.contains(String($0)) }), index + 1 < words.count,
            words[..<index].allSatisfy({ $0.allSatisfy(\.isLowercase) })
        else { return nil }
        return String(words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
    }
}
