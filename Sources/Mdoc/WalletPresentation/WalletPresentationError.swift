package import CBOR
package import MdocModel

/// The reason that a presentation through an app or a web page was not opened. No case holds a value from the
/// message.
package enum WalletPresentationError: Error, Equatable, Sendable {
    // Faults of the received message:

    /// The bytes do not decode as this structure.
    case malformed(PresentationStructure, CBORError)
    /// A key or hash in this structure does not have the required size.
    case sizeWrong(PresentationStructure)
    /// The text is not base64url without padding, or is too long.
    case notBase64URL(PresentationStructure)
    /// The envelope has an algorithm other than `APPLE-HPKE-v1`.
    case algorithmUnknown
    /// The HPKE mode is not base mode (0).
    case modeUnknown(UInt64)
    /// The decrypted content is not a DeviceResponse.
    case response(MdocModelError)

    // Messages for another recipient or request:

    /// The answer is encrypted for a key that is not configured here, or is not the key of the request.
    case recipientKeyUnknown
    /// The answer belongs to a request of another configured merchant.
    case merchantOther
    /// The answer belongs to a request of another configured team.
    case teamOther
    /// The infoHash is not the hash of the transcript, because the nonce, merchant or team differs.
    case infoHashWrong
    /// The answer belongs to a request of another configured origin.
    case originOther
    /// The page re-encoded encryptionInfo on its way to the wallet.
    case encryptionInfoReencoded
    /// The encryptionInfo has another nonce than the request.
    case nonceOther
    /// The encapsulated key is not a point on P-256.
    case encapsulatedKeyInvalid
    /// The ciphertext does not belong to the encapsulated key, the recipient and the transcript.
    case notOpened

    // Faults of the configuration and the computation:

    /// A merchant or team identifier is empty, too long, or has invisible characters.
    case identifierMalformed
    /// The text is neither the serialised origin of a secure page nor the origin of an Android app.
    case originMalformed
    /// The nonce does not have the required size: 1 to 64 bytes, and 16 to 64 bytes on the web.
    case nonceSizeWrong
    /// The recipient's key is not on P-256.
    case recipientKeyUnusable
    /// OpenSSL reported an error in the computation.
    case computationFailed
}

/// The structure that an error is about.
package enum PresentationStructure: String, Sendable {
    case envelope, encryptionInfo, encryptedResponse, plaintext
}

extension WalletPresentationError {
    /// The stable id of the error for programs, one for each case.
    package var id: String {
        switch self {
        case .malformed: "presentation.malformed"
        case .sizeWrong: "presentation.size"
        case .notBase64URL: "presentation.base64url"
        case .algorithmUnknown: "presentation.algorithm"
        case .modeUnknown: "presentation.mode"
        case .response: "presentation.response"
        case .recipientKeyUnknown: "presentation.recipient_key"
        case .merchantOther: "presentation.other_merchant"
        case .teamOther: "presentation.other_team"
        case .infoHashWrong: "presentation.info_hash"
        case .originOther: "presentation.other_origin"
        case .encryptionInfoReencoded: "presentation.encryption_info_reencoded"
        case .nonceOther: "presentation.other_nonce"
        case .encapsulatedKeyInvalid: "presentation.encapsulated_key"
        case .notOpened: "presentation.not_opened"
        case .identifierMalformed: "presentation.identifier"
        case .originMalformed: "presentation.origin"
        case .nonceSizeWrong: "presentation.nonce_size"
        case .recipientKeyUnusable: "presentation.recipient_key_unusable"
        case .computationFailed: "presentation.computation"
        }
    }
}

extension PresentationStructure {
    func malformed(_ error: CBORError) -> WalletPresentationError { .malformed(self, error) }
}

extension CBORMap {
    /// Returns the member `key`. Unlike the function of this name in `MdocModel`, it does not count null as
    /// absent.
    ///
    /// - Throws: `CBORError.missingMember` if the map has no such member.
    func required(_ key: StaticString, in item: CBORItem) throws(CBORError) -> CBORItem {
        guard let value = self[key] else { throw .missingMember(at: item.offset) }
        return value
    }
}

extension WalletPresentationError {
    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .malformed(let structure, let error):
            "the \(structure.name) does not decode: \(error.explanation)"
        case .sizeWrong(let structure): "a key or hash in the \(structure.name) does not have the right size"
        case .notBase64URL(let structure):
            "the \(structure.name) is not base64url without padding, or is too long"
        case .algorithmUnknown: "the envelope's algorithm is not APPLE-HPKE-v1"
        case .modeUnknown(let mode): "the envelope has HPKE mode \(mode); it must be base mode (0)"
        case .response(let error): error.explanation
        case .recipientKeyUnknown: "the answer is encrypted for a key that is not configured here"
        case .merchantOther: "the answer belongs to a request of another configured merchant"
        case .teamOther: "the answer belongs to a request of another configured team"
        case .infoHashWrong: "the answer belongs to another request: its nonce, merchant or team differs"
        case .originOther: "the answer belongs to a request of another configured origin"
        case .encryptionInfoReencoded:
            "the page re-encoded encryptionInfo: pass it to the wallet as it was sent"
        case .nonceOther: "encryptionInfo does not have the nonce of the request"
        case .encapsulatedKeyInvalid: "the encapsulated key is not a point on P-256"
        case .notOpened: "the answer does not decrypt: it is for another key or request, or was changed"
        case .identifierMalformed:
            "a merchant or team identifier must have 1 to 255 visible ASCII characters and no space"
        case .originMalformed:
            "an origin must be as browsers write it: https://shop.example, without a slash at its end; the origin of an Android app is android:apk-key-hash: followed by 43 characters of base64url"
        case .nonceSizeWrong: "a nonce must have 1 to 64 bytes, or 16 to 64 bytes on the web"
        case .recipientKeyUnusable: "the recipient's key is not on P-256"
        case .computationFailed: "OpenSSL reported an error in the computation"
        }
    }

    /// Whether the bytes have a wrong form. False for errors of keys, of the request or of the configuration.
    package var isAboutForm: Bool {
        switch self {
        case .malformed, .sizeWrong, .notBase64URL, .algorithmUnknown, .modeUnknown, .response: true
        case .recipientKeyUnknown, .merchantOther, .teamOther, .infoHashWrong, .originOther,
            .encryptionInfoReencoded, .nonceOther, .encapsulatedKeyInvalid, .notOpened,
            .identifierMalformed, .originMalformed, .nonceSizeWrong, .recipientKeyUnusable,
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
