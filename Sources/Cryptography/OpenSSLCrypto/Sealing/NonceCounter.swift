/// The nonces of one key (ISO/IEC 18013-5, 9.1.1.5): 8 bytes of prefix and a 4-byte counter from 1, both
/// big-endian, none given twice.
struct NonceCounter: Sendable {
    private let prefix: UInt64
    private(set) var used: UInt32 = 0
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
