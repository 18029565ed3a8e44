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
}

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
}

/// The nonces of one key (ISO/IEC 18013-5, 9.1.1.5): 8 bytes of prefix and a 4-byte counter from 1, both
/// big-endian, none given twice.
struct NonceCounter: Sendable {
    private let prefix: UInt64
    private var used: UInt32
    private var isSpent = false

    init(prefix: UInt64, used: UInt32 = 0) {
        self.prefix = prefix
        self.used = used
    }

    /// The next nonce, or `keySpent`.
    mutating func next() throws(OpenSSLCryptoError) -> InlineArray<12, UInt8> {
        guard !isSpent, used < .max else { throw .keySpent }
        used += 1
        let (prefix, counter) = (prefix, used)
        return InlineArray { index in
            index < 8
                ? UInt8(truncatingIfNeeded: prefix >> (56 - 8 * index))
                : UInt8(truncatingIfNeeded: counter >> (88 - 8 * index))
        }
    }

    /// Refuses all further nonces.
    mutating func spend() { isSpent = true }
}
