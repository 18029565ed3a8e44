import CBOR
import CommandBench
import COSE
import MdocModel
import OpenSSLCrypto
import TestCredentials
import Testing
import WalletPresentation

/// `verify` on responses that are bound to a transcript of an app or a page.
@Suite("verify, transcripts without engagement")
struct VerifyOnlineTests {
    private let folder: TemporaryFolder
    private let root: TestAuthority
    private let issuer: TestIssuer

    init() throws {
        folder = try TemporaryFolder()
        root = try TestAuthority.ofACountry()
        issuer = try TestIssuer(authority: root)
        _ = try folder.write(root.der, as: "root.der")
    }

    private static func transcript(_ name: String) -> SessionTranscript {
        SessionTranscript { encoder in
            encoder.array(count: 2)
            encoder.text(name)
            encoder.byteString([UInt8](repeating: 3, count: 32))
        }
    }

    /// Writes a response in this session, with the transcript and the private key that a MAC is made with.
    private func write(_ session: TestSession, _ authentication: TestDocument.DeviceAuth) throws {
        var document = try TestDocument([.init("family_name", Encoded.text("Quillfeather"))])
        document.deviceAuth = authentication
        let response = Encoded.map([
            ("version", Encoded.text("1.0")),
            ("documents", Encoded.array([try document.encoded(issuer: issuer, session: session)])),
            ("status", [0x00]),
        ])
        _ = try folder.write(response, as: "response")
        _ = try folder.write(Array(session.transcript.encoded), as: "transcript")
        _ = try folder.write(
            session.readerKey.privateKey.unprotectedPEM().withUnprotectedBytes(Array.init), as: "key.pem")
    }

    private func verify(_ further: String...) throws -> CommandRun {
        try CommandRun(
            [
                "verify", "--response", folder.path("response"), "--transcript", folder.path("transcript"),
                "--trust", folder.path("root.der"), "--at", TrustScene.time,
            ] + further)
    }

    @Test(
        "Q236 An OpenID4VP MAC is verified with the key that the answer was encrypted for, and with no other",
        arguments: ["OpenID4VPHandover", "OpenID4VPDCAPIHandover"])
    func openID4VP(_ name: String) throws {
        let session = try TestSession(transcript: Self.transcript(name))
        try write(session, .mac)
        let verified = try verify("--reader-key", folder.path("key.pem"), "--json")
        #expect(verified.status == 0, "\(verified.everything)")
        #expect(try verified.report().documents.map(\.deviceAuthentication) == ["mac"])

        let other = try folder.write(
            PrivateKey.generate(.p256).unprotectedPEM().withUnprotectedBytes(Array.init), as: "other.pem")
        let refused = try verify("--reader-key", other, "--json")
        #expect(try refused.status == 2 && refused.report().verdict == "rejected")

        let without = try verify("--json")
        #expect(without.status == 2)
        #expect(without.output.contains("OpenID4VP") && without.output.contains("--reader-key"))
        #expect(!without.output.contains("ephemeral"))

        // A signature needs no key, and one that is given does not harm.
        try write(session, .signature)
        #expect(try verify().status == 0)
        #expect(try verify("--reader-key", folder.path("key.pem")).status == 0)
    }

    @Test("The key of an OpenID4VP request may be on another curve, and must be a private key")
    func keyForms() throws {
        try write(TestSession(transcript: Self.transcript("OpenID4VPHandover")), .mac)
        let larger = try folder.write(
            PrivateKey.generate(.p384).unprotectedPEM().withUnprotectedBytes(Array.init), as: "p384.pem")
        let curve = try verify("--reader-key", larger)
        #expect(curve.status == 2 && curve.output.contains("different curves"), "\(curve.everything)")
        let nonsense = try verify("--reader-key", folder.path("root.der"))
        #expect(nonsense.status == 64 && nonsense.errors.contains("--reader-key"))
    }

    @Test(
        "Q236 A MAC in an Annex C or an app's transcript is refused without advice to give a key",
        arguments: [("dcapi", "Annex C"), ("AppleIdentityPresentment_1.0", "Verify with Wallet")])
    func signatureNeeded(_ name: String, _ kind: String) throws {
        try write(TestSession(transcript: Self.transcript(name)), .mac)
        for further in [[], ["--reader-key", folder.path("key.pem")]] {
            for format in [[], ["--json"]] {
                let run = try CommandRun(
                    [
                        "verify", "--response", folder.path("response"), "--transcript",
                        folder.path("transcript"), "--trust", folder.path("root.der"), "--at",
                        TrustScene.time,
                    ] + further + format)
                #expect(run.status == 2, "\(run.everything)")
                #expect(run.output.contains(kind) && run.output.contains("only a signature"), "\(run.output)")
                #expect(!run.everything.contains("--reader-key"), "\(run.everything)")
            }
        }
        try write(TestSession(transcript: Self.transcript(name)), .signature)
        #expect(try verify().status == 0)
    }

    /// Writes what a wallet seals for a page or app of this origin; returns the encryptionInfo.
    private func writeAnswer(
        on origin: String, _ authentication: TestDocument.DeviceAuth = .signature
    ) throws -> String {
        let key = try RecipientKey(COSEKeyPair(PrivateKey.generate(.p256)))
        let info = try EncryptionInfo(nonce: PresentationNonce(randomBytes(32)), for: key)
        let transcript = SessionTranscript.onTheWeb(
            encryptionInfo: info.text, origin: try WebOrigin(origin))
        var document = try TestDocument([.init("family_name", Encoded.text("Quillfeather"))])
        document.deviceAuth = authentication
        let answer = try EncryptedResponse.seal(
            issuer.response([document], in: transcript), to: key.pair.privateKey.publicKey(),
            in: transcript, ephemeralKey: PrivateKey.generate(.p256))
        _ = try folder.write(Array(answer.utf8), as: "answer")
        _ = try folder.write(
            key.pair.privateKey.unprotectedPEM().withUnprotectedBytes(Array.init), as: "web.pem")
        return info.text
    }

    private func verifyAnswer(_ info: String, on origin: String) throws -> CommandRun {
        try CommandRun(
            "verify", "--web-response", folder.path("answer"), "--encryption-info", info, "--origin", origin,
            "--key", folder.path("web.pem"), "--trust", folder.path("root.der"), "--at", TrustScene.time)
    }

    @Test("Q236 A page's answer with a MAC is refused without advice to give a key")
    func page() throws {
        let origin = "https://shop.example"
        for (authentication, status) in [(.mac, 2), (.signature, 0)] as [(TestDocument.DeviceAuth, Int32)] {
            let run = try verifyAnswer(writeAnswer(on: origin, authentication), on: origin)
            #expect(run.status == status, "\(run.everything)")
            #expect(!run.everything.contains("--reader-key"))
            #expect(run.output.contains("only a signature") == (authentication == .mac))
        }
    }

    @Test("Q238 An answer to an Android app is verified with the app's origin, and with no other")
    func app() throws {
        let origins = [7, 8].map { byte in
            "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: byte, count: 32))
        }
        let (own, other) = (origins[0], origins[1])
        let info = try writeAnswer(on: own)
        #expect(try verifyAnswer(info, on: own).status == 0)
        for (origin, status) in [(other, 2), ("https://shop.example", 2), (own + "=", 64)]
            as [(String, Int32)]
        {
            #expect(try verifyAnswer(info, on: origin).status == status, "\(origin)")
        }
    }
}
