import Testing
import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("DER")
struct DERReaderTests {
    @Test("Lengths in shortest form are read", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536])
    func lengths(count: Int) throws {
        let contents = [UInt8](repeating: 7, count: count)
        let encoded = DERWriter.encode { $0.write(DERTag.octetString, contents: contents) }
        var reader = DERReader(encoded[...])
        #expect(try reader.read(DERTag.octetString) == contents[...])
        try reader.finish()
        var cut = DERReader(encoded.dropLast())
        #expect(throws: PKIXError.truncated(at: 0)) { try cut.readElement() }
    }

    @Test("Indefinite, padded and oversized lengths and long tags are refused at their place")
    func malformedHeads() {
        let cases: [(String, PKIXError)] = [
            ("0480", .lengthNotDistinguished(at: 1)), ("30800000", .lengthNotDistinguished(at: 1)),
            ("04817f" + String(repeating: "00", count: 127), .lengthNotDistinguished(at: 1)),
            ("04820080" + String(repeating: "00", count: 128), .lengthNotDistinguished(at: 1)),
            ("0485010000000000", .lengthNotDistinguished(at: 1)), ("04ff", .lengthNotDistinguished(at: 1)),
            ("0484ffffffff00", .truncated(at: 0)), ("0482", .truncated(at: 1)), ("04", .truncated(at: 0)),
            ("", .truncated(at: 0)), ("0401", .truncated(at: 0)), ("1f0100", .unexpectedTag(at: 0)),
            ("bf8101020500", .unexpectedTag(at: 0)),
        ]
        for (hex, error) in cases {
            #expect(throws: error, "\(hex)") {
                var reader = DERReader(hex.bytes[...])
                _ = try reader.readElement()
            }
        }
    }

    @Test("Sixteen levels may be entered and not one more")
    func depth() throws {
        var encoded: [UInt8] = []
        for _ in 0..<17 { encoded = DERWriter.encode { $0.write(DERTag.sequence, contents: encoded) } }
        var reader = DERReader(encoded[...])
        for _ in 0..<16 { reader = try reader.enter(DERTag.sequence) }
        #expect(throws: PKIXError.nestedTooDeeply(at: 32)) { _ = try reader.enter(DERTag.sequence) }
    }

    @Test("Offsets count from the start of the received buffer")
    func offsets() {
        let buffer = "ffff3003020100".bytes
        var reader = DERReader(buffer[2...])
        #expect(throws: PKIXError.unexpectedTag(at: 2)) { _ = try reader.read(DERTag.set) }
        #expect(throws: PKIXError.trailingBytes(at: 2)) { try reader.finish() }
    }

    @Test("Integers and booleans have one form each")
    func values() throws {
        for (hex, value) in [("020100", ""), ("020101", "01"), ("02020080", "80"), ("02027fff", "7fff")] {
            var reader = DERReader(hex.bytes[...])
            #expect(try reader.readUnsignedInteger().hex == value)
            #expect(DERWriter.encode { $0.writeInteger(unsigned: value.bytes) }.hex == hex)
        }
        for hex in ["0200", "02020001", "0202007f", "0202ff80", "020180", "0201ff", "0202ff7f"] {
            var reader = DERReader(hex.bytes[...])
            #expect(throws: PKIXError.valueMalformed(at: 0), "\(hex)") {
                _ = try reader.readUnsignedInteger()
            }
        }
        for (hex, value) in [("0101ff", true), ("010100", false)] {
            var reader = DERReader(hex.bytes[...])
            #expect(try reader.readBoolean() == value)
        }
        for hex in ["010101", "0100", "0102ffff"] {
            var reader = DERReader(hex.bytes[...])
            #expect(throws: PKIXError.valueMalformed(at: 0)) { _ = try reader.readBoolean() }
        }
        for hex in ["0205ffffffff00", "0205010000000000", "0204ffffffff", "020500ffffffff"] {
            var reader = DERReader(hex.bytes[...])
            #expect(throws: PKIXError.valueMalformed(at: 0), "\(hex)") {
                _ = try reader.readSmallInteger()
            }
        }
        var largest = DERReader("02047fffffff".bytes[...])
        #expect(try largest.readSmallInteger() == Int(Int32.max))
    }
}

