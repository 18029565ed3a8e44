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
}
