import CBOR
import COSE
import MdocModel
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("The kind of a transcript")
struct TranscriptKindTests {
    private static func stored(_ hex: String) throws -> SessionTranscript {
        try SessionTranscript(stored: [UInt8](hex: hex)[...])
    }

    /// A transcript without engagement, of this handover.
    private static func online(_ handover: String) throws -> SessionTranscript {
        try stored("83f6f6" + handover)
    }

    private static func text(_ text: String) -> String {
        CBOREncoder.encode { $0.text(text) }.hex
    }

    @Test(
        "Q236 The first member of the handover says of which kind a presentation without engagement is",
        arguments: [
            ("OpenID4VPHandover", TranscriptKind.openID4VP, MACKey.encryption),
            ("OpenID4VPDCAPIHandover", .openID4VPOverDCAPI, .encryption), ("dcapi", .annexC, nil),
            ("AppleIdentityPresentment_1.0", .app, nil), ("AppleIdentityPresentment_2.0", .app, nil),
            ("openID4VPHandover", .unknown(handover: "openID4VPHandover"), nil),
            ("OpenID4VPHandover2", .unknown(handover: "OpenID4VPHandover2"), nil),
            ("DCAPI", .unknown(handover: "DCAPI"), nil), ("", .unknown(handover: ""), nil),
        ] as [(String, TranscriptKind, MACKey?)])
    func names(_ name: String, _ kind: TranscriptKind, _ key: MACKey?) throws {
        let transcript = try Self.online("82" + Self.text(name) + "41aa")
        #expect(transcript.kind == kind)
        #expect(transcript.macKey == key)
    }

    @Test(
        "Q236 Two hashes and a nonce are the older OpenID4VP; near misses are unknown",
        arguments: [
            ("83 41aa 41bb 6178", TranscriptKind.annexB, MACKey.encryption),
            ("84 41aa 41bb 6178 00", .unknown(handover: nil), nil),
            ("83 41aa 41bb 4178", .unknown(handover: nil), nil),
            ("82 41aa 41bb", .unknown(handover: nil), nil), ("80", .unknown(handover: nil), nil),
            ("a0", .unknown(handover: nil), nil), ("f6", .unknown(handover: nil), nil),
            ("82 00 41aa", .unknown(handover: nil), nil),
        ] as [(String, TranscriptKind, MACKey?)])
    func unnamed(_ handover: String, _ kind: TranscriptKind, _ key: MACKey?) throws {
        let transcript = try Self.online(handover)
        #expect(transcript.kind == kind)
        #expect(transcript.macKey == key)
    }

    @Test(
        "Nearby the handover itself says it, and the reader's key is in the transcript",
        arguments: [
            (Handover.qr, TranscriptKind.qr), (.nfc(select: [0x91, 2], request: nil), .staticHandover),
            (.nfc(select: [0x91, 2], request: [0x91]), .negotiatedHandover),
            (.nfc(select: [], request: [0x91]), .negotiatedHandover),
            (.nfcVersion2(select: [0xa1, 0, 0], request: [0xa1, 0, 0]), .version2Handover),
        ])
    func nearby(_ handover: Handover, _ kind: TranscriptKind) throws {
        let key = COSEKeyPair(try PrivateKey.generate(.p256))
        let transcript = SessionTranscript(
            deviceEngagement: [0xa0], eReaderKey: key.publicKeyBytes, handover: handover)
        #expect(transcript.kind == kind)
        #expect(transcript.macKey == .ephemeral)
        let stored = try SessionTranscript(stored: transcript.encoded)
        #expect(stored.kind == kind && stored.macKey == .ephemeral)
    }

    @Test("A name of OpenID4VP behind a reader's key does not make the presentation one of OpenID4VP")
    func nameNearby() throws {
        let transcript = try Self.stored("83 d81841a0 d81841a0 82" + Self.text("OpenID4VPHandover") + "41aa")
        #expect(transcript.kind == .unknown(handover: nil))
        #expect(transcript.macKey == .ephemeral)
    }
}
