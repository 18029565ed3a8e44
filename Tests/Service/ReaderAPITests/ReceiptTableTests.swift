import Foundation
import ReaderStore
import RecordBench
import Testing

@testable import ReaderAPI

@Suite("Receipts as a table")
struct ReceiptTableTests {
    @Test(
        "A text that a spreadsheet would take for a formula begins with an apostrophe, and no other does",
        arguments: [
            ("=1+1", #""'=1+1""#), ("+1", #""'+1""#), ("-1", #""'-1""#), ("@SUM(A1)", #""'@SUM(A1)""#),
            ("\t=1", "\"'\t=1\""), ("counter-1", #""counter-1""#), ("", #""""#), ("a=b", #""a=b""#),
            (#"say "no", then"#, #""say ""no"", then""#),
        ])
    func formulas(_ text: String, _ field: String) {
        #expect(ReceiptTable.field(text) == field)
    }

    @Test("Outputs have a line of their own, which names the receipt of their presentation and each state")
    func outputs() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "table-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try ReaderStore(at: folder, for: .changing)
        let lock = NewOutput(accessory: try #require(ReceiptLabel("lock")))
        let lamp = NewOutput(accessory: try #require(ReceiptLabel("lamp")), isRefused: true)
        _ = try store.end(.sample("a"), first: .sample(), further: nil, outputs: [lock, lamp])
        _ = try store.settleOutputs()
        let lines = try store.receipts(atMost: 10).map { ReceiptTable.line(of: $0) }
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix(#""1","#) && lines[0].contains(#","counter-1","display","rental","#))
        #expect(!lines[0].contains("lock"))
        #expect(lines[1].hasPrefix(#""2","#) && lines[1].contains(#","counter-1","outputs","","#))
        #expect(lines[1].hasSuffix(#","1","lock=notGiven lamp=refused""# + "\r\n"))
        for line in lines {
            #expect(Self.count(line) == Self.count(ReceiptTable.heading))
        }
    }

    private static func count(_ line: String) -> Int { line.components(separatedBy: #"",""#).count }
}
