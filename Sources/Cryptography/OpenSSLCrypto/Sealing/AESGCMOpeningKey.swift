/// Opens the messages of one direction of a session (ISO/IEC 18013-5, 9.1.1.5) in the order of sending.
package struct AESGCMOpeningKey: ~Copyable, Sendable {
    private var cipher: AESGCM
    private var nonces: NonceCounter

    /// `noncePrefix` is the first 8 bytes of each nonce: 0 for messages of the reader, 1 for the mdoc's.
    package init(key: consuming SecretBytes, noncePrefix: UInt64) throws(OpenSSLCryptoError) {
        cipher = try AESGCM(key: key)
        nonces = NonceCounter(prefix: noncePrefix)
    }

    /// The plaintext. The first failure spends the key: a session with a broken message is over.
    package mutating func open(_ sealed: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        let nonce = try nonces.next()
        do {
            return try cipher.open(sealed, nonce: nonce)
        } catch {
            nonces.spend()
            throw error
        }
    }

    /// How many messages were opened; the first that failed counts as well.
    package var messagesOpened: UInt32 { nonces.used }
}
