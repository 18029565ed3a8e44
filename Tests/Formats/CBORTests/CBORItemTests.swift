import CBOR
import Testing
import VectorFiles

@Suite("CBOR items")
struct CBORItemTests {
    @Test(
        "Text has to be UTF-8, chunk by chunk",
        arguments: [
            ("a continuation alone", "6180"), ("two bytes, one there", "61c3"), ("overlong", "62c080"),
            ("a surrogate", "63eda080"), ("beyond U+10FFFF", "64f4908080"), ("no such byte", "61ff"),
            ("a character across two chunks", "7f61c361bcff"), ("in a key", "a161c300"),
            ("in a nested array", "8161c3"),
        ])
    func utf8(_ name: String, hex: String) {
        let error = #expect(throws: CBORError.self, "\(name)") { try CBORItem.parse([UInt8](hex: hex)[...]) }
        guard case .invalidUTF8 = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Whole characters may stand in chunks of their own; bytes need no UTF-8")
    func chunks() throws {
        let text = try CBORItem.parse([UInt8](hex: "7f 62c3bc 60 6161 ff")[...])
        #expect(try text.text() == "üa")
        let bytes = try CBORItem.parse([UInt8](hex: "5f 41c3 41bc ff")[...])
        #expect(try Array(bytes.byteString()) == [0xc3, 0xbc])
    }

    @Test("Strings are slices of the buffer with its indices, whatever the buffer starts at")
    func slices() throws {
        let buffer = [UInt8](hex: "ffffff 82 43010203 d818 44 83010203 ffff")
        let item = try CBORItem.parse(buffer[3..<15])
        #expect(item.offset == 3)
        let fields = Array(try item.array())
        try #require(fields.count == 2)
        let string = try fields[0].byteString()
        #expect(string.indices == 5..<8)
        #expect(string.elementsEqual(buffer[5..<8]))
        let embedded = fields[1]
        #expect(embedded.encoded.indices == 8..<15)
        let encoded = try EncodedCBOR<Never>(embedded)
        #expect(encoded.bytes.indices == 8..<15)
        #expect(encoded.content.indices == 11..<15)
        #expect(try encoded.item().array().map { try $0.unsigned() } == [1, 2, 3])
    }

    @Test("An error tells the index in the buffer it came in")
    func offsets() {
        let buffer = [UInt8](hex: "ffff 820100 ffff")
        #expect(throws: CBORError.trailingBytes(at: 5)) { try CBORItem.parse(buffer[2..<6]) }
        #expect(throws: CBORError.truncated(at: 4)) { try CBORItem.parse(buffer[2..<4]) }
        #expect(throws: CBORError.unexpectedType(expected: .map, at: 2)) {
            try CBORItem.parse(buffer[2..<5]).map()
        }
        #expect(throws: CBORError.truncated(at: 2)) { try CBORItem.parse(buffer[2..<2]) }
    }

    @Test(
        "A typed question to an item of another type names what was expected",
        arguments: [
            "00", "20", "40", "60", "80", "a0", "c000", "f4", "f6", "f7", "f93c00", "f0",
        ])
    func types(_ hex: String) throws {
        let item = try CBORItem.parse([UInt8](hex: hex)[...])
        let major = [UInt8](hex: hex)[0] >> 5
        let isBoolean = hex == "f4"
        func check<T>(_ expected: CBORType, isIt: Bool, _ question: () throws(CBORError) -> T) {
            do throws(CBORError) {
                _ = try question()
                #expect(isIt)
            } catch {
                #expect(!isIt)
                #expect(error == .unexpectedType(expected: expected, at: 0))
            }
        }
        check(.unsigned, isIt: major == 0) { () throws(CBORError) in try item.unsigned() }
        check(.integer, isIt: major <= 1) { () throws(CBORError) in try item.integer() }
        check(.byteString, isIt: major == 2) { () throws(CBORError) in try item.byteString() }
        check(.textString, isIt: major == 3) { () throws(CBORError) in try item.text() }
        check(.array, isIt: major == 4) { () throws(CBORError) in try item.array() }
        check(.map, isIt: major == 5) { () throws(CBORError) in try item.map() }
        check(.tag(0), isIt: major == 6) { () throws(CBORError) in try item.tagged(0) }
        check(.tag(24), isIt: false) { () throws(CBORError) in try item.tagged(24) }
        check(.boolean, isIt: isBoolean) { () throws(CBORError) in try item.boolean() }
        #expect(item.isNullOrUndefined == (hex == "f6" || hex == "f7"))
        #expect(item.untagged(0).encoded.count == (hex == "c000" ? 1 : item.encoded.count))
    }

    @Test(
        "Integers keep their value up to 64 bits with sign, and are refused beyond",
        arguments: [
            ("1b7fffffffffffffff", Int64.max), ("3b7fffffffffffffff", Int64.min), ("3863", -100),
            ("1864", 100),
        ])
    func integers(_ hex: String, value: Int64) throws {
        #expect(try CBORItem.parse([UInt8](hex: hex)[...]).integer() == value)
        #expect(CBOREncoder.encode { $0.integer(value) }.hex == hex)
    }

