/// The key of one who signs certificates or CRLs. Roots may have RSA, which nothing else of ISO/IEC 18013-5 uses.
package enum AuthorityKey: ~Copyable, Sendable {
    case curve(PublicKey)
    case rsa(RSAPublicKey)
}

extension SubjectPublicKeyInfo {
    /// The key, checked. Throws `unsupportedKey` for keys of another kind.
    package func authorityKey() throws(OpenSSLCryptoError) -> AuthorityKey {
        isRSA ? .rsa(try RSAPublicKey(publicKeyBits)) : .curve(try publicKey())
    }

    /// Whether a key of this kind can be used, as far as shows without computing with it.
    package var isSupported: Bool { isRSA || curve != nil }
}
