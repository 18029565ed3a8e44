package import CBOR
package import COSE
package import MdocModel
package import MdocSession

extension CBORError {
    /// In plain words, with the byte it happened at.
    package var explanation: String {
        switch self {
        case .truncated(let offset): "the bytes end inside an item (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the item (byte \(offset))"
        case .reservedAdditionalInformation(let offset): "a reserved head (byte \(offset))"
        case .reservedSimpleValue(let offset): "a reserved simple value (byte \(offset))"
        case .unexpectedBreak(let offset): "a break outside an open item (byte \(offset))"
        case .misplacedChunk(let offset): "a chunk of another type than its string (byte \(offset))"
        case .invalidUTF8(let offset): "text that is not UTF-8 (byte \(offset))"
        case .duplicateKey(let offset): "a key that stands twice in its map (byte \(offset))"
        case .tooDeep(let offset): "items nest too deeply (byte \(offset))"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .tooMany(let limit): "it repeats something more than \(limit) times"
        case .unexpectedType(let expected, let offset): "\(expected.name) was due at byte \(offset)"
        case .outOfRange(let offset): "an integer out of its range (byte \(offset))"
        case .missingMember(let offset): "a required member is missing from the item at byte \(offset)"
        }
    }
}

extension CBORType {
    fileprivate var name: String {
        switch self {
        case .integer: "an integer"
        case .unsigned: "an unsigned integer"
        case .byteString: "a byte string"
        case .textString: "a text string"
        case .array: "an array"
        case .map: "a map"
        case .tag(let number): "tag \(number)"
        case .boolean: "true or false"
        }
    }
}

extension MdocStructure {
    /// The name that ISO/IEC 18013-5 gives it.
    package var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension MdocModelError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .misshapen(let structure, let error):
            "the \(structure.name) does not decode: \(error.explanation)"
        case .cose(let structure, let error): "in the \(structure.name), \(error.explanation)"
        case .unsupportedVersion(let structure): "the \(structure.name) has a version other than 1.x"
        case .unsupportedCipherSuite(let suite): "cipher suite \(suite) is not supported"
        case .notADate(let offset): "a date is none (byte \(offset))"
        case .notAnEngagementURI: "the text is no mdoc: URI"
        }
    }
}

extension COSEError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .misshapen(.sign1): "the signature is no COSE_Sign1"
        case .misshapen(.mac0): "the MAC is no COSE_Mac0"
        case .misshapen(.key): "the key is no COSE_Key"
        case .labelInBothHeaders(let label): "header \(label) stands both protected and unprotected"
        case .textLabelInBothHeaders: "a header stands both protected and unprotected"
        case .algorithmMissing: "the protected header names no algorithm"
        case .algorithmNotAllowed(let identifier):
            "algorithm \(identifier) is not allowed here or with this key"
        case .criticalHeaderNotUnderstood: "a critical header is not understood"
        case .payloadMisplaced: "the payload is missing, or is there where it must be detached"
        case .keyNotUsable: "the key is none of its curve, or of a kind that is not supported"
        case .privateKeyPresent: "the key carries its private part"
        case .certificateChainMisshapen: "there is no issuer certificate (x5chain)"
        case .signatureInvalid: "the signature or MAC is not valid for these bytes and this key"
        case .signatureMisshapen: "the signature or MAC has not the size or form of its algorithm"
        case .cryptography(let error): error.explanation
        }
    }
}

extension SessionError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .keyAgreementFailed: "the reader's and the phone's ephemeral keys do not belong together"
        case .misshapen(let error): error.explanation
        case .decryptionFailed: "the message does not decrypt: other keys or transcript, or changed bytes"
        case .unexpectedMessage: "a message that was not due"
        case .cryptography(let error): error.explanation
        }
    }
}
