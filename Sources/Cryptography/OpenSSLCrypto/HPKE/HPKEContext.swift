/// The encryption context of one direction (RFC 9180 5.1): the cipher and its nonces, from the key schedule
/// of base mode.
struct HPKEContext: ~Copyable, Sendable {
    private var cipher: AESGCM
    private let baseNonce: SecretBytes
    private var sequenceNumber: UInt64 = 0
    private var isSpent = false

    init(
        sharedSecret: borrowing SecretBytes, info: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) {
        let derivation = HPKEDerivation.keySchedule
        // The key_schedule_context of RFC 9180 5.1.
        let context = try [Self.baseMode] + Self.identifierHash() + Self.hash("info_hash", info)
        // The input is the pre-shared key, which is empty in base mode.
        let secret = try derivation.extract(salt: sharedSecret, "secret", [])
        let cipher = try AESGCM(key: derivation.expand(secret, "key", context[...], count: 16))
        let nonce = try derivation.expand(secret, "base_nonce", context[...], count: AESGCM.nonceSize)
        self.cipher = cipher
        baseNonce = nonce
    }

    /// Returns the hash of the pre-shared-key identifier. The identifier is empty, because base mode has no
    /// pre-shared key.
    private static func identifierHash() throws(OpenSSLCryptoError) -> [UInt8] {
        if let known = hashOfNoIdentifier { return known }
        return try hash("psk_id_hash", [])
    }

    /// The hash of the empty pre-shared-key identifier, computed once; `nil` if OpenSSL failed.
    private static let hashOfNoIdentifier = try? hash("psk_id_hash", [])
    private static let baseMode: UInt8 = 0

    /// Returns LabeledExtract with an empty salt, as the key schedule uses it for its public inputs.
    private static func hash(
        _ label: StaticString, _ input: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try HPKEDerivation.keySchedule.extract(label, input).withUnprotectedBytes { Array($0) }
    }

    mutating func seal(
        _ plaintext: ArraySlice<UInt8>, authenticating extra: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try cipher.seal(plaintext, nonce: nextNonce(), authenticating: extra)
    }

    /// Opens the next message. After the first failure the context opens no further message.
    mutating func open(
        _ ciphertext: ArraySlice<UInt8>, authenticating extra: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let nonce = try nextNonce()
        do {
            return try cipher.open(ciphertext, nonce: nonce, authenticating: extra)
        } catch {
            isSpent = true
            throw error
        }
    }

    /// Returns the base nonce combined with the sequence number in its last eight bytes (RFC 9180 5.2). No
    /// nonce is returned twice.
    private mutating func nextNonce() throws(OpenSSLCryptoError) -> InlineArray<12, UInt8> {
        guard !isSpent, sequenceNumber < .max else { throw .keySpent }
        let number = sequenceNumber
        sequenceNumber += 1
        return unsafe baseNonce.withUnsafeBytes { base in
            InlineArray { index in
                let place = 8 * (AESGCM.nonceSize - 1 - index)
                return unsafe base[index] ^ (place < 64 ? UInt8(truncatingIfNeeded: number >> place) : 0)
            }
        }
    }
}
