import CBOR
import COSE
import MdocModel
import OpenSSLCrypto
import Testing

@testable import MdocWallet

/// Which request of a second tap is the one that the holder has consented to (draft of the second edition).
@Suite("The consent that outlasts a tap of NFC v2")
struct RememberedConsentTests {
    private static let now = ContinuousClock.now

    /// A request for one element, with `requestInfo` where members are given.
    private static func request(
        version: String = "1.1", element: String = "portrait", retained: Bool = false,
        _ members: [(String, [UInt8])] = [], readerAuth: [UInt8]? = nil
    ) -> [UInt8] {
        let items = CBOREncoder.encode { encoder in
            encoder.map(count: members.isEmpty ? 2 : 3)
            encoder.text("docType")
            encoder.text("org.iso.18013.5.1.mDL")
            encoder.text("nameSpaces")
            encoder.map(count: 1)
            encoder.text("org.iso.18013.5.1")
            encoder.map(count: 1)
            encoder.text(element)
            encoder.boolean(retained)
            guard !members.isEmpty else { return }
            encoder.text("requestInfo")
            encoder.map(count: members.count)
            for (name, value) in members {
                encoder.text(name)
                encoder.encoded(value)
            }
        }
        var draft: CBORDraft = [
            "itemsRequest": .encoded(Array(EncodedCBOR<ItemsRequest>(embedding: items).bytes))
        ]
        if let readerAuth { draft["readerAuth"] = .encoded(readerAuth) }
        return (["version": .text(version), "docRequests": .array([draft])] as CBORDraft).encode()
    }

    /// A COSE_Sign1 with this protected header, certificate and signature.
    private static func signed(_ protected: [UInt8], _ certificate: UInt8, _ signature: UInt8) -> [UInt8] {
        CBORDraft.array([
            .bytes(protected), [33: .bytes([certificate])], .null, .bytes([signature]),
        ]).encode()
    }

    private static func encryption(_ nonce: UInt8) -> [(String, [UInt8])] {
        [("docResponseEncryption", [0xd8, 0x18, 0x45, 0xa1, 0x61, 0x6e, 0x41, nonce])]
    }

    private static func keeps(_ first: [UInt8], _ second: [UInt8]) throws -> Bool {
        let consent = try #require(RememberedConsent(first, after: .seconds(5), now: now))
        return consent.delay(of: second, now: now + .seconds(2)) == .seconds(3)
    }

    @Test("A request with another signature and other certificates is the same one")
    func otherSignature() throws {
        let first = Self.request(readerAuth: Self.signed([0xa0], 1, 1))
        #expect(try Self.keeps(first, Self.request(readerAuth: Self.signed([0xa0], 2, 3))))
        #expect(try Self.keeps(Self.request(), Self.request()))
    }

    @Test("A request that asks for its answer encrypted is the same one with the same key and nonce alone")
    func encryptedAnswer() throws {
        let first = Self.request(Self.encryption(1))
        #expect(try Self.keeps(first, Self.request(Self.encryption(1))))
        #expect(try !Self.keeps(first, Self.request(Self.encryption(2))))
        #expect(try !Self.keeps(first, Self.request()))
    }

    @Test(
        "Another version, element, intent to retain, header, or a signature more or less is another request")
    func others() throws {
        let plain = Self.request()
        for other in [
            Self.request(version: "1.0"), Self.request(element: "sex"), Self.request(retained: true),
            Self.request([("uniqueDocSetRequired", [0xf5])]),
            Self.request(readerAuth: Self.signed([0xa0], 1, 1)),
        ] {
            #expect(try !Self.keeps(plain, other))
            #expect(try !Self.keeps(other, plain))
        }
        let signed = Self.request(readerAuth: Self.signed([0xa0], 1, 1))
        #expect(try !Self.keeps(signed, Self.request(readerAuth: Self.signed([0xa1, 1, 0x26], 1, 1))))
        #expect(RememberedConsent([0xff], after: .zero, now: Self.now) == nil)
    }

    @Test("Once the time for the decision is over, the same request is answered at once")
    func decided() throws {
        let consent = try #require(RememberedConsent(Self.request(), after: .seconds(5), now: Self.now))
        #expect(consent.delay(of: Self.request(), now: Self.now + .seconds(60)) == .zero)
    }
}
