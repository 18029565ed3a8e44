/// The recipient's end of HPKE (RFC 9180, 5): opens messages in the order they were sealed.
package struct HPKEOpeningContext: ~Copyable, Sendable {
    private var context: HPKEContext

    /// Base mode, or PSK mode with a pre-shared key. Throws `keyMalformed` and `pointNotOnCurve` for an invalid
    /// encapsulated key, and `unsupportedKey` if the recipient's key is not on P-256.
    package init(
        encapsulatedKey: ArraySlice<UInt8>, recipientKey: borrowing PrivateKey, info: ArraySlice<UInt8>,
        preSharedKey: HPKEPreSharedKey? = nil
    ) throws(OpenSSLCryptoError) {
        let ephemeral = try PublicKey(curve: .p256, uncompressedPoint: encapsulatedKey)
        let secret = try HPKEKeyEncapsulation.secret(encapsulatedIn: ephemeral, recipientKey: recipientKey)
        context = try HPKEContext(
            sharedSecret: secret, isAuthenticated: false, info: info, preSharedKey: preSharedKey)
    }

    /// As above; only messages of who has the private half of `sender` open.
    package init(
        encapsulatedKey: ArraySlice<UInt8>, recipientKey: borrowing PrivateKey, info: ArraySlice<UInt8>,
        sender: borrowing PublicKey, preSharedKey: HPKEPreSharedKey? = nil
    ) throws(OpenSSLCryptoError) {
        let ephemeral = try PublicKey(curve: .p256, uncompressedPoint: encapsulatedKey)
        let secret = try HPKEKeyEncapsulation.secret(
            encapsulatedIn: ephemeral, recipientKey: recipientKey, sender: sender)
        context = try HPKEContext(
            sharedSecret: secret, isAuthenticated: true, info: info, preSharedKey: preSharedKey)
    }

    /// The plaintext of the next message. The first failure spends the context.
    package mutating func open(
        _ ciphertext: ArraySlice<UInt8>, authenticating extra: ArraySlice<UInt8> = []
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try context.open(ciphertext, authenticating: extra)
    }

    /// A secret that both ends can compute, at most 255 · 32 bytes (RFC 9180, 5.3).
    package borrowing func export(
        _ exporterContext: ArraySlice<UInt8>, count: Int
    ) throws(OpenSSLCryptoError) -> SecretBytes {
        try context.export(exporterContext, count: count)
    }
}
