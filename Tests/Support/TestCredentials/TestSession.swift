package import COSE
internal import CBOR
package import MdocModel
package import OpenSSLCrypto
package import PKIX

/// A document signer with its IACA.
package struct TestIssuer: Sendable {
    package let authority: TestAuthority
    package let key: TestKey
    package let certificate: [UInt8]

    /// - Parameter change: what to change of the signer's certificate.
    package init(
        authority: TestAuthority? = nil, names: TestAuthority.Names? = nil, key: TestKey? = nil,
        _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) throws {
        self.authority = try authority ?? TestAuthority()
        self.key = try key ?? TestKey()
        let template =
            try names.map { [authority = self.authority, key = self.key] in try authority.signer(for: key, $0)
            }
            ?? self.authority.signer(for: self.key)
        certificate = try self.authority.sign(change(template))
    }

    /// DeviceResponse of these documents, signed in this transcript.
    package func response(
        _ documents: [TestDocument], in transcript: SessionTranscript
    ) throws -> [UInt8] {
        let session = try TestSession(transcript: transcript)
        return Encoded.map([
            ("version", Encoded.text("1.0")),
            (
                "documents",
                Encoded.array(try documents.map { try $0.encoded(issuer: self, session: session) })
            ),
            ("status", [0x00]),
        ])
    }
}

/// What a response is bound to: an engagement, the reader's key and the transcript of both.
package struct TestSession: Sendable {
    package let readerKey: COSEKeyPair
    package let transcript: SessionTranscript

    package init(_ curve: Curve = .p256) throws {
        self.init(
            deviceEngagement: try randomBytes(40), readerKey: COSEKeyPair(try PrivateKey.generate(curve)))
    }

    package init(deviceEngagement: [UInt8], readerKey: COSEKeyPair) {
        self.readerKey = readerKey
        transcript = SessionTranscript(
            deviceEngagement: deviceEngagement, eReaderKey: readerKey.publicKeyBytes, handover: .qr)
    }

    /// A presentation without engagement. What a MAC is made with is a key that nobody sent.
    package init(transcript: SessionTranscript) throws {
        readerKey = COSEKeyPair(try PrivateKey.generate(.p256))
        self.transcript = transcript
    }

    /// A COSE_Mac0 over a detached payload, with the key of ISO/IEC 18013-5 9.1.3.5 derived from the phone's side.
    package func mac(over payload: [UInt8], deviceKey: TestKey) throws -> [UInt8] {
        let shared = try deviceKey.privateKey.sharedSecret(with: readerKey.privateKey.publicKey())
        let salt = Digest(.sha256, of: Encoded.embedded(Array(transcript.encoded))[...]).bytes
        let key = try hkdfSHA256(secret: shared, salt: salt[...], info: Array("EMacKey".utf8)[...], count: 32)
        return try COSESigner(algorithm: .hmac256).mac0(detachedPayload: payload, key: key)
    }
}
