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
                "Sources/Commands/countersign/Doctor/DoctorCheck.swift",
            ], by: #"case \w+ = "([A-Za-z_]+\.[A-Za-z_]+)""#)
        let named = try Self.named(groups)
        #expect(!defined.isEmpty && defined.subtracting(named).isEmpty)
        #expect(named.subtracting(defined).subtracting(others).isEmpty)
    }
}
