internal import CBOR
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// The encrypted answer of Verify with Wallet (HPKEEnvelope), which PassKit returns in
/// `PKIdentityDocument.encryptedData`. Unknown members are ignored.
package struct WalletEnvelope: Sendable, RedactedDescription {
    /// The encapsulated key of HPKE (pkEm), 65 bytes.
    package let encapsulatedKey: ArraySlice<UInt8>
    /// The hash of the key for which the answer is encrypted (pkRHash), 32 bytes.
    package let recipientKeyHash: ArraySlice<UInt8>
    /// The SHA-256 of the transcript to which the answer is bound, 32 bytes.
    package let infoHash: ArraySlice<UInt8>
    package let ciphertext: ArraySlice<UInt8>

    /// The maximum size of an envelope in bytes.
    package static let maximumSize = 1 << 20
    private static let algorithm: StaticString = "APPLE-HPKE-v1"
    private static let baseMode: UInt64 = 0

    /// Parses an envelope. Nothing is decrypted.
    package init(_ bytes: ArraySlice<UInt8>) throws(WalletPresentationError) {
        // A depth of 4 is enough, since the answer in the structure is an encrypted byte string.
        let limits = CBORLimits(depth: 4, bytes: Self.maximumSize)
        let (algorithm, parameters): (CBORItem, CBORItem)
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            algorithm = try map.required("algorithm", in: item)
            parameters = try map.required("params", in: item)
            ciphertext = try map.required("data", in: item).byteString()
        } catch {
            throw .malformed(.envelope, error)
        }
        // The algorithm is checked before the parameters are read, since another algorithm may have other
        // parameters.
        guard algorithm.isText(Self.algorithm) else { throw .algorithmUnknown }
        let mode: UInt64
        do throws(CBORError) {
            let map = try parameters.map()
            mode = try map.required("mode", in: parameters).unsigned()
            encapsulatedKey = try map.required("pkEm", in: parameters).byteString()
            recipientKeyHash = try map.required("pkRHash", in: parameters).byteString()
            infoHash = try map.required("infoHash", in: parameters).byteString()
        } catch {
            throw .malformed(.envelope, error)
        }
        guard mode == Self.baseMode else { throw .modeUnknown(mode) }
        let hashSize = HashAlgorithm.sha256.digestSize
        guard encapsulatedKey.count == HPKE.encapsulatedKeySize, recipientKeyHash.count == hashSize,
            infoHash.count == hashSize
        else { throw .sizeWrong(.envelope) }
    }

    /// Opens the envelope. The checks are made in the order of Apple's "Verifying Wallet identity requests":
    /// the key, the transcript, then the contents.
    ///
    /// - Parameters:
    ///   - keys: All keys that the request may have used. During a rotation these include the old keys.
    ///   - nonce: The proof that the nonce belongs to this session and is used once.
    ///   - others: Other configured merchants, used only to choose the error. At most eight are checked.
    /// - Throws: `WalletPresentationError` if the envelope is not an answer to this request.
    package func open(
        with keys: [RecipientKey], as merchant: MerchantIdentity, answering nonce: consuming SpentNonce,
        others: [MerchantIdentity] = []
    ) throws(WalletPresentationError) -> OpenedPresentation {
        guard let key = keys.first(where: { recipientKeyHash.elementsEqual($0.hash) }) else {
            throw .recipientKeyUnknown
        }
        let transcript = SessionTranscript.inApp(
            merchant, nonce: nonce.nonce, recipientKeyHash: key.hash)
        guard isSealed(in: transcript) else {
            throw mismatch(of: merchant, nonce: nonce.nonce, key: key, others: others.prefix(8))
        }
        let plaintext = try key.open(
            ciphertext, encapsulatedKey: encapsulatedKey, info: transcript.encoded)
        return OpenedPresentation(
            channel: .app, response: try Self.response(in: plaintext), transcript: transcript,
            isReplayChecked: nonce.isReplayChecked, isOfPublishedExample: merchant.isOfPublishedExample)
    }

    /// Whether the envelope is bound to this transcript.
    private func isSealed(in transcript: SessionTranscript) -> Bool {
        Digest(.sha256, of: transcript.encoded).equals(infoHash)
    }

    /// Returns the error for an envelope that answers another request. For a request of another configured
    /// merchant or team, it is `merchantOther` or `teamOther`.
    private func mismatch(
        of merchant: MerchantIdentity, nonce: PresentationNonce, key: RecipientKey,
        others: ArraySlice<MerchantIdentity>
    ) -> WalletPresentationError {
        func fits(_ candidate: MerchantIdentity?) -> Bool {
            guard let candidate else { return false }
            return isSealed(
                in: .inApp(candidate, nonce: nonce, recipientKeyHash: key.hash))
        }
        // The merchant and team identifiers of every candidate were checked before, so no `try?` fails here.
        for other in others {
            let ofTeam = try? MerchantIdentity(
                merchantIdentifier: merchant.merchantIdentifier, teamIdentifier: other.teamIdentifier)
            if fits(ofTeam) { return .teamOther }
            let ofMerchant = try? MerchantIdentity(
                merchantIdentifier: other.merchantIdentifier, teamIdentifier: merchant.teamIdentifier)
            if fits(ofMerchant) || fits(other) { return .merchantOther }
        }
        return .infoHashWrong
    }

    /// Parses the decrypted content, `{"identity": DeviceResponse}`.
    private static func response(
        in plaintext: [UInt8]
    ) throws(WalletPresentationError) -> UnverifiedResponse {
        // The DeviceResponse is one level deeper here than in a presentation to a reader nearby.
        let limits = CBORLimits(depth: CBORLimits.standard.depth + 1, bytes: CBORLimits.standard.bytes)
        let structure = PresentationStructure.plaintext
        let item = try mapping(CBORItem.parse(plaintext[...], limits: limits), structure.malformed)
        let identity = try mapping(item.map().required("identity", in: item), structure.malformed)
        return try UnverifiedResponse(inPlaintext: identity)
    }

    /// Encrypts `response` as a wallet does. Only the software wallet and tests call it.
    ///
    /// - Parameter ephemeralKey: A fresh key, used only for this answer.
    package static func seal(
        _ response: [UInt8], to recipient: borrowing PublicKey, in transcript: SessionTranscript,
        ephemeralKey: consuming PrivateKey
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        let plaintext = CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.text("identity")
            encoder.encoded(response)
        }
        let (encapsulatedKey, ciphertext) = try HPKE.seal(
            plaintext[...], to: recipient, info: transcript.encoded, ephemeralKey: ephemeralKey)
        let recipientKeyHash = Digest(.sha256, of: recipient.encodedPoint[...]).bytes
        return CBOREncoder.encode { encoder in
            encoder.map(count: 3)
            encoder.text("algorithm")
            encoder.text("\(algorithm)")
            encoder.text("params")
            encoder.map(count: 4)
            encoder.text("mode")
            encoder.unsigned(baseMode)
            encoder.text("pkEm")
            encoder.byteString(encapsulatedKey)
            encoder.text("pkRHash")
            encoder.byteString(recipientKeyHash)
            encoder.text("infoHash")
            encoder.byteString(Digest(.sha256, of: transcript.encoded).bytes)
            encoder.text("data")
            encoder.byteString(ciphertext)
        }
    }
}

extension UnverifiedResponse {
    init(inPlaintext item: CBORItem) throws(WalletPresentationError) {
        do throws(MdocModelError) {
            try self.init(item)
        } catch {
            throw .response(error)
        }
    }
}
