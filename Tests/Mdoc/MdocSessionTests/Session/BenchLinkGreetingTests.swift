import CBOR
import COSE
import MdocModel
import MdocSession
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("Bench link greeting")
struct BenchLinkGreetingTests {
    private let first: [UInt8]
    private let second: [UInt8]

    init() throws {
        first = SessionPair.engagement(COSEKeyPair(try PrivateKey.generate(.p256)))
        second = SessionPair.engagement(COSEKeyPair(try PrivateKey.generate(.p256)))
    }

    private func greeting(
        engagement: [UInt8]? = nil, select: [UInt8]? = nil, request: [UInt8]? = nil
    ) -> BenchLinkGreeting {
        BenchLinkGreeting(
            qr: EngagementURI.text(for: first), deviceEngagement: engagement ?? first, handoverSelect: select,
            handoverRequest: request)
    }

    private func frame(_ members: [(String, [UInt8])]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: members.count)
            for (key, value) in members {
                encoder.text(key)
                encoder.encoded(value)
            }
        }
    }

    private var members: [(String, [UInt8])] {
        [
            ("qr", CBOREncoder.encode { $0.text(EngagementURI.text(for: first)) }),
            ("deviceEngagement", CBOREncoder.encode { $0.byteString(first) }),
            ("handoverSelect", [0xf6]), ("handoverRequest", [0xf6]),
        ]
    }

    @Test("What is written is read back, each handover message there or not")
    func written() throws {
        for greeting in [
            greeting(), greeting(select: [1, 2]), greeting(select: [1], request: [2]), greeting(request: [3]),
            greeting(select: [], request: []),
        ] {
            #expect(try BenchLinkGreeting(greeting.encoded()[...]) == greeting)
        }
    }

    @Test("The frame has exactly the four members of its definition")
    func members_() throws {
        #expect(greeting().encoded() == frame(members))
    }

    @Test("Without handover messages the engagement is the QR's, whatever else is said")
    func qr() throws {
        let (engagement, handover) = try greeting(engagement: second).engagement()
        #expect(Array(engagement.bytes) == first)
        #expect(handover == .qr)
        let (other, still) = try greeting(engagement: second, request: [9]).engagement()
        #expect(Array(other.bytes) == first)
        #expect(still == .qr)
    }

    @Test("With a Handover Select the transcript takes both messages as given")
    func nfc() throws {
        let (engagement, handover) = try greeting(engagement: second, select: [1], request: [2]).engagement()
        #expect(Array(engagement.bytes) == second)
        #expect(handover == .nfc(select: [1], request: [2]))
        let (_, staticHandover) = try greeting(select: [1]).engagement()
        #expect(staticHandover == .nfc(select: [1], request: nil))
    }

    @Test("Unknown members are ignored and never trusted")
    func unknown() throws {
        let more: [(String, [UInt8])] = [
            ("eReaderKey", CBOREncoder.encode { $0.byteString(second) }), ("verified", [0xf5]),
            ("trust", [0xa0]),
            ("sessionTranscript", CBOREncoder.encode { $0.byteString([1]) }),
        ]
        let read = try BenchLinkGreeting(frame(members + more)[...])
        #expect(read == greeting())
        #expect(read.encoded() == frame(members))
        let (engagement, handover) = try read.engagement()
        #expect(Array(engagement.bytes) == first)
        #expect(handover == .qr)
    }

    @Test("Absent handover messages are as null ones")
    func absent() throws {
        #expect(try BenchLinkGreeting(frame(Array(members.prefix(2)))[...]) == greeting())
    }

    @Test("A frame without qr or engagement, or of other types, is refused")
    func malformed() {
        for index in 0..<2 {
            var less = members
            less.remove(at: index)
            #expect(throws: BenchLinkError.malformed(.missingMember(at: 0))) {
                try BenchLinkGreeting(frame(less)[...])
            }
        }
        for index in 0..<4 {
            var other = members
            other[index].1 = [0x00]
            let place = frame(Array(members[..<index])).count + 1 + members[index].0.utf8.count
            let type: CBORType = index == 0 ? .textString : .byteString
            #expect(throws: BenchLinkError.malformed(.unexpectedType(expected: type, at: place))) {
                try BenchLinkGreeting(frame(other)[...])
            }
            #expect(throws: BenchLinkError.malformed(.duplicateKey(at: frame(members).count))) {
                try BenchLinkGreeting(frame(members + [members[index]])[...])
            }
        }
        for (hex, error) in [
            ("", .truncated(at: 0)), ("80", .unexpectedType(expected: .map, at: 0)),
            ("a0", .missingMember(at: 0)), ("f6", .unexpectedType(expected: .map, at: 0)),
            ("a000", .trailingBytes(at: 1)),
        ] as [(String, CBORError)] {
            #expect(throws: BenchLinkError.malformed(error)) { try BenchLinkGreeting([UInt8](hex: hex)[...]) }
        }
    }

    @Test("A QR text or an engagement that is none is refused when it is due, and only then")
    func malformedEngagement() throws {
        let noQR = BenchLinkGreeting(
            qr: "mdoc", deviceEngagement: second, handoverSelect: nil, handoverRequest: nil)
        #expect(throws: BenchLinkError.engagement(.notAnEngagementURI)) { _ = try noQR.engagement() }
        let noQRButNFC = BenchLinkGreeting(
            qr: "mdoc", deviceEngagement: second, handoverSelect: [1], handoverRequest: nil)
        _ = try noQRButNFC.engagement()
        let noEngagement = greeting(engagement: [0x80], select: [1])
        let notAMap = CBORError.unexpectedType(expected: .map, at: 0)
        #expect(throws: BenchLinkError.engagement(.malformed(.deviceEngagement, notAMap))) {
            _ = try noEngagement.engagement()
        }
        _ = try greeting(engagement: [0x80]).engagement()
    }
}
