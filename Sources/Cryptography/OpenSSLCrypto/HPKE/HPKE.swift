/// HPKE (RFC 9180) in base mode, in its one suite here: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM.
package enum HPKE {
    /// The size in bytes of an encapsulated key: a point as 04‖x‖y (Npk of RFC 9180, 7.1).
    package static let encapsulatedKeySize = 65

    /// One message to `recipient` (RFC 9180, 6.1): ciphertext and 16-byte tag. `extra` is authenticated with it and not sent.
    /// The ephemeral key has to be fresh and goes with it. Throws `unsupportedKey` where the recipient's key is not on P-256.
    package static func seal(
        _ plaintext: ArraySlice<UInt8>, to recipient: borrowing PublicKey, info: ArraySlice<UInt8>,
        authenticating extra: ArraySlice<UInt8> = [], ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        let secret = try HPKEKeyEncapsulation.secret(to: recipient, ephemeralKey: ephemeralKey)
        var context = try HPKEContext(sharedSecret: secret, info: info)
        return (ephemeralKey.encodedPoint, try context.seal(plaintext, authenticating: extra))
    }

    /// The plaintext of one message (RFC 9180, 6.1). Throws `keyMalformed` and `pointNotOnCurve` for an invalid encapsulated
    /// key, and `unsupportedKey` if the recipient's key is not on P-256.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>, encapsulatedKey: ArraySlice<UInt8>,
        with recipientKey: borrowing PrivateKey, info: ArraySlice<UInt8>,
        authenticating extra: ArraySlice<UInt8> = []
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let ephemeral = try PublicKey(curve: .p256, uncompressedPoint: encapsulatedKey)
        let secret = try HPKEKeyEncapsulation.secret(encapsulatedIn: ephemeral, recipientKey: recipientKey)
        var context = try HPKEContext(sharedSecret: secret, info: info)
        return try context.open(ciphertext, authenticating: extra)
    }
}
