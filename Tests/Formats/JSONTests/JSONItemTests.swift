import JSON
import Testing

@Suite("JSON texts (RFC 8259, RFC 7493)")
struct JSONItemTests {
    private static func parse(_ text: String) throws(JSONError) -> JSONItem {
        try JSONItem.parse(Array(text.utf8)[...])
    }

    @Test("Each kind of value is read, with white space of any kind around it")
    func values() throws {
        let object = try Self.parse(
            " {\"a\" : [ 1 , -2,0, true ,false,null],\r\n\t\"b\":{}, \"c\": [] , \"d\":\"x\"} ")
        let members = try object.members("a", "b", "c", "d")
        let values = try members.required("a").array().map(\.value)
        #expect(
            values == [.integer(1), .integer(-2), .integer(0), .boolean(true), .boolean(false), .null])
        #expect(try members.required("b").value == .object([]))
        #expect(try members.required("c").array().isEmpty)
        #expect(try members.required("d").string() == "x")
        #expect(try Self.parse("true").boolean())
    }

    static let strings: [(text: String, value: String)] = [
        (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e4\u6C34""#, "Aä水"),
        (#""\ud83d\ude00""#, "😀"), (#""ä水😀""#, "ä水😀"), (#""\u0000""#, "\0"), ("\"\u{7f}\"", "\u{7f}"),
        (#""ab\ncd\"ef""#, "ab\ncd\"ef"), (#""ä\u0041水\\x""#, "äA水\\x"),
    ]

    @Test("Strings are read with their escapes", arguments: strings)
    func string(_ text: String, _ value: String) throws {
        #expect(try Self.parse(text).string() == value)
    }

    static let malformed: [(text: String, error: JSONError)] = [
        ("", .truncated(at: 0)), (" ", .truncated(at: 1)), ("[", .truncated(at: 1)),
        ("[1", .truncated(at: 2)),
        ("[1,", .truncated(at: 3)), ("{\"a\"", .truncated(at: 4)), ("\"a", .truncated(at: 2)),
        ("-", .truncated(at: 1)), ("1.", .truncated(at: 2)), ("1e", .truncated(at: 2)),
        ("tru", .truncated(at: 3)), ("1 2", .trailingBytes(at: 2)), ("{}x", .trailingBytes(at: 2)),
        ("\"a\"\0", .trailingBytes(at: 3)), ("[1,]", .unexpectedByte(at: 3)),
        ("[,1]", .unexpectedByte(at: 1)),
        ("{,}", .unexpectedByte(at: 1)), ("{\"a\":1,}", .unexpectedByte(at: 7)),
        ("{1:1}", .unexpectedByte(at: 1)),
        ("{\"a\" 1}", .unexpectedByte(at: 5)), ("[1 2]", .unexpectedByte(at: 3)),
        ("[1}", .unexpectedByte(at: 2)),
        ("truE", .unexpectedByte(at: 3)), ("NaN", .unexpectedByte(at: 0)), ("+1", .unexpectedByte(at: 0)),
        (".5", .unexpectedByte(at: 0)), ("1.e1", .unexpectedByte(at: 2)), ("'a'", .unexpectedByte(at: 0)),
        ("/**/1", .unexpectedByte(at: 0)), ("\u{feff}1", .unexpectedByte(at: 0)),
        ("01", .numberMalformed(at: 0)), ("-00", .numberMalformed(at: 0)),
        ("\"\n\"", .stringMalformed(at: 1)), ("\"ab\\ncd\n\"", .stringMalformed(at: 7)),
        ("\"\\x\"", .stringMalformed(at: 1)),
        ("\"\\u12g4\"", .stringMalformed(at: 5)), ("\"\\udc00\"", .stringMalformed(at: 1)),
        ("\"\\ud800\\u0041\"", .stringMalformed(at: 1)), ("\"\\ud800x\"", .unexpectedByte(at: 7)),
        ("{\"a\":1,\"a\":2}", .duplicateMember(at: 7)), (#"{"a":1,"\u0061":2}"#, .duplicateMember(at: 7)),
        ("{\"x\":[{\"a\":1,\"a\":1}]}", .duplicateMember(at: 13)),
    ]

    @Test(
        "What is no JSON text, or two readers might take differently, is refused where it is",
        arguments: malformed)
    func isMalformed(_ text: String, _ error: JSONError) {
        #expect(throws: error) { try Self.parse(text) }
    }

    @Test(
        "A string that is not UTF-8 is refused",
        arguments: [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe6, 0xb0], [0x61, 0x5c, 0x6e, 0x62, 0xff],
        ])
    func invalidUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.invalidUTF8(at: 0)) { try JSONItem.parse(([0x22] + bytes + [0x22])[...]) }
    }

    @Test("A number is an integer as it stands, or none")
    func numbers() throws {
        #expect(try Self.parse("9223372036854775807").integer() == .max)
        #expect(try Self.parse("-9223372036854775808").integer() == .min)
        for text in [
            "9223372036854775808", "1.0", "1e3", "1E+3", "-0.5e-1", "1\(String(repeating: "0", count: 99))",
        ] {
            #expect(try Self.parse(text).value == .otherNumber, "\(text)")
            #expect(throws: JSONError.unexpectedType(expected: .integer, at: 0)) {
                try Self.parse(text).integer()
            }
        }
    }

    @Test("Nesting and length end at their limits, and not before")
    func limits() throws {
        func nested(_ depth: Int) -> ArraySlice<UInt8> {
            (Array(repeating: UInt8(ascii: "["), count: depth)
                + Array(repeating: UInt8(ascii: "]"), count: depth))[...]
        }
        _ = try JSONItem.parse(nested(16))
        #expect(throws: JSONError.tooDeep(at: 16)) { try JSONItem.parse(nested(17)) }
        #expect(throws: JSONError.tooDeep(at: 16)) { try JSONItem.parse(nested(30_000)) }
        _ = try JSONItem.parse(nested(2), limits: (bytes: 4, depth: 2))
        #expect(throws: JSONError.tooLong(limit: 3)) {
            try JSONItem.parse(nested(2), limits: (bytes: 3, depth: 2))
        }
    }

    @Test("An object has the members it is asked for, no others, and none by another spelling")
    func members() throws {
        let object = try Self.parse(#" {"K": 1, "b": "x"}"#)
        let members = try object.members("K", "b", "c")
        #expect(try members.required("K").integer() == 1)
        #expect(members["c"] == nil)
        #expect(throws: JSONError.missingMember("c", at: 1)) { try members.required("c") }
        #expect(throws: JSONError.unknownMember(at: 10)) { try object.members("K") }
        // The Kelvin sign is canonically equivalent to the letter.
        #expect(throws: JSONError.unknownMember(at: 1)) { try Self.parse("{\"\u{212a}\": 1}").members("K") }
        for text in ["[]", "1", "null", "\"\""] {
            #expect(throws: JSONError.unexpectedType(expected: .object, at: 0)) {
                try Self.parse(text).members()
            }
        }
    }

    @Test("A value of another type is named with the place where it stands")
    func types() throws {
        let items = try Self.parse(#"[1, "a", true, [], {}, null]"#).array()
        for (index, item) in items.enumerated() {
            let found: [Bool] = [
                (try? item.integer()) != nil, (try? item.string()) != nil, (try? item.boolean()) != nil,
                (try? item.array()) != nil, (try? item.members()) != nil, false,
            ]
            #expect(found == (0..<6).map { $0 == index && index < 5 })
        }
        #expect(throws: JSONError.unexpectedType(expected: .string, at: 1)) { try items[0].string() }
        #expect(throws: JSONError.unexpectedType(expected: .boolean, at: 4)) { try items[1].boolean() }
        #expect(throws: JSONError.unexpectedType(expected: .array, at: 9)) { try items[2].array() }
    }

    @Test("Offsets and lines are those of the received buffer")
    func places() throws {
        let text = Array("??{\n\"a\":\n 1}".utf8)
        let item = try JSONItem.parse(text[2...])
        let number = try item.members("a").required("a")
        #expect(item.offset == 2 && number.offset == 10)
        #expect(JSONItem.line(of: number.offset, in: text[2...]) == 3)
        #expect(JSONItem.line(of: item.offset, in: text[2...]) == 1)
        #expect(JSONItem.line(of: 99, in: text[2...]) == 3)
    }

    @Test("What was read does not describe itself")
    func redacted() throws {
        let item = try Self.parse(#"{"secret": "value"}"#)
        for text in ["\(item)", String(reflecting: item)] { #expect(!text.contains("value"), "\(text)") }
        var dumped = ""
        dump(item, to: &dumped)
        #expect(!dumped.contains("value"))
    }
}
