/// The sender's end of HPKE (RFC 9180, 5): seals messages that the recipient opens in this order.
package struct HPKESealingContext: ~Copyable, Sendable {
    /// What the recipient needs: `HPKE.encapsulatedKeySize` bytes.
    package let encapsulatedKey: [UInt8]
    private var context: HPKEContext

    /// Base mode, or with a pre-shared key the mode of that. Throws `unsupportedKey` where the recipient's key is not on
    /// P-256. The ephemeral key has to be fresh and goes with the context.
    package init(
        to recipient: borrowing PublicKey, info: ArraySlice<UInt8>, preSharedKey: HPKEPreSharedKey? = nil,
        ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) {
        let secret = try HPKEKeyEncapsulation.secret(to: recipient, ephemeralKey: ephemeralKey)
        context = try HPKEContext(
            sharedSecret: secret, isAuthenticated: false, info: info, preSharedKey: preSharedKey)
        encapsulatedKey = ephemeralKey.encodedPoint
    }

    /// As above, and the sender proves to have `senderKey`.
    package init(
        to recipient: borrowing PublicKey, info: ArraySlice<UInt8>, senderKey: borrowing PrivateKey,
        preSharedKey: HPKEPreSharedKey? = nil, ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) {
        let secret = try HPKEKeyEncapsulation.secret(
            to: recipient, ephemeralKey: ephemeralKey, senderKey: senderKey)
        context = try HPKEContext(
            sharedSecret: secret, isAuthenticated: true, info: info, preSharedKey: preSharedKey)
        encapsulatedKey = ephemeralKey.encodedPoint
    }

    /// Ciphertext and 16-byte tag of the next message; `extra` is authenticated with it and not sent.
    package mutating func seal(
        _ plaintext: ArraySlice<UInt8>, authenticating extra: ArraySlice<UInt8> = []
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try context.seal(plaintext, authenticating: extra)
    }

    /// A secret that both ends can compute, at most 255 · 32 bytes (RFC 9180, 5.3).
    package borrowing func export(
        _ exporterContext: ArraySlice<UInt8>, count: Int
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        try context.export(exporterContext, count: count)
    }
}
