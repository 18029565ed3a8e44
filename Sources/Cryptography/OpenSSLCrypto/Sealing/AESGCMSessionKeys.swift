/// The key that encrypts the messages of one direction of a session (ISO/IEC 18013-5 9.1.1.5). The nonce is a
/// fixed prefix and a counter. Only this value has the counter, so that no nonce is used twice.
package struct AESGCMSealingKey: ~Copyable, Sendable {
    private var cipher: AESGCM
    private var nonces: NonceCounter

    /// Creates the key.
    ///
    /// - Parameter noncePrefix: the first 8 bytes of each nonce: 0 for messages of the reader, 1 for messages
    ///   of the phone.
    package init(key: consuming SecretBytes, noncePrefix: UInt64) throws(OpenSSLCryptoError) {
        cipher = try AESGCM(key: key)
        nonces = NonceCounter(prefix: noncePrefix)
    }

    /// Encrypts the next message and returns the ciphertext followed by the 16-byte tag. Throws `keySpent`
    /// after 2³² − 1 messages.
    package mutating func seal(_ plaintext: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        try cipher.seal(plaintext, nonce: nonces.next())
    }
}

/// The key that decrypts the messages of one direction of a session (ISO/IEC 18013-5 9.1.1.5), in the order
/// in which they were sent.
package struct AESGCMOpeningKey: ~Copyable, Sendable {
    private var cipher: AESGCM
    private var nonces: NonceCounter

    /// Creates the key.
    ///
    /// - Parameter noncePrefix: the first 8 bytes of each nonce: 0 for messages of the reader, 1 for messages
    ///   of the phone.
    package init(key: consuming SecretBytes, noncePrefix: UInt64) throws(OpenSSLCryptoError) {
        cipher = try AESGCM(key: key)
        nonces = NonceCounter(prefix: noncePrefix)
    }

    /// Decrypts the next message. After the first failure every call throws `keySpent`, because a broken
    /// message ends the session.
    package mutating func open(_ sealed: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [UInt8] {
        let nonce = try nonces.next()
        do {
            return try cipher.open(sealed, nonce: nonce)
        } catch {
            nonces.spend()
            throw error
        }
    }
}

/// The nonces of one key (ISO/IEC 18013-5 9.1.1.5): 8 bytes of prefix and a 4-byte counter from 1, both
/// big-endian. No nonce is returned twice.
struct NonceCounter: Sendable {
    private let prefix: UInt64
    private var used: UInt32
    private var isSpent = false

    init(prefix: UInt64, used: UInt32 = 0) {
        self.prefix = prefix
        self.used = used
    }

    /// Returns the next nonce. Throws `keySpent` if none is left.
    mutating func next() throws(OpenSSLCryptoError) -> InlineArray<12, UInt8> {
        guard !isSpent, used < .max else { throw .keySpent }
        used += 1
        // Local copies are needed, since a closure cannot capture `self` of a mutating function.
        let (prefix, counter) = (prefix, used)
        // The prefix is in the bytes 0 to 7, and the counter in the bytes 8 to 11.
        return InlineArray { index in
            index < 8
                ? UInt8(truncatingIfNeeded: prefix >> (56 - 8 * index))
                : UInt8(truncatingIfNeeded: counter >> (88 - 8 * index))
        }
    }

    /// Makes every later call of `next()` throw `keySpent`.
    mutating func spend() { isSpent = true }
}
