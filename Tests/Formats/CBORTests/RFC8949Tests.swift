import Testing
import VectorFiles

@testable import CBOR

@Suite("RFC 8949 examples")
struct RFC8949Tests {
    @Test("All published items are here")
    func complete() {
        #expect(RFC8949.wellFormed.count == 81)
        #expect(RFC8949.notWellFormed.count == 122)
    }

    @Test("A published item is written in diagnostic notation as published", arguments: RFC8949.wellFormed)
    func value(_ example: RFC8949.Item) throws {
        // The RFC is ASCII and escapes letters that we write as they are.
        let published = example.diagnostic
            .replacing("\\u00fc", with: "ü").replacing("\\u6c34", with: "水")
            .replacing("\\ud800\\udd51", with: "𐅑")
        #expect(try CBORItem.parse([UInt8](hex: example.hex)[...]).diagnostic() == published)
    }

    @Test(
        "An item in preferred serialization departs in no form, another does", arguments: RFC8949.wellFormed)
    func form(_ example: RFC8949.Item) throws {
        var form: EncodingForm = []
        _ = try CBORItem.parse([UInt8](hex: example.hex)[...], noting: &form)
        let isOpen = example.diagnostic.contains("_ ")
        #expect(form == (isOpen ? .indefiniteLength : []))
    }

    @Test(
        "An item that round-trips is written as it was read",
        arguments: RFC8949.wellFormed.filter(\.roundtrip))
    func roundTrip(_ example: RFC8949.Item) throws {
        let item = try CBORItem.parse([UInt8](hex: example.hex)[...])
        var encoder = CBOREncoder()
        guard encoder.write(item) else {
            #expect(example.isOutsideEncoder)
            return
        }
        #expect(encoder.bytes.hex == example.hex)
    }

    @Test("An item that is not well-formed is refused for its reason", arguments: RFC8949.notWellFormed)
    func notWellFormed(_ example: RFC8949.Failure) throws {
        let bytes = [UInt8](hex: example.hex)
        let error = #expect(throws: CBORError.self) { try CBORItem.parse(bytes[...]) }
        let reason = try #require(error)
        switch example.why {
        case "end of input in a head", "definite-length string with short data",
            "definite-length map/array not closed", "indefinite-length map/array not closed",
            "indefinite-length string not closed", "tag number not followed by content":
            guard case .truncated(at: let offset) = reason else {
                Issue.record("\(reason)")
                return
            }
            #expect(offset == bytes.count)
        case "reserved additional information 28-30", "indefinite length not allowed for this major type":
            #expect(reason == .reservedAdditionalInformation(at: 0) || bytes[0] == 0xfc || bytes.count > 1)
            guard case .reservedAdditionalInformation = reason else {
                Issue.record("\(reason)")
                return
            }
        case "two-byte simple value below 32": #expect(reason == .reservedSimpleValue(at: 0))
        case "indefinite string with a wrong chunk", "indefinite string inside indefinite string":
            #expect(reason == .misplacedChunk(at: 1))
        case "break outside indefinite item", "break in wrong place", "break as map value / odd item count":
            guard case .unexpectedBreak(at: let offset) = reason else {
                Issue.record("\(reason)")
                return
            }
            #expect(bytes[offset] == 0xff)
        default: Issue.record("an unknown class: \(example.why)")
        }
    }

    @Test("A published item with a byte after it is refused there", arguments: RFC8949.wellFormed)
    func trailing(_ example: RFC8949.Item) throws {
        let bytes = [UInt8](hex: example.hex)
        #expect(throws: CBORError.trailingBytes(at: bytes.count)) { try CBORItem.parse((bytes + [0])[...]) }
    }

    @Test("A published item without its last byte is refused at the end", arguments: RFC8949.wellFormed)
    func truncated(_ example: RFC8949.Item) throws {
        let bytes = [UInt8](hex: example.hex).dropLast()
        #expect(throws: CBORError.truncated(at: bytes.count)) { try CBORItem.parse(bytes) }
    }
}

extension RFC8949.Item {
    /// Floats, undefined and other simple values stand in no structure that is written.
    fileprivate var isOutsideEncoder: Bool {
        ["e", "f"].contains(hex.first) || hex.hasPrefix("c1fb")
    }
}

extension CBOREncoder {
    /// Writes what was read, by value; false where a type is met that no structure is written with.
    fileprivate mutating func write(_ item: CBORItem) -> Bool {
        switch item.value {
        case .unsigned(let value): unsigned(value)
        case .negative(let value):
            guard let value = Int64(exactly: value) else {
                // Beyond 64 bits with sign: written by the head alone.
                encoded(item.encoded)
                return true
            }
            integer(-1 - value)
        case .byteString(let bytes): byteString(bytes)
        case .text(let string): text(string)
        case .array(let items):
            array(count: items.count)
            for item in items where !write(item) { return false }
        case .map(let members):
            map(count: members.count)
            for member in members where !(write(member.key) && write(member.value)) { return false }
        case .tagged(let number, let item):
            tag(number)
            return write(item)
        case .boolean(let value): boolean(value)
        case .null: null()
        case .undefined, .simple, .float: return false
        }
        return true
    }
}
