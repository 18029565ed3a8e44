/// Seals the messages of one direction of a session (ISO/IEC 18013-5, 9.1.1.5): AES-GCM whose nonce is a
/// fixed prefix and a counter that lives here and nowhere else.
package struct AESGCMSealingKey: ~Copyable, Sendable {
    private var cipher: AESGCM
    private var nonces: NonceCounter

    /// `noncePrefix` is the first 8 bytes of each nonce: 0 for messages of the reader, 1 for the mdoc's.
    package init(key: consuming SecretBytes, noncePrefix: UInt64) throws(OpenSSLCryptoError) {
        cipher = try AESGCM(key: key)
        nonces = NonceCounter(prefix: noncePrefix)
    }

    /// Ciphertext and 16-byte tag; throws `keySpent` once 2³² − 1 messages are sealed.
    package mutating func seal(_ plaintext: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        try cipher.seal(plaintext, nonce: nonces.next())
    }

    /// How many nonces are used.
    package var messagesSealed: UInt32 { nonces.used }
}
