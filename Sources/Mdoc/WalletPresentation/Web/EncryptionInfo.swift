package import COSE
internal import CBOR
internal import ErrorMapping
internal import MdocModel
internal import OpenSSLCrypto

/// The key and nonce of a request on the web (EncryptionInfo, ISO/IEC TS 18013-7 Annex C).
///
/// The wallet encrypts its answer for this key, and binds the answer to the text as it was sent. The text is
/// never re-encoded here.
package struct EncryptionInfo: Sendable, RedactedDescription {
    /// The encoded structure in base64url without padding.
    package let text: String
    package let nonce: PresentationNonce
    /// The key for which the wallet encrypts its answer, on P-256.
    package let recipientKey: COSEKey

    /// The maximum length of the text in characters.
    package static let maximumSize = 4096

    /// Makes the structure for a new request.
    ///
    /// - Throws: `WalletPresentationError.nonceSizeWrong` for a nonce of fewer than 16 bytes.
    package init(
        nonce: PresentationNonce, for recipient: RecipientKey
    ) throws(WalletPresentationError) {
        try self.init(
            Base64URL.encode(
                CBOREncoder.encode { encoder in
                    encoder.array(count: 2)
                    encoder.text("dcapi")
                    encoder.map(count: 2)
                    encoder.text("nonce")
                    encoder.byteString(nonce.bytes)
                    encoder.text("recipientPublicKey")
                    encoder.encoded(recipient.pair.publicKeyBytes.content)
                }))
    }

    /// Parses a text that was sent to a wallet.
    package init(_ text: String) throws(WalletPresentationError) {
        guard text.utf8.count <= Self.maximumSize, let bytes = Base64URL.decode(text.utf8) else {
            throw .notBase64URL(.encryptionInfo)
        }
        self.text = text
        let (nonce, key): (ArraySlice<UInt8>, CBORItem)
        do throws(CBORError) {
            // A depth of 4 is enough for an array, a map in the array, and the key in the map.
            let item = try CBORItem.parse(bytes[...], limits: CBORLimits(depth: 4, bytes: bytes.count))
            let parameters = try item.parametersOfDCAPI()
            let map = try parameters.map()
            nonce = try map.required("nonce", in: parameters).byteString()
            key = try map.required("recipientPublicKey", in: parameters)
        } catch {
            throw .malformed(.encryptionInfo, error)
        }
        guard nonce.count >= PresentationNonce.minimumSizeOnTheWeb else { throw .nonceSizeWrong }
        self.nonce = try PresentationNonce(Array(nonce))
        recipientKey = try mapping(COSEKey(key)) { (_: COSEError) in
            WalletPresentationError.recipientKeyUnusable
        }
        guard recipientKey.curve == .p256 else { throw .recipientKeyUnusable }
    }

    /// Whether the answer is to be encrypted for `key`.
    package func isFor(_ key: RecipientKey) -> Bool {
        guard let named = try? recipientKey.publicKey() else { return false }
        return named.encodedPoint == key.pair.privateKey.encodedPoint
    }
}

extension CBORItem {
    /// Returns the second item of `["dcapi", …]`.
    func parametersOfDCAPI() throws(CBORError) -> CBORItem {
        var fields = try array().makeIterator()
        guard let name = fields.next(), let parameters = fields.next(), fields.next() == nil else {
            throw .missingMember(at: offset)
        }
        // `CBORError` has no case for an unexpected text, so the error reports the expected type instead.
        guard name.isText("dcapi") else { throw .unexpectedType(expected: .textString, at: name.offset) }
        return parameters
    }
}
