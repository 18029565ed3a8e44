import Foundation
import Testing

@Suite("The page on troubleshooting")
struct TroubleshootingTests {
    private static let page = SourceFile.text(of: "Documentation/troubleshooting.md")

    /// The ids of these groups in the first columns of the page's tables.
    private static func named(_ groups: String) throws -> Set<String> {
        let column = page.matches(of: /(?m)^\| ([^|]*) \|/).map { String($0.1) }.joined(separator: "\n")
        let expression = try NSRegularExpression(pattern: "`((?:\(groups))\\.[a-z_]+)`")
        let text = column as NSString
        let matches = expression.matches(in: column, range: NSRange(location: 0, length: text.length))
        return Set(matches.map { text.substring(with: $0.range(at: 1)) })
    }

    /// The ids of the tables between these two lines of the page.
    private static func ids(from first: String, to last: String) -> Set<String> {
        let part = page.split(separator: first).dropFirst().first?.split(separator: last).first ?? ""
        let column = part.matches(of: /(?m)^\| ([^|]*) \|/).map { String($0.1) }.joined(separator: "\n")
        return Set(column.matches(of: /`([A-Za-z0-9_.]+)`/).map { String($0.1) })
    }

    @Test(
        "Every problem of the API and every reason of an outcome has a row, and no row is of one that is not")
    func problems() throws {
        let text = SourceFile.text(of: "Sources/Service/ReaderAPI/OpenAPI/openapi.json")
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let schemas = (document?["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
        let members = schemas?["Problem"]?["properties"] as? [String: [String: Any]]
        // Held to the code by the tests of the document.
        let problems = Set(try #require(members?["id"]?["enum"] as? [String]))
        let rest = "The `reasons` of a presentation are ids"
        #expect(Self.ids(from: "Answers to orders over HTTP have an id:", to: rest) == problems)
        let source = SourceFile.text(of: "Sources/Service/Reports/OutcomeReason.swift")
        let reasons = source.matches(of: /(?m)^ +case (\w+)(?: = "([\w.]+)")?$/).map { $0.2 ?? $0.1 }
        #expect(Self.ids(from: rest, to: "\n## ") == Set(reasons.map(String.init)))
        #expect(problems.count > 70 && reasons.count > 5)
    }

    @Test(
        "Every fault of readers, radio and connections has a row, and no row is of a fault that is not",
        arguments: [
            ("Sources/Transports/Transport/ReaderFault.swift", "pcsc|bench_link"),
            ("Sources/Transports/Transport/RadioFault.swift", "bluez|connection"),
        ])
    func faults(_ file: String, _ groups: String) throws {
        let defined = try DocumentedIDs.defined(in: [file], by: #"case \w+ = "([a-z_]+\.[a-z_]+)""#)
        let others = try DocumentedIDs.defined(
            in: [
                "Sources/Service/Reports/TransactionError.swift",
                "Sources/Service/Doctor/DoctorCheck.swift",
            ], by: #"case \w+ = "([A-Za-z_]+\.[A-Za-z_]+)""#)
        let named = try Self.named(groups)
        #expect(!defined.isEmpty && defined.subtracting(named).isEmpty)
        #expect(named.subtracting(defined).subtracting(others).isEmpty)
    }

    @Test("Every check of doctor has a row, at a reader and at a hub")
    func checks() throws {
        let ids = try DocumentedIDs.defined(
            in: ["Sources/Service/Doctor/DoctorCheck.swift"], by: #"case \w+ = "([A-Za-z]+\.[A-Za-z]+)""#)
        #expect(ids.count > 30 && ids.filter { !Self.page.contains("\n| `\($0)` | ") }.isEmpty)
    }
}
