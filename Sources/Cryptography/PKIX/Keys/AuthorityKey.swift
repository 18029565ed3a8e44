package import OpenSSLCrypto

/// The key of an authority that signs certificates or CRLs. Some roots have RSA keys, which nothing else in
/// ISO/IEC 18013-5 uses.
package enum AuthorityKey: ~Copyable, Sendable {
    case curve(PublicKey)
    case rsa(RSAPublicKey)
}

extension SubjectPublicKeyInfo {
    /// Returns the key. Checks that a point is on its curve, and that an RSA key has a supported size. Throws
    /// `unsupportedKey` for other kinds of keys.
    package func authorityKey() throws(OpenSSLCryptoError) -> AuthorityKey {
        guard isRSA else { return .curve(try publicKey()) }
        let (modulus, exponent) = try rsaNumbers()
        return .rsa(try RSAPublicKey(der: publicKeyBits, modulus: modulus, exponent: exponent))
    }

    /// Returns modulus and exponent of an `RSAPublicKey`, big-endian without leading zeros.
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

    /// Whether the key's kind is supported. Only `authorityKey()` also checks that the point is on the curve.
    package var isSupported: Bool { isRSA || curve != nil }
}
