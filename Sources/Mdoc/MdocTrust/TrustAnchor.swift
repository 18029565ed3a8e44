internal import MdocModel
package import OpenSSLCrypto

/// A trusted IACA root (ISO/IEC 18013-5 Annex B.1.2). Its own profile is not enforced: roots in use often depart from it (Q179).
package final class TrustAnchor: Sendable {
    package let certificate: Certificate
    package let sha256: [UInt8]
    let publicKey: PublicKey

    /// Throws where the certificate is no certificate authority (Q178) or its key cannot be used.
    package init(_ certificate: Certificate) throws(TrustAnchorError) {
        guard certificate.basicConstraints?.isCA == true else {
            throw .notACertificateAuthority(subject: certificate.subject.description)
        }
        do throws(OpenSSLCryptoError) {
            publicKey = try certificate.publicKey()
        } catch {
            throw .keyNotUsable(subject: certificate.subject.description)
        }
        self.certificate = certificate
        sha256 = Digest(.sha256, of: certificate.der).bytes
    }

    func isValid(at now: Timestamp) -> Bool {
        (certificate.notBefore...max(certificate.notBefore, certificate.notAfter))
            .contains(now.secondsSince1970)
    }
}

/// Why a certificate cannot be a trust anchor.
package enum TrustAnchorError: Error, Equatable, Sendable {
    /// A document signer's or other end certificate; the root that issued it belongs here.
    case notACertificateAuthority(subject: String)
    case keyNotUsable(subject: String)
}
