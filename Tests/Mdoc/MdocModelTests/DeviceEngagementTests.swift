import CBOR
import COSE
import Foundation
import MdocModel
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("DeviceEngagement")
struct DeviceEngagementTests {
    @Test("Q42 Every version 1 goes on, whatever its minor number", arguments: ["1.0", "1.1", "1.2", "1.99"])
    func versions(_ version: String) throws {
        let engagement = try EngagementParts(version: CBOREncoder.encode { $0.text(version) }).parse()
        #expect(engagement.version == version)
    }

    @Test("Q42 Another major number is refused", arguments: ["2.0", "0.9", "10.0", "", "11", "v1.0", "1,0"])
    func otherVersions(_ version: String) {
        let parts = EngagementParts(version: CBOREncoder.encode { $0.text(version) })
        #expect(throws: MdocModelError.unsupportedVersion(.deviceEngagement)) { try parts.parse() }
    }

    @Test("Q42 Apple's engagement is read: version 1.1, keys 5 and 6")
    func apple() throws {
        var parts = EngagementParts(more: [(5, "80"), (6, "a203f504f5")])
        parts.version = CBOREncoder.encode { $0.text("1.1") }
        let engagement = try parts.parse()
        #expect(engagement.capabilities == [.readerAuthAll, .extendedRequest])
        #expect(engagement.retrievalMethods.isEmpty)
        #expect(engagement.malformedMembers.isEmpty)
        #expect(Array(engagement.bytes) == parts.encoded())
    }

    @Test(
        "Q43 Unknown keys are ignored",
        arguments: [(7, "00"), (4, "f6"), (100, "a16161f5"), (-1, "80"), (-77, "6161")])
    func unknownKeys(_ key: Int, value: String) throws {
        let engagement = try EngagementParts.with((Int64(key), value))
        #expect(engagement.malformedMembers.isEmpty)
        #expect(Array(engagement.bytes) == EngagementParts(more: [(Int64(key), value)]).encoded())
    }

    @Test("Q43 Text as a key is ignored too")
    func textKey() throws {
        var bytes = EngagementParts(more: [(7, "00")]).encoded()
        bytes.replaceSubrange(bytes.count - 2..<bytes.count, with: [UInt8](hex: "616100"))
        let engagement = try DeviceEngagement(bytes[...])
        #expect(engagement.malformedMembers.isEmpty)
        #expect(Array(engagement.bytes) == bytes)
    }

    @Test(
        "Q43 A known key of the wrong shape is dropped and noted",
        arguments: [
            (2, "01"), (2, "a10102"), (2, "6161"), (3, "80"), (3, "00"),
            (5, "81646f72672e"),
            (5, "00"), (5, "a0"), (6, "80"), (6, "01"), (6, "f5"),
        ])
    func malformed(_ key: Int, value: String) throws {
        let engagement = try EngagementParts.with((Int64(key), value))
        #expect(engagement.malformedMembers == [Int64(key)])
        #expect(engagement.retrievalMethods.isEmpty)
        #expect(engagement.capabilities.isEmpty)
    }

    @Test(
        "Q43 A known key of the right shape is not noted",
        arguments: [
            (2, "80"), (2, "a0"), (2, "f6"), (3, "a0"), (5, "80"), (5, "81a0"),
            (5, "81a363636174016474797065016764657461696c73a0"),
            (6, "a0"), (6, "a102f5"), (6, "a202f51863f5"),
        ])
    func wellShaped(_ key: Int, value: String) throws {
        #expect(try EngagementParts.with((Int64(key), value)).malformedMembers.isEmpty)
    }

    @Test(
        "Q168 A capability counts only where it is true",
        arguments: [
            ("a0", EngagementCapabilities([])), ("a102f5", .handoverSessionEstablishment),
            ("a103f5", .readerAuthAll),
            ("a104f5", .extendedRequest), ("a203f404f5", .extendedRequest), ("a10401", []), ("a104f6", []),
            ("a16134f5", []),
            ("a302f503f504f5", [.handoverSessionEstablishment, .readerAuthAll, .extendedRequest]),
        ] as [(String, EngagementCapabilities)])
    func capabilities(_ value: String, expected: EngagementCapabilities) throws {
        #expect(try EngagementParts.with((6, value)).capabilities == expected)
    }

    @Test(
        "Q44 The bytes stay as received, in forms that we would not write",
        arguments: [
            "bf0063312e300182 01", "a2 18 00 63312e30 01 82 01",
            "a2 1b0000000000000000 7f 61 31 62 2e30 ff 01 82 1801",
        ])
    func otherForms(_ opening: String) throws {
        var bytes = [UInt8](hex: opening) + EngagementParts.keyBytes
        if opening.hasPrefix("bf") { bytes.append(0xff) }
        let engagement = try DeviceEngagement(bytes[...])
        #expect(engagement.version == "1.0")
        #expect(Array(engagement.bytes) == bytes)
        #expect(Array(engagement.eDeviceKeyBytes.bytes) == EngagementParts.keyBytes)
        let transcript = SessionTranscript(
            deviceEngagement: engagement.bytes, eReaderKey: engagement.eDeviceKeyBytes, handover: .qr)
        #expect(transcript.deviceEngagementBytes?.content.elementsEqual(bytes) == true)
        #expect(transcript.encoded.hex.contains(bytes.hex))
    }

