import Foundation
import Testing
import VectorFiles

/// The version number is in `Version.swift`. The package reads it there; what cannot read it is compared with it here.
@Suite("The version number")
struct VersionTests {
    private static let source = "Sources/Service/VersionNumber/Version.swift"

    private static func text(of path: String) throws -> String {
        try String(contentsOf: VectorFiles.repository.appending(path: path), encoding: .utf8)
    }

    private static func number(in source: String) -> String? {
        source.firstMatch(of: /static let number = "([^"]+)"/).map { String($0.1) }
    }

    /// That of a changelog's first section.
    private static func newest(in changelog: String) -> String? {
        changelog.firstMatch(of: /(?m)^## (\S+)/).map { String($0.1) }
    }

    private struct Document: Decodable {
        struct Info: Decodable { let version: String }
        let info: Info
    }

    @Test("Changelog, OpenAPI document and package have the number of Version.swift")
    func one() throws {
        let number = try #require(Self.number(in: Self.text(of: Self.source)))
        #expect(number.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
        #expect(try Self.newest(in: Self.text(of: "Documentation/CHANGELOG.md")) == number)
        let json = try Self.text(of: "Sources/Service/ReaderAPI/OpenAPI/openapi.json")
        #expect(try JSONDecoder().decode(Document.self, from: Data(json.utf8)).info.version == number)
        let script = try Self.text(of: "Hardware/Packaging/packing")
        #expect(script.contains(#"static let number = "\(.*\)"/\1/p' "$root"/\#(Self.source)"#))
        for control in ["control", "hub/control"] {
            let text = try Self.text(of: "Hardware/Packaging/debian/\(control)")
            #expect(text.contains("\nVersion: @VERSION@\n"), "\(control)")
        }
    }

    @Test("No source and no file of the package says the number a second time")
    func once() throws {
        let number = try #require(Self.number(in: Self.text(of: Self.source)))
        let files = SourceFile.sources + SourceFile.all(in: "Hardware/Packaging", "")
        #expect(files.filter { $0.code.contains(number) }.map(\.path) == [Self.source])
    }

    @Test("The twin: a number is found where it is declared, and nowhere else")
    func twin() {
        #expect(Self.number(in: #"package static let number = "0.2.0""#) == "0.2.0")
        #expect(Self.number(in: #"package static let other = "0.2.0""#) == nil)
        #expect(Self.newest(in: "# Changelog\n\n## 0.2.0 (not released)\n\n## 0.1.0\n") == "0.2.0")
        #expect(Self.newest(in: "# Changelog\n\n### 0.2.0\n") == nil)
    }
}
