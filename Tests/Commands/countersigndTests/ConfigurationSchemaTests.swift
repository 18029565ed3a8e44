import Foundation
import OtherPrograms
import Testing
import VectorFiles

@Suite("The JSON Schema of the configuration")
struct ConfigurationSchemaTests {
    private static func printed() async throws -> String {
        let run = try BuiltProgram("countersignd", ["schema"])
        try #require(try await run.ended() == 0)
        return run.output
    }

    private static func schema() async throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(try await printed().utf8))
        return try #require(object as? [String: Any])
    }

    /// The schema with the value at a path of members replaced.
    private static func changed(
        _ schema: [String: Any], at path: [String], _ change: (Any?) -> Any?
    ) -> [String: Any] {
        var schema = schema
        guard let name = path.first else { return schema }
        if path.count == 1 {
            schema[name] = change(schema[name])
        } else {
            schema[name] = changed(schema[name] as? [String: Any] ?? [:], at: Array(path.dropFirst()), change)
        }
        return schema
    }

    @Test("The published file is what the program prints")
    func published() async throws {
        let file = VectorFiles.repository.appending(path: "Hardware/Packaging/countersignd.schema.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(
            text == (try await Self.printed()),
            "write it anew: swift run countersignd schema > Hardware/Packaging/countersignd.schema.json")
    }

    @Test(
        "Parser and schema agree on every member: accepted, refused beside its edges, its default, its effect"
    )
    func agreement() async throws {
        let disagreements = SchemaAgreement.disagreements(of: try await Self.schema())
        #expect(disagreements == [])
    }

    @Test(
        "The twin: a schema that differs from the parser in one place is found",
        arguments: [
            ("a maximum", ["properties", "endSeconds", "maximum"], "/endSeconds: 301 is refused"),
            (
                "a minimum", ["properties", "limits", "properties", "listeners", "minimum"],
                "/limits/listeners: 1 is taken"
            ),
            (
                "a default", ["properties", "clockSkewSeconds", "default"],
                "/clockSkewSeconds: 61 is not the default"
            ),
        ])
    func twin(_ what: String, _ path: [String], _ expected: String) async throws {
        let schema = Self.changed(try await Self.schema(), at: path) { ($0 as? Int).map { $0 + 1 } }
        #expect(SchemaAgreement.disagreements(of: schema).contains(expected), "\(what)")
    }

    @Test("The twin: a member too many, one too few and a word too many are found")
    func membersTwin() async throws {
        let schema = try await Self.schema()
        let extra = Self.changed(schema, at: ["properties", "extra"]) { _ in ["type": "boolean"] }
        #expect(SchemaAgreement.disagreements(of: extra).contains { $0.hasPrefix("/extra: ") })
        let word = Self.changed(schema, at: ["properties", "log", "enum"]) {
            ($0 as? [String]).map { $0 + ["loud"] }
        }
        #expect(SchemaAgreement.disagreements(of: word).contains("/log: loud is refused"))
    }

    @Test("A rule on several members names no member that the schema does not have")
    func membersOfRules() async throws {
        let text = try await Self.printed()
        let folder = VectorFiles.repository.appending(path: "Sources/Commands/countersignd")
        var read: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.lastPathComponent.hasPrefix("DaemonConfiguration") {
            let code = try String(contentsOf: file, encoding: .utf8)
            for match in code.matches(
                of: /(?:members\[|required\(|missing\(|member\(|\.init\(of: )(".+?")[\])]/)
            {
                read.formUnion(match.1.split(separator: /[", ]+/).map(String.init))
            }
        }
        for name in ["fleet", "readerTokens", "from", "nfcV2", "connection", "lanes"] {
            #expect(read.contains(name), "\(name)")
        }
        for name in read { #expect(text.contains("\"\(name)\": {"), "\(name)") }
    }

    @Test("What counts seconds is named for it, and the other way round")
    func units() async throws {
        for match in try await Self.printed().matches(
            of: /"(\w+)": \{\n\s+"type": "integer"(?:[^{}]|\n)*"x-countersign": \{\n\s+"value": "([^"]*)"/)
        {
            #expect(match.1.hasSuffix("Seconds") == match.2.hasSuffix(", seconds"), "\(match.1): \(match.2)")
        }
    }

    @Test("The reference page is made from the schema, and a change of either is found")
    func page() async throws {
        let page = VectorFiles.repository.appending(path: "Documentation/configuration.md")
        let schema = try await Self.printed()
        #expect(
            try Self.check(page.path, schema) == 0,
            "write it anew: swift run countersignd schema | Hardware/Packaging/configuration-reference page Documentation/configuration.md"
        )
        let text = try String(contentsOf: page, encoding: .utf8)
        let copy = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID()).md")
        defer { try? FileManager.default.removeItem(at: copy) }
        try Data(text.replacing("whole 1–300, seconds", with: "whole 1–301, seconds").utf8).write(to: copy)
        #expect(try Self.check(copy.path, schema) == 1)
        #expect(try Self.check(page.path, schema.replacing("\"default\": 60", with: "\"default\": 61")) == 1)
        try Data(text.replacing("<!-- members online -->", with: "").utf8).write(to: copy)
        #expect(try Self.check(copy.path, schema) == 1)
    }

    private static func check(_ page: String, _ schema: String) throws -> Int32 {
        let input = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: input) }
        try Data(schema.utf8).write(to: input)
        let process = Process()
        process.executableURL = VectorFiles.repository.appending(
            path: "Hardware/Packaging/configuration-reference")
        process.arguments = ["check", page]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
