import CBOR
import Testing
import VectorFiles

@Suite("Diagnostic notation")
struct DiagnosticNotationTests {
    @Test(
        "A head that is longer than needed shows how long it is, and a shortest one nothing",
        arguments: [
            ("00", "0"), ("1800", "0_0"), ("190001", "1_1"), ("1a00000001", "1_2"),
            ("1b0000000000000001", "1_3"),
            ("3800", "-1_0"), ("4101", "h'01'"), ("580101", "h'01'_0"), ("780161", "\"a\"_0"),
            ("980101", "[_0 1]"), ("b8010102", "{_0 1: 2}"), ("d8184100", "24(h'00')"),
            ("d900184100", "24_1(h'00')"),
        ])
    func indicators(_ hex: String, _ expected: String) throws {
        #expect(try CBORItem.parse([UInt8](hex: hex)[...]).diagnostic() == expected)
    }

    @Test(
        "Empty strings of indefinite length keep their type",
        arguments: [("5fff", "''_"), ("7fff", "\"\"_"), ("bfff", "{_ }")])
    func emptyIndefinite(_ hex: String, _ expected: String) throws {
        #expect(try CBORItem.parse([UInt8](hex: hex)[...]).diagnostic() == expected)
    }

    @Test(
        "Floats switch to an exponent where the RFC's examples do",
        arguments: [
            ("fb444b1ae4d6e2ef50", "1.0e+21"), ("fb4415af1d78b58c40", "100000000000000000000.0"),
            ("fb3eb0c6f7a0b5ed8d", "0.000001"), ("fb3e7ad7f29abcaf48", "1.0e-7"),
            ("fb40934a456d5cfaad", "1234.5678"),
            ("fb8000000000000000", "-0.0"),
        ])
    func floats(_ hex: String, _ expected: String) throws {
        #expect(try CBORItem.parse([UInt8](hex: hex)[...]).diagnostic() == expected)
    }

    @Test("Tag 24 is opened only when asked, and only where it holds an item")
    func tag24() throws {
        var notation = DiagnosticNotation()
        notation.opensTag24 = true
        let item = try CBORItem.parse([UInt8](hex: "82d81841a0f5")[...])
        #expect(item.diagnostic(notation) == "[24(<<{}>>), true]")
        #expect(item.diagnostic() == "[24(h'a0'), true]")
        let broken = try CBORItem.parse([UInt8](hex: "d81841a1")[...])
        #expect(broken.diagnostic(notation) == "24(h'a1')")
    }

    @Test("Byte strings at the positions named are opened, and others are not")
    func embeddedItems() throws {
        var notation = DiagnosticNotation()
        notation.embeddedItems = { _ in [0] }
        let item = try CBORItem.parse([UInt8](hex: "8241f541f5")[...])
        #expect(item.diagnostic(notation) == "[<<true>>, h'f5']")
    }

    @Test("Long strings are cut, and say how long they are")
    func cut() throws {
        var notation = DiagnosticNotation()
        notation.longestByteString = 2
        notation.longestText = 2
        #expect(try CBORItem.parse([UInt8](hex: "420102")[...]).diagnostic(notation) == "h'0102'")
        #expect(
            try CBORItem.parse([UInt8](hex: "43010203")[...]).diagnostic(notation) == "h'0102'... / 3 bytes /"
        )
        #expect(
            try CBORItem.parse([UInt8](hex: "6461626364")[...]).diagnostic(notation)
                == "\"ab\"... / 4 bytes /")
    }

    @Test("A comment cannot end itself and smuggles no control characters")
    func comments() throws {
        var notation = DiagnosticNotation()
        notation.comment = { _ in "a / b\u{1b}[2J" }
        #expect(try CBORItem.parse([UInt8](hex: "4100")[...]).diagnostic(notation) == "h'00' / a . b.[2J /")
    }

    @Test("Indented, what is short stays on its line")
    func indented() throws {
        var notation = DiagnosticNotation()
        notation.isIndented = true
        let short = [UInt8](hex: "a1616182f5f4")
        #expect(try CBORItem.parse(short[...]).diagnostic(notation) == "{\"a\": [true, false]}")
        let long = CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            for key in ["a", "b"] {
                encoder.text(key)
                encoder.byteString([UInt8](repeating: 7, count: 20))
            }
        }
        let bytes = String(repeating: "07", count: 20)
        #expect(
            try CBORItem.parse(long[...]).diagnostic(notation)
                == "{\n  \"a\": h'\(bytes)',\n  \"b\": h'\(bytes)'\n}")
    }

    @Test("An item in tag 24 stands on the line of its tag, and its members one step in")
    func indentedTag24() throws {
        var notation = DiagnosticNotation()
        notation.isIndented = true
        notation.opensTag24 = true
        let inner = CBOREncoder.encode { encoder in
            encoder.array(count: 1)
            encoder.byteString([UInt8](repeating: 7, count: 40))
        }
        let bytes = EncodedCBOR<Never>(embedding: inner).bytes
        let digits = String(repeating: "07", count: 40)
        #expect(try CBORItem.parse(bytes).diagnostic(notation) == "24(<<[\n  h'\(digits)'\n]>>)")
    }

    @Test("The notation ends where it grows beyond its limit, however much is left")
    func bounded() throws {
        var notation = DiagnosticNotation()
        notation.isIndented = true
        notation.longestNotation = 1000
        let many = CBOREncoder.encode { encoder in
            encoder.array(count: 100_000)
            for _ in 0..<100_000 { encoder.unsigned(1) }
        }
        let text = try CBORItem.parse(many[...]).diagnostic(notation)
        #expect(text.utf8.count < 1200)
        #expect(text.hasSuffix("... / truncated: the notation is longer than shown /"))
    }

    @Test("Items embedded in one another beyond all use end as bytes, not in a crash")
    func nestedEmbedding() throws {
        var notation = DiagnosticNotation()
        notation.opensTag24 = true
        var nested: [UInt8] = [0xf5]
        for _ in 0..<3000 { nested = Array(EncodedCBOR<Never>(embedding: nested).bytes) }
        let text = try CBORItem.parse(nested[...]).diagnostic(notation)
        #expect(text.contains("<<24(<<"))
        #expect(text.contains("24(h'd818"))
    }

    @Test(
        "Integers of any size have their decimal digits, other items none",
        arguments: [
            ("1bffffffffffffffff", "18446744073709551615"), ("3b7fffffffffffffff", "-9223372036854775808"),
            ("c240", "0"), ("c340", "-1"),
            ("c25001000000000000000000000000000000", "1329227995784915872903807060280344576"),
            ("f5", nil), ("c16130", nil),
        ] as [(String, String?)])
    func decimals(_ hex: String, _ expected: String?) throws {
        #expect(try CBORItem.parse([UInt8](hex: hex)[...]).decimalInteger == expected)
    }
}