    @Test(
        "An integer beyond 64 bits with sign is out of range",
        arguments: ["1b8000000000000000", "3b8000000000000000"])
    func integersBeyond(_ hex: String) throws {
        let item = try CBORItem.parse([UInt8](hex: hex)[...])
        #expect(throws: CBORError.outOfRange(at: 0)) { try item.integer() }
    }

    @Test("Members are found by key, in any order and any form, and others are not")
    func members() throws {
        let map = try CBORItem.parse([UInt8](hex: "bf 7f6161ff 01 1800 02 3800 03 6162 04 ff")[...]).map()
        #expect(try map["a"]?.unsigned() == 1)
        #expect(try map[0]?.unsigned() == 2)
        #expect(try map[-1]?.unsigned() == 3)
        #expect(try map["b"]?.unsigned() == 4)
        #expect(map["c"] == nil)
        #expect(map[1] == nil)
        #expect(map[-2] == nil)
        #expect(map.count == 4)
        let bytesKey = try CBORItem.parse([UInt8](hex: "a1416101")[...]).map()
        #expect(bytesKey["a"] == nil)
    }

    static let forms: [(String, EncodingForm)] = [
        ("83010203", EncodingForm([])), ("9f010203ff", .indefiniteLength), ("5f4101ff", .indefiniteLength),
        ("bfff", .indefiniteLength), ("1817", .longerHead), ("1818", []), ("1900ff", .longerHead),
        ("190100", []),
        ("1a0000ffff", .longerHead), ("1a00010000", []), ("1b00000000ffffffff", .longerHead),
        ("1b0000000100000000", []), ("5801 00", .longerHead), ("d80000", .longerHead),
        ("81a1011800", .longerHead),
        ("a1180102", .longerHead), ("9f1800ff", [.indefiniteLength, .longerHead]),
        ("5f580101ff", [.indefiniteLength, .longerHead]),
        ("fb3ff0000000000000", []), ("f97e00", []),
    ]

    @Test("Q141 The form of an encoding is reported, and only when it departs", arguments: forms)
    func form(_ hex: String, expected: EncodingForm) throws {
        var form: EncodingForm = []
        _ = try CBORItem.parse([UInt8](hex: hex)[...], noting: &form)
        #expect(form == expected)
    }

    @Test(
        "Q140 An embedded item keeps the bytes it came with, longer heads and chunks too",
        arguments: [
            "d81843010203", "d8185803010203", "da0000001843010203", "d8185f4101420203ff",
        ])
    func embedded(_ hex: String) throws {
        let bytes = [UInt8](hex: hex)
        let encoded = try EncodedCBOR<Never>(CBORItem.parse(bytes[...]))
        #expect(Array(encoded.bytes) == bytes)
        #expect(encoded.content.hex == "010203")
        #expect(throws: CBORError.trailingBytes(at: encoded.content.startIndex + 1)) { try encoded.item() }
    }

    @Test(
        "What is no byte string under tag 24 is no embedded item",
        arguments: [
            ("43010203", .unexpectedType(expected: .tag(24), at: 0)),
            ("d81783010203", .unexpectedType(expected: .tag(24), at: 0)),
            ("d81883010203", .unexpectedType(expected: .byteString, at: 2)),
            ("d8186161", .unexpectedType(expected: .byteString, at: 2)),
        ] as [(String, CBORError)])
    func notEmbedded(_ hex: String, error: CBORError) {
        #expect(throws: error) { try EncodedCBOR<Never>(CBORItem.parse([UInt8](hex: hex)[...])) }
    }

    @Test(
        "An item that we embed has the shortest head for its size",
        arguments: [
            (0, "d81840"), (23, "d81857"), (24, "d8185818"), (255, "d81858ff"), (256, "d818590100"),
            (65_535, "d81859ffff"), (65_536, "d8185a00010000"),
        ])
    func embedding(_ count: Int, head: String) {
        let content = [UInt8](repeating: 9, count: count)
        let encoded = EncodedCBOR<Never>(embedding: content)
        #expect(encoded.bytes.hex == head + content.hex)
        #expect(Array(encoded.content) == content)
        #expect(EncodedCBOR<Never>.head(contentCount: count).hex == head)
    }

    @Test("An item does not show what it holds")
    func redacted() throws {
        let item = try CBORItem.parse(Array([0x63] + "Doe".utf8)[...])
        var dumped = ""
        dump(item, to: &dumped)
        let encoded = EncodedCBOR<Never>(embedding: [0x63] + "Doe".utf8)
        dump(encoded, to: &dumped)
        for text in ["\(item)", String(reflecting: item), dumped, "\(encoded)", String(reflecting: encoded)] {
            #expect(!text.contains("Doe"))
            #expect(!text.contains("68, 111"))
        }
    }
}
