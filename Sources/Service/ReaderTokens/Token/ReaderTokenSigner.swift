internal import FoundationEssentials
internal import JWTKit
package import MdocModel
package import OpenSSLCrypto

/// A brand's private key, which signs tokens for its readers.
///
/// It describes itself by its type alone, and there is one of it: copies of it would be copies of the key.
package final class ReaderTokenSigner: Sendable {
    package let brand: TokenText
    package let keyIdentifier: TokenText
    private let key: ES256PrivateKey

    /// Throws `signingKeyNotP256` and `signingKeyUnusable`; a key in a TPM cannot sign tokens.
    package init(
        _ key: borrowing PrivateKey, _ keyIdentifier: TokenText, of brand: TokenText
    ) throws(ReaderTokensError) {
        guard key.curve == .p256 else { throw .signingKeyNotP256 }
        self.brand = brand
        self.keyIdentifier = keyIdentifier
        do throws(OpenSSLCryptoError) {
            self.key = try key.unprotectedPEM().withUnprotectedBytes { pem throws(OpenSSLCryptoError) in
                guard let key = try? ES256PrivateKey(pem: pem) else { throw .unsupportedKey }
                return key
            }
        } catch {
            throw .signingKeyUnusable(error)
        }
    }

    /// The key in a PEM file's contents: PKCS #8 or `EC PRIVATE KEY`, unencrypted.
    package convenience init(
        pem: ArraySlice<UInt8>, _ keyIdentifier: TokenText, of brand: TokenText
    ) throws(ReaderTokensError) {
        let key: PrivateKey
        do throws(OpenSSLCryptoError) {
            key = try PrivateKey(pem: pem)
        } catch {
            throw .signingKeyUnusable(error)
        }
        try self.init(key, keyIdentifier, of: brand)
    }

    /// A token for one reader, to be used first within `lifetime` seconds from `now`.
    package func sign(
        for instance: ReaderInstance, audience: TokenText, at now: Timestamp,
        lifetime: Int64 = ReaderToken.longestLifetime
    ) async throws(ReaderTokensError) -> String {
        guard lifetime > 0 else { throw .lifetimeNotPositive }
        guard lifetime <= ReaderToken.longestLifetime else { throw .lifetimeTooLong }
        let claims = SignedClaims(
            iss: brand.text, sub: instance.text.text, aud: audience.text, iat: now.secondsSince1970,
            exp: now.secondsSince1970 + lifetime)
        do {
            return try await JWTKeyCollection().add(ecdsa: key).sign(
                claims, header: ["kid": .string(keyIdentifier.text)])
        } catch {
            throw .signingFailed
        }
    }
}

extension ReaderTokenSigner: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The claims as they are written.
private struct SignedClaims: JWTPayload {
    let iss: String
    let sub: String
    let aud: String
    let iat: Int64
    let exp: Int64

    /// Never read by jwt-kit: `ReaderTokenVerifier` judges what `UnverifiedReaderToken` read.
    func verify(using algorithm: some JWTAlgorithm) {}
}
