/// HPKE (RFC 9180) in base mode with one suite: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM.
package enum HPKE {
    /// The size of an encapsulated key in bytes: a point as 04‖x‖y (Npk of RFC 9180 7.1).
    package static let encapsulatedKeySize = 65

    /// Encrypts one message to `recipient` (RFC 9180 6.1).
    ///
    /// - Parameters:
    ///   - info: the application's context, which both sides must know.
    ///   - extra: data that is authenticated with the message and not sent.
    ///   - ephemeralKey: a fresh key on P-256. It is consumed, so that it cannot encrypt a second message.
    /// - Returns: the encapsulated key, and the ciphertext with its 16-byte tag.
    /// - Throws: `unsupportedKey` if the recipient's key is not on P-256.
    package static func seal(
        _ plaintext: ArraySlice<UInt8>, to recipient: borrowing PublicKey, info: ArraySlice<UInt8>,
        authenticating extra: ArraySlice<UInt8> = [], ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        let secret = try HPKEKeyEncapsulation.secret(to: recipient, ephemeralKey: ephemeralKey)
        var context = try HPKEContext(sharedSecret: secret, info: info)
        return (ephemeralKey.encodedPoint, try context.seal(plaintext, authenticating: extra))
    }

    /// Decrypts one message (RFC 9180 6.1).
    ///
    /// - Parameters:
    ///   - info: the application's context, as the sender used it.
    ///   - extra: the data that was authenticated with the message.
    /// - Throws: `keyMalformed` or `pointNotOnCurve` for an invalid encapsulated key, `unsupportedKey` if the
    ///   recipient's key is not on P-256, `authenticationFailed` if the message was changed.
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