@Suite("Object identifiers")
struct ObjectIdentifierTests {
    @Test("Dotted and encoded form belong together")
    func forms() {
        let cases = [
            ("1.2.840.10045.4.3.2", "2a8648ce3d040302"), ("2.5.29.15", "551d0f"), ("2.999.3", "883703"),
            ("1.0.18013.5.1.2", "28818c5d050102"), ("0.0", "00"), ("1.39", "4f"), ("2.40", "78"),
        ]
        for (dotted, hex) in cases {
            #expect(ObjectIdentifier(dotted: dotted)?.encoded.hex == hex)
            #expect(ObjectIdentifier(encoded: hex.bytes[...])?.description == dotted)
        }
    }

    @Test("What is no identifier is refused")
    func refused() {
        for dotted in ["", "1", "3.1", "1.40", "1..2", "1.2.", "1.-2", "a.b", "1.2.72057594037927936"] {
            #expect(ObjectIdentifier(dotted: dotted) == nil, "\(dotted)")
        }
        for hex in ["", "80", "8001", "2a80", "2a8001", "2a86"] {
            #expect(ObjectIdentifier(encoded: hex.bytes[...]) == nil, "\(hex)")
        }
    }

    @Test("An arc of 128 bits is kept and shown as an ellipsis")
    func largeArc() throws {
        let uuid = "69" + String(repeating: "ff", count: 18) + "7f"
        let identifier = try #require(ObjectIdentifier(encoded: uuid.bytes[...]))
        #expect(identifier.description == "2.25.…")
        #expect(identifier.encoded.hex == uuid)
    }
}

@Suite("Times in certificates")
struct DERTimeTests {
    private static func seconds(_ tag: UInt8, _ text: String) throws -> Int64 {
        var reader = DERReader(DERWriter.encode { $0.write(tag, contents: Array(text.utf8)) }[...])
        return try DERTime.seconds(of: reader.readElement())
    }

    @Test("Moments have one number and one text")
    func moments() throws {
        let cases: [(UInt8, String, Int64)] = [
            (DERTag.utcTime, "700101000000Z", 0), (DERTag.utcTime, "691231235959Z", -1),
            (DERTag.utcTime, "500101000000Z", -631_152_000), (DERTag.utcTime, "491231235959Z", 2_524_607_999),
            (DERTag.generalizedTime, "20500101000000Z", 2_524_608_000),
            (DERTag.utcTime, "000229120000Z", 951_825_600), (DERTag.utcTime, "240229000000Z", 1_709_164_800),
            (DERTag.generalizedTime, "99991231235959Z", 253_402_300_799),
            (DERTag.generalizedTime, "00000101000000Z", -62_167_219_200),
            (DERTag.generalizedTime, "21000228235959Z", 4_107_542_399),
            (DERTag.generalizedTime, "21000301000000Z", 4_107_542_400),
        ]
        for (tag, text, seconds) in cases {
            #expect(try Self.seconds(tag, text) == seconds, "\(text)")
            let written = DERTime.text(ofSeconds: seconds)
            #expect(written.tag == tag, "\(text)")
            #expect(written.contents == Array(text.utf8), "\(text)")
        }
    }

    @Test("Missing seconds, fractions, offsets and days that are none are refused")
    func refused() {
        let cases: [(UInt8, String)] = [
            (DERTag.utcTime, "7001010000Z"), (DERTag.utcTime, "700101000000"),
            (DERTag.utcTime, "700101000000+0000"),
            (DERTag.utcTime, "19700101000000Z"), (DERTag.generalizedTime, "700101000000Z"),
            (DERTag.generalizedTime, "20200101000000.5Z"), (DERTag.utcTime, "230229000000Z"),
            (DERTag.generalizedTime, "21000229000000Z"), (DERTag.utcTime, "200431000000Z"),
            (DERTag.utcTime, "201301000000Z"), (DERTag.utcTime, "200001000000Z"),
            (DERTag.utcTime, "200100000000Z"),
            (DERTag.utcTime, "200101240000Z"), (DERTag.utcTime, "200101006000Z"),
            (DERTag.utcTime, "200101000060Z"),
            (DERTag.utcTime, "2001010000 0Z"), (DERTag.utcTime, ""), (DERTag.utcTime, "700101000000z"),
        ]
        for (tag, text) in cases {
            #expect(throws: PKIXError.valueMalformed(at: 0), "\(text)") {
                try Self.seconds(tag, text)
            }
        }
        #expect(throws: PKIXError.unexpectedTag(at: 0)) {
            try Self.seconds(DERTag.octetString, "700101000000Z")
        }
    }
}
