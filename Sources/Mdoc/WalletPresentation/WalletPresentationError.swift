package import CBOR
package import MdocModel

/// Why a presentation through an app or the web was not opened. None names a value of the message.
package enum WalletPresentationError: Error, Equatable, Sendable {
    // What came

    /// The bytes do not decode as this structure.
    case malformed(PresentationStructure, CBORError)
    /// A key or hash in this structure has not its size.
    case sizeWrong(PresentationStructure)
    /// The text is not base64url without padding, or too long.
    case notBase64URL(PresentationStructure)
    /// An envelope of another algorithm than `APPLE-HPKE-v1`.
    case algorithmUnknown
    /// An HPKE mode other than base.
    case modeUnknown(UInt64)
    /// What was opened holds no DeviceResponse.
    case response(MdocModelError)

    // For whom and where

    /// Sealed for a key that is not ours, or is not the key of the request.
    case recipientKeyUnknown
    /// Sealed in a request of another of our merchants.
    case merchantOther
    /// Sealed in a request of another of our teams.
    case teamOther
    /// infoHash is not that of the transcript: another nonce, merchant or team.
    case infoHashWrong
    /// Sealed in a request of another of our origins.
    case originOther
    /// Sealed in a request whose encryptionInfo was re-encoded on its way to the wallet.
    case encryptionInfoReencoded
    /// encryptionInfo is that of another nonce.
    case nonceOther
    /// The encapsulated key is not a point of P-256.
    case encapsulatedKeyInvalid
    /// The ciphertext does not belong to encapsulated key, recipient and transcript.
    case notOpened

    // What we are configured with

    /// A merchant or team identifier that is empty, too long, or has characters that cannot be seen.
    case identifierMalformed
    /// Not the serialised origin of a secure page, nor an Android app's.
    case originMalformed
    /// A nonce has 1 to 64 bytes, on the web at least 16.
    case nonceSizeWrong
    /// The recipient's key is not on P-256.
    case recipientKeyUnusable
    /// OpenSSL reported an error in the computation.
    case computationFailed
}

package enum PresentationStructure: String, Sendable {
    case envelope, encryptionInfo, encryptedResponse, plaintext
}

extension WalletPresentationError {
    /// A name for programs, one of each case.
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
    func required(_ key: StaticString, in item: CBORItem) throws(CBORError) -> CBORItem {
        guard let value = self[key] else { throw .missingMember(at: item.offset) }
        return value
    }
}

extension WalletPresentationError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .malformed(let structure, let error):
            "the \(structure.name) does not decode: \(error.explanation)"
        case .sizeWrong(let structure): "a key or hash in the \(structure.name) does not have the right size"
        case .notBase64URL(let structure):
            "the \(structure.name) is not base64url without padding, or is too long"
        case .algorithmUnknown: "the envelope is of another algorithm than APPLE-HPKE-v1"
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
            "an origin must be as browsers write it: https://shop.example, without a slash at its end; an Android app's is android:apk-key-hash: and 43 characters of base64url"
        case .nonceSizeWrong: "a nonce must have 1 to 64 bytes, on the web 16 to 64"
        case .recipientKeyUnusable: "the recipient's key is not on P-256"
        case .computationFailed: "OpenSSL reported an error in the computation"
        }
    }

    /// Whether bytes are not the message they should be, whoever sealed it.
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
