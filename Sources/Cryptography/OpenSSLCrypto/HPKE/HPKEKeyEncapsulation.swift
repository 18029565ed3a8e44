/// DHKEM(P-256, HKDF-SHA256) (RFC 9180 4.1), which gives the sender and the recipient a shared secret of 32
/// bytes.
enum HPKEKeyEncapsulation {
    /// Computes the secret as the sender (Encap).
    static func secret(
        to recipient: borrowing PublicKey, ephemeralKey: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        try requireP256(recipient.curve)
        return try derive(
            ephemeralKey.sharedSecret(with: recipient),
            context: ephemeralKey.encodedPoint + recipient.encodedPoint)
    }

    /// Computes the secret as the recipient (Decap).
    static func secret(
        encapsulatedIn ephemeral: borrowing PublicKey, recipientKey: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        try requireP256(recipientKey.curve)
        return try derive(
            recipientKey.sharedSecret(with: ephemeral),
            context: ephemeral.encodedPoint + recipientKey.encodedPoint)
    }

    /// Throws `unsupportedKey` unless `curve` is P-256. Callers check only one of the two keys of an
    /// agreement, because the agreement itself fails if the keys are on different curves.
    private static func requireP256(_ curve: Curve) throws(OpenSSLCryptoError) {
        guard curve == .p256 else { throw .unsupportedKey }
    }

    /// Performs ExtractAndExpand (RFC 9180 4.1).
    private static func derive(
        _ agreed: borrowing SecretBytes, context: [UInt8]
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        let derivation = HPKEDerivation.keyEncapsulation
        let key = try agreed.withUnprotectedBytes { bytes throws(OpenSSLCryptoError) in
            try derivation.extract("eae_prk", bytes)
        }
        return try derivation.expand(key, "shared_secret", context[...], count: 32)
    }
}
