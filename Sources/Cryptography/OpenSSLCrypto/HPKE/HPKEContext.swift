/// What the key schedule gives (RFC 9180, 5.1): the cipher of one direction, its nonces, and what exports come from.
struct HPKEContext: ~Copyable, Sendable {
    private var cipher: AESGCM
    private let baseNonce: SecretBytes
    private let secret: SecretBytes
    private let keyScheduleContext: [UInt8]
    private var sequenceNumber: UInt64 = 0
    private var isSpent = false

    init(
        sharedSecret: borrowing SecretBytes, isAuthenticated: Bool, info: ArraySlice<UInt8>,
        preSharedKey: HPKEPreSharedKey?
    ) throws(OpenSSLCryptoError) {
        let derivation = HPKEDerivation.keySchedule
        let mode = HPKE.Mode(isAuthenticated: isAuthenticated, hasPreSharedKey: preSharedKey != nil)
        let identifier = preSharedKey?.identifier ?? []
        let context = try Self.keyScheduleContext(mode, identifier: identifier[...], info: info)
        let secret = try Self.secret(sharedSecret, preSharedKey)
        let cipher = try AESGCM(key: derivation.expand(secret, "key", context[...], count: 16))
        let nonce = try derivation.expand(secret, "base_nonce", context[...], count: AESGCM.nonceSize)
        self.cipher = cipher
        baseNonce = nonce
        self.secret = secret
        keyScheduleContext = context
    }

    private static func secret(
        _ sharedSecret: borrowing SecretBytes, _ preSharedKey: HPKEPreSharedKey?
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        let derivation = HPKEDerivation.keySchedule
        guard let preSharedKey else { return try derivation.extract(salt: sharedSecret, "secret", []) }
        return try preSharedKey.key.withUnprotectedBytes { key throws(OpenSSLCryptoError) in
            try derivation.extract(salt: sharedSecret, "secret", key)
        }
    }

    private static func keyScheduleContext(
        _ mode: HPKE.Mode, identifier: ArraySlice<UInt8>, info: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let ofIdentifier: [UInt8]
        if identifier.isEmpty, let known = hashOfNoIdentifier {
            ofIdentifier = known
        } else {
            ofIdentifier = try hash("psk_id_hash", identifier)
        }
        return try [mode.rawValue] + ofIdentifier + hash("info_hash", info)
    }

    /// Nil where OpenSSL failed.
    private static let hashOfNoIdentifier = try? hash("psk_id_hash", [])

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

    /// The first failure spends the context.
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

    borrowing func export(
        _ exporterContext: ArraySlice<UInt8>, count: Int
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        let derivation = HPKEDerivation.keySchedule
        let exporterSecret = try derivation.expand(secret, "exp", keyScheduleContext[...], count: 32)
        return try derivation.expand(exporterSecret, "sec", exporterContext, count: count)
    }

    /// The base nonce with the sequence number in its last eight bytes (RFC 9180, 5.2); none is given twice.
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

/// A secret that both sides of an HPKE context hold beforehand, under a name (RFC 9180, 5.1.2).
package final class HPKEPreSharedKey: Sendable {
    let key: SecretBytes
    let identifier: [UInt8]

    /// Throws `keySizeWrong` for a key below 32 bytes, which cannot have the entropy that RFC 9180, 9.5 requires,
    /// and for an empty identifier, which means no key.
    package init(key: consuming SecretBytes, identifier: [UInt8]) throws(OpenSSLCryptoError) {
        guard key.count >= 32, !identifier.isEmpty else { throw .keySizeWrong }
        self.key = key
        self.identifier = identifier
    }
}
