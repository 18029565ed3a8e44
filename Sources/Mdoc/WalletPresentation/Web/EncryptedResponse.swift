internal import CBOR
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// The encrypted answer of the Digital Credentials API (EncryptedResponse, ISO/IEC TS 18013-7 Annex C), which
/// `navigator.credentials.get` returns under `org-iso-mdoc`.
package struct EncryptedResponse: Sendable, RedactedDescription {
    /// The encapsulated key of HPKE (enc), 65 bytes.
    package let encapsulatedKey: ArraySlice<UInt8>
    package let ciphertext: ArraySlice<UInt8>

    /// The maximum size of a response in bytes.
    package static let maximumSize = 1 << 20

    /// Parses the text of the member `response`: base64url without padding.
    package init(_ text: some Collection<UInt8>) throws(WalletPresentationError) {
        // The length of `maximumSize` bytes in base64url without padding.
        guard text.count <= (Self.maximumSize * 4 + 2) / 3, let bytes = Base64URL.decode(text) else {
            throw .notBase64URL(.encryptedResponse)
        }
        try self.init(decoded: bytes[...])
    }

    /// Parses the decoded bytes of a response. Nothing is decrypted.
    package init(decoded bytes: ArraySlice<UInt8>) throws(WalletPresentationError) {
        // A depth of 4 is enough, since the answer in the structure is an encrypted byte string.
        let limits = CBORLimits(depth: 4, bytes: Self.maximumSize)
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            let parameters = try item.parametersOfDCAPI()
            let map = try parameters.map()
            encapsulatedKey = try map.required("enc", in: parameters).byteString()
            ciphertext = try map.required("cipherText", in: parameters).byteString()
        } catch {
            throw .malformed(.encryptedResponse, error)
        }
        guard encapsulatedKey.count == HPKE.encapsulatedKeySize else { throw .sizeWrong(.encryptedResponse) }
    }

    /// Opens the response as the answer to the request that a page of `origin` made with `info`.
    ///
    /// - Parameters:
    ///   - nonce: The proof that the nonce belongs to this session and is used once.
    ///   - others: Other configured origins, used only to choose the error. At most four are checked.
    /// - Throws: `WalletPresentationError` if the response is not an answer to this request.
    package func open(
        with key: RecipientKey, encryptionInfo info: EncryptionInfo, origin: WebOrigin,
        answering nonce: consuming SpentNonce, others: [WebOrigin] = []
    ) throws(WalletPresentationError) -> OpenedPresentation {
        guard info.isFor(key) else { throw .recipientKeyUnknown }
        guard info.nonce == nonce.nonce else { throw .nonceOther }
        let transcript = SessionTranscript.onTheWeb(encryptionInfo: info.text, origin: origin)
        let plaintext: [UInt8]
        do throws(WalletPresentationError) {
            plaintext = try open(with: key, in: transcript)
        } catch .notOpened {
            throw mismatch(of: info, origin: origin, key: key, others: others.prefix(4))
        } catch {
            // A catch with a pattern is not exhaustive, so this clause passes on every other error.
            throw error
        }
        let item = try mapping(CBORItem.parse(plaintext[...]), PresentationStructure.plaintext.malformed)
        return OpenedPresentation(
            channel: .web, response: try UnverifiedResponse(inPlaintext: item), transcript: transcript,
            isReplayChecked: nonce.isReplayChecked, isOfPublishedExample: false)
    }

    private func open(
        with key: RecipientKey, in transcript: SessionTranscript
    ) throws(WalletPresentationError) -> [UInt8] {
        try key.open(ciphertext, encapsulatedKey: encapsulatedKey, info: transcript.encoded)
    }

    /// Returns the error for a response that does not open: `originOther`, `encryptionInfoReencoded` or
    /// `notOpened`.
    private func mismatch(
        of info: EncryptionInfo, origin: WebOrigin, key: RecipientKey, others: ArraySlice<WebOrigin>
    ) -> WalletPresentationError {
        // The response does not identify its request, so only decryption shows to which candidate it belongs.
        // A decryption costs a key agreement, so the number of candidates is limited.
        func isSealed(_ text: String, _ origin: WebOrigin) -> Bool {
            (try? open(with: key, in: .onTheWeb(encryptionInfo: text, origin: origin))) != nil
        }
        if others.contains(where: { isSealed(info.text, $0) }) { return .originOther }
        if info.text.otherBase64Forms.contains(where: { isSealed($0, origin) }) {
            return .encryptionInfoReencoded
        }
        return .notOpened
    }

    /// Encrypts `response` as a wallet does, and returns the text of the member `response`. Only the software
    /// wallet and tests call it.
    ///
    /// - Parameter ephemeralKey: A fresh key, used only for this answer.
    package static func seal(
        _ response: [UInt8], to recipient: borrowing PublicKey, in transcript: SessionTranscript,
        ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) -> String {
        let (encapsulatedKey, ciphertext) = try HPKE.seal(
            response[...], to: recipient, info: transcript.encoded, ephemeralKey: ephemeralKey)
        return Base64URL.encode(
            CBOREncoder.encode { encoder in
                encoder.array(count: 2)
                encoder.text("dcapi")
                encoder.map(count: 2)
                encoder.text("enc")
                encoder.byteString(encapsulatedKey)
                encoder.text("cipherText")
                encoder.byteString(ciphertext)
            })
    }
}

extension String {
    /// This base64url text with padding, in base64 without padding, and in base64 with padding.
    fileprivate var otherBase64Forms: Set<String> {
        let padding = String(repeating: "=", count: (4 - utf8.count % 4) % 4)
        let standard = String(map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        return Set([self + padding, standard, standard + padding]).subtracting([self])
    }
}
