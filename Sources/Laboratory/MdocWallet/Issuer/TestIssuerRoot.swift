internal import CBOR
package import COSE
package import MdocModel
package import OpenSSLCrypto
internal import PKIX

/// The root (IACA) of a test issuer that is kept between runs, so that readers import it once.
///
/// Only the root is kept. Each ``TestIssuer`` makes a new document signer under it.
package struct TestIssuerRoot: Sendable {
    package let key: COSEKeyPair
    /// The self-signed certificate in DER.
    package let certificate: [UInt8]

    /// Makes the certificate of a new root, or a new certificate for the key of an earlier root.
    package init(key: COSEKeyPair, now: Timestamp) throws(OpenSSLCryptoError) {
        self.key = key
        let certificates = TestCertificates(options: IssuingOptions(), entropy: .openSSL, now: now)
        certificate = try certificates.rootTemplate(key.privateKey).sign(with: key.privateKey)
    }

    /// Makes a new root with a new key.
    package init(now: Timestamp) throws(OpenSSLCryptoError) {
        try self.init(key: COSEKeyPair(PrivateKey.generate(IssuingOptions().rootCurve)), now: now)
    }

    /// Creates the root from its stored key and certificate. Returns nil if the certificate is not a
    /// self-signed certificate of `key`, or if a new root would have another curve.
    package init?(key: COSEKeyPair, certificate: [UInt8]) {
        guard key.privateKey.curve == IssuingOptions().rootCurve,
            let parsed = try? Certificate(der: certificate[...]), parsed.isSelfIssued,
            let publicKey = try? key.privateKey.publicKey(),
            (try? parsed.verifySignature(with: publicKey)) != nil
        else { return nil }
        self.key = key
        self.certificate = certificate
    }

    /// Whether the certificate is valid throughout the validity of a document signer's certificate that is
    /// made at `now`.
    package func outlivesSigner(madeAt now: Timestamp) -> Bool {
        guard let parsed = try? Certificate(der: certificate[...]) else { return false }
        let lifetime = TestValidity.signerCertificate
        return parsed.notBefore <= now.secondsSince1970 + lifetime.lowerBound
            && parsed.notAfter >= now.secondsSince1970 + lifetime.upperBound
    }
}

extension TestIssuerRoot: RedactedDescription {}
