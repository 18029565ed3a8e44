package import OpenSSLCrypto
package import PKIX

/// The leaf of x5chain with its key, whether it is believed or not.
package final class IssuerCertificate: Sendable {
    package let certificate: Certificate
    package let publicKey: PublicKey

    /// The bytes are copied: a signer is remembered, the message it came in must not be.
    package init(der: ArraySlice<UInt8>) throws(IssuerCertificateError) {
        do throws(PKIXError) {
            certificate = try Certificate(der: Array(der)[...])
        } catch {
            throw .malformed(error)
        }
        do throws(OpenSSLCryptoError) {
            publicKey = try certificate.publicKey()
        } catch {
            throw .keyNotUsable(error)
        }
    }
}
