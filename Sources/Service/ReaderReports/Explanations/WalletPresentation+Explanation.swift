package import WalletPresentation

extension WalletPresentationError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .misshapen(let structure, let error):
            "the \(structure.name) does not decode: \(error.explanation)"
        case .sizeWrong(let structure): "a key or hash in the \(structure.name) has not its size"
        case .notBase64URL(let structure):
            "the \(structure.name) is not base64url without padding, or too long"
        case .algorithmUnknown: "the envelope is of another algorithm than APPLE-HPKE-v1"
        case .modeUnknown(let mode): "the envelope is of HPKE mode \(mode); base mode (0) is due"
        case .response(let error): error.explanation
        case .recipientKeyUnknown: "it is sealed for another key than ours"
        case .merchantOther: "it was asked for as another of our merchants"
        case .teamOther: "it was asked for as another of our teams"
        case .infoHashWrong: "it answers another request: another nonce, merchant or team"
        case .originOther: "it was asked for on another of our origins"
        case .encryptionInfoReencoded: "the wallet was given encryptionInfo written anew, not as it was sent"
        case .nonceOther: "encryptionInfo has another nonce than the request"
        case .encapsulatedKeyInvalid: "the encapsulated key is no point of P-256"
        case .notOpened: "it does not decrypt: another key or request, or changed bytes"
        case .identifierMisshapen:
            "a merchant or team identifier has 1 to 255 characters of ASCII, no space among them"
        case .originMisshapen:
            "an origin is as browsers write it: https://shop.example, without a slash at its end"
        case .nonceSizeWrong: "a nonce has 1 to 64 bytes, on the web 16 to 64"
        case .recipientKeyUnusable: "the key is not on P-256"
        case .computationFailed: "OpenSSL could not carry out the computation"
        }
    }

    /// Whether bytes are not the message they should be, whoever sealed it.
    var isAboutForm: Bool {
        switch self {
        case .misshapen, .sizeWrong, .notBase64URL, .algorithmUnknown, .modeUnknown, .response: true
        case .recipientKeyUnknown, .merchantOther, .teamOther, .infoHashWrong, .originOther,
            .encryptionInfoReencoded, .nonceOther, .encapsulatedKeyInvalid, .notOpened,
            .identifierMisshapen, .originMisshapen, .nonceSizeWrong, .recipientKeyUnusable,
            .computationFailed:
            false
        }
    }
}

extension PresentationStructure {
    fileprivate var name: String {
        switch self {
        case .envelope: "envelope"
        case .encryptionInfo: "encryptionInfo"
        case .encryptedResponse: "EncryptedResponse"
        case .plaintext: "sealed answer"
        }
    }
}

extension NonceRefusal {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .unknown: "the nonce is none of ours, or was issued long ago"
        case .reused: "the nonce was used before"
        case .otherSession: "the nonce was issued to another session"
        case .otherDoor: "the nonce was issued for the other of app and web"
        case .expired: "the nonce has expired: ask anew"
        case .issuedBefore: "the same nonce was issued before"
        case .tooMany: "no more nonces are kept at a time: try later"
        }
    }
}

extension PresentationFailure {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .deviceMac: "the phone sent a MAC where only a signature can prove its key"
        case .extraDocument: "more documents came than were asked for"
        }
    }
}

extension MockSign {
    /// By what it is known, in plain words.
    package var explanation: String {
        switch self {
        case .publishedExample: "asked with the identifiers of a published example"
        case .testIssuer: "a document of the test issuer of PassKit"
        case .developerProfile: "a phone with Wallet's developer profile"
        case .simulator: "the simulator's document"
        case .testTrust: "a document of an issuer that is trusted for tests alone"
        }
    }
}
