package import MdocModel
package import OpenSSLCrypto

/// A brand's private key, in memory or in the TPM, which signs tokens for its readers.
///
/// It describes itself by its type alone, and there is one of it: copies of it would be copies of the key.
package final class ReaderTokenSigner: Sendable {
    package let brand: TokenText
    package let keyIdentifier: TokenText
    private let key: PrivateKey

    /// Throws `signingKeyNotP256`.
    package init(
        _ key: consuming PrivateKey, _ keyIdentifier: TokenText, of brand: TokenText
    ) throws(ReaderTokensError) {
        guard key.curve == .p256 else { throw .signingKeyNotP256 }
        self.brand = brand
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Whether it is the private half of this key of a brand.
    package func isPrivateHalf(of brandKey: BrandKey) -> Bool {
        guard let half = try? key.publicKey() else { return false }
        return half.x == brandKey.x && half.y == brandKey.y
    }

    /// A token for one reader, to be used first within `lifetime` seconds from `now`.
    package func sign(
        for instance: ReaderInstance, audience: TokenText, at now: Timestamp,
        lifetime: Int64 = ReaderToken.longestLifetime
    ) throws(ReaderTokensError) -> String {
        guard lifetime > 0 else { throw .lifetimeNotPositive }
        guard lifetime <= ReaderToken.longestLifetime else { throw .lifetimeTooLong }
        // No character of a `TokenText` is escaped in JSON.
        let header = """
            {"alg":"\(ReaderToken.algorithm)","kid":"\(keyIdentifier.text)","typ":"\(ReaderToken.type)"}
            """
        let issued = now.secondsSince1970
        let claims = """
            {"iss":"\(brand.text)","sub":"\(instance.text.text)","aud":"\(audience.text)",\
            "iat":\(issued),"exp":\(issued + lifetime)}
            """
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        do throws(OpenSSLCryptoError) {
            let signature = try key.sign(
                [Array(input.utf8)[...]], algorithm: .ecdsa(.sha256), form: .fixedWidth)
            return "\(input).\(Base64URL.encode(signature))"
        } catch {
            throw .signingFailed
        }
    }
}

extension ReaderTokenSigner: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
