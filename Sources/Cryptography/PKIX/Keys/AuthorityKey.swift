package import OpenSSLCrypto

/// The key of one who signs certificates or CRLs. Roots may have RSA, which nothing else of ISO/IEC 18013-5 uses.
package enum AuthorityKey: ~Copyable, Sendable {
    case curve(PublicKey)
    case rsa(RSAPublicKey)
}

extension SubjectPublicKeyInfo {
    /// The key, checked. Throws `unsupportedKey` for keys of another kind.
    package func authorityKey() throws(OpenSSLCryptoError) -> AuthorityKey {
        guard isRSA else { return .curve(try publicKey()) }
        let (modulus, exponent) = try rsaNumbers()
        return .rsa(try RSAPublicKey(der: publicKeyBits, modulus: modulus, exponent: exponent))
    }

    private func rsaNumbers() throws(OpenSSLCryptoError) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        do throws(PKIXError) {
            var outer = DERReader(publicKeyBits)
            var numbers = try outer.enter(DERTag.sequence)
            try outer.finish()
            let modulus = try numbers.readUnsignedInteger()
            let exponent = try numbers.readUnsignedInteger()
            try numbers.finish()
            return (modulus, exponent)
        } catch {
            throw .keyMalformed
        }
    }

    /// Whether a key of this kind can be used, as far as shows without computing with it.
    package var isSupported: Bool { isRSA || curve != nil }
}
