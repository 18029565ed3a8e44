internal import PKIX
internal import CBOR
internal import COSE
package import MdocModel
internal import OpenSSLCrypto
package import TestCredentials
package import WalletPresentation

/// A customer with a wallet, who answers apps and pages with a licence of one issuer, valid now.
package struct OnlineCustomer: Sendable {
    package let issuer: TestIssuer
    private let deviceKey: TestKey
    private let now: Timestamp

    package init(at now: Timestamp) throws {
        self.now = now
        let day = TestAuthority.day
        let authority = try TestAuthority.ofACountry(
            notBefore: now.secondsSince1970 - 900 * day, notAfter: now.secondsSince1970 + 900 * day)
        issuer = try TestIssuer(authority: authority) { template in
            var template = template
            template.notBefore = now.secondsSince1970 - 30 * day
            template.notAfter = now.secondsSince1970 + 300 * day
            return template
        }
        deviceKey = try TestKey()
    }

    private func licence() throws -> TestDocument {
        let day = TestAuthority.day
        var document = try TestDocument(
            [.init("age_over_21", Encoded.boolean(true))], deviceKey: deviceKey)
        document.signed = Encoded.instant("\(now.advanced(bySeconds: -day))")
        document.validFrom = document.signed
        document.validUntil = Encoded.instant("\(now.advanced(bySeconds: 30 * day))")
        return document
    }

    private func response(in transcript: SessionTranscript) throws -> [UInt8] {
        try issuer.response([licence()], in: transcript)
    }

    /// What the app is given.
    package func envelope(
        to nonce: PresentationNonce, of merchant: MerchantIdentity, sealedFor recipient: [UInt8]
    ) throws -> [UInt8] {
        let transcript = SessionTranscript.inApp(
            merchant, nonce: nonce, recipientKeyHash: Digest(.sha256, of: recipient[...]).bytes)
        return try WalletEnvelope.seal(
            response(in: transcript), to: PublicKey(curve: .p256, uncompressedPoint: recipient[...]),
            in: transcript,
            ephemeralKey: PrivateKey.generate(.p256))
    }
}
