/// HPKE (RFC 9180) in its one suite here: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM.
package enum HPKE {
    /// The size in bytes of an encapsulated key: a point as 04‖x‖y (Npk of RFC 9180, 7.1).
    package static let encapsulatedKeySize = 65

    /// What else authenticates the sender (RFC 9180, 5.1).
    enum Mode: UInt8 {
        case base = 0
        case preSharedKey = 1
        case authenticated = 2
        case authenticatedPreSharedKey = 3

        init(isAuthenticated: Bool, hasPreSharedKey: Bool) {
            switch (isAuthenticated, hasPreSharedKey) {
            case (false, false): self = .base
            case (false, true): self = .preSharedKey
            case (true, false): self = .authenticated
            case (true, true): self = .authenticatedPreSharedKey
            }
        }
    }

    /// One message to `recipient` in base mode (RFC 9180, 6.1). The ephemeral key has to be fresh and goes with it.
    package static func seal(
        _ plaintext: ArraySlice<UInt8>, to recipient: borrowing PublicKey, info: ArraySlice<UInt8>,
        authenticating extra: ArraySlice<UInt8> = [], ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        var context = try HPKESealingContext(to: recipient, info: info, ephemeralKey: ephemeralKey)
        let ciphertext = try context.seal(plaintext, authenticating: extra)
        return (context.encapsulatedKey, ciphertext)
    }

    /// The plaintext of one message in base mode (RFC 9180, 6.1).
    package static func open(
        _ ciphertext: ArraySlice<UInt8>, encapsulatedKey: ArraySlice<UInt8>,
        with recipientKey: borrowing PrivateKey, info: ArraySlice<UInt8>,
        authenticating extra: ArraySlice<UInt8> = []
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        var context = try HPKEOpeningContext(
            encapsulatedKey: encapsulatedKey, recipientKey: recipientKey, info: info)
        return try context.open(ciphertext, authenticating: extra)
    }
}