    @Test("Q45 The transcript takes a key as it came, members in any order and form")
    func keyForms() throws {
        let map = try CBORItem.parse(EngagementParts.keyBytes[...]).tagged(24).byteString()
        let members = Array(try CBORItem.parse(map).map())
        let turned: [UInt8] =
            [0xbf] + members.reversed().flatMap { Array($0.key.encoded) + Array($0.value.encoded) } + [0xff]
        let bytes = EncodedCBOR<COSEKey>(embedding: turned)
        let engagement = try EngagementParts(security: [0x82, 0x01] + bytes.bytes).parse()
        #expect(try engagement.eDeviceKey.publicKey().x.hex.hasPrefix("5a88d182"))
        #expect(Array(engagement.eDeviceKeyBytes.content) == turned)
        let transcript = SessionTranscript(
            deviceEngagement: engagement.bytes, eReaderKey: engagement.eDeviceKeyBytes,
            handover: .nfc(select: [1, 2], request: nil))
        let stored = try SessionTranscript(stored: transcript.encoded)
        #expect(stored.eReaderKeyBytes?.content.elementsEqual(turned) == true)
        #expect(transcript.encoded.suffix(5).hex == "82420102f6")
    }

    @Test("A transcript without engagement is read again, and refused with only one of its two parts")
    func withoutEngagement() throws {
        let transcript = SessionTranscript { $0.text("x") }
        #expect(transcript.encoded.hex == "83f6f66178")
        let stored = try SessionTranscript(stored: transcript.encoded)
        #expect(stored.eReaderKeyBytes == nil && stored.deviceEngagementBytes == nil)
        #expect(stored.encoded == transcript.encoded)
        let part = Array(EncodedCBOR<COSEKey>(embedding: [0xa0]).bytes)
        let refused: [([UInt8], CBORError)] = [
            ([0x83] + part + [0xf6, 0xf6], .unexpectedType(expected: .tag(24), at: 1 + part.count)),
            ([0x83, 0xf6] + part + [0xf6], .unexpectedType(expected: .tag(24), at: 1)),
            ([0x82, 0xf6, 0xf6], .missingMember(at: 0)),
        ]
        for (bytes, error) in refused {
            #expect(throws: MdocModelError.malformed(.sessionTranscript, error)) {
                try SessionTranscript(stored: bytes[...])
            }
        }
    }

    @Test("Without version or security there is no engagement")
    func missing() throws {
        let missing = MdocModelError.malformed(.deviceEngagement, .missingMember(at: 0))
        #expect(throws: missing) { try EngagementParts(version: nil).parse() }
        #expect(throws: missing) { try EngagementParts(security: nil).parse() }
    }

    @Test("Another cipher suite is refused by its number", arguments: [0, 2, 23])
    func cipherSuite(_ suite: UInt8) {
        let parts = EngagementParts(security: [0x82, suite] + EngagementParts.keyBytes)
        #expect(throws: MdocModelError.unsupportedCipherSuite(UInt64(suite))) { try parts.parse() }
    }

    @Test(
        "Security of another shape is refused",
        arguments: [
            ("80", .malformed(.deviceEngagement, .missingMember(at: 7))),
            ("8101", .malformed(.deviceEngagement, .missingMember(at: 7))),
            ("820100", .malformed(.deviceEngagement, .unexpectedType(expected: .tag(24), at: 9))),
            ("82f601", .malformed(.deviceEngagement, .unexpectedType(expected: .unsigned, at: 8))),
            ("a0", .malformed(.deviceEngagement, .unexpectedType(expected: .array, at: 7))),
            ("820143010203", .malformed(.deviceEngagement, .unexpectedType(expected: .tag(24), at: 9))),
            ("8201d8184101", .cose(.deviceEngagement, .malformed(.key))),
        ] as [(String, MdocModelError)])
    func securityShape(_ hex: String, error: MdocModelError) {
        #expect(throws: error) { try EngagementParts(security: [UInt8](hex: hex)).parse() }
    }

    @Test("Q48 A key on a curve we do not know stops here, by name")
    func unknownCurve() {
        var key = EngagementParts.keyBytes
        // crv: 8, a number that IANA gave to no curve of cipher suite 1.
        key[8] = 0x08
        #expect(throws: MdocModelError.cose(.deviceEngagement, .keyNotUsable)) {
            try EngagementParts(security: [0x82, 0x01] + key).parse()
        }
    }

    @Test(
        "What is no map, nothing, or more than one item is refused",
        arguments: [
            ("", .truncated(at: 0)), ("80", .unexpectedType(expected: .map, at: 0)),
            ("01", .unexpectedType(expected: .map, at: 0)), ("a0a0", .trailingBytes(at: 1)),
            ("a0", .missingMember(at: 0)),
        ] as [(String, CBORError)])
    func malformedEngagement(_ hex: String, error: CBORError) {
        #expect(throws: MdocModelError.malformed(.deviceEngagement, error)) {
            try DeviceEngagement([UInt8](hex: hex)[...])
        }
    }

    @Test("An engagement cut anywhere is refused")
    func cut() throws {
        let bytes = EngagementParts(more: [(5, "80"), (6, "a203f504f5")]).encoded()
        for count in 0..<bytes.count {
            #expect(throws: MdocModelError.malformed(.deviceEngagement, .truncated(at: count))) {
                try DeviceEngagement(bytes[..<count])
            }
        }
    }

    @Test("An engagement does not show its key")
    func redacted() throws {
        let engagement = try EngagementParts().parse()
        var dumped = ""
        dump(engagement, to: &dumped)
        for text in ["\(engagement)", String(reflecting: engagement), dumped] {
            #expect(!text.contains("90, 136") && !text.lowercased().contains("5a88"))
        }
    }
}
