internal import CBOR
internal import COSE
internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto
package import WalletPresentation

// The wallet asked by an app on its phone, and by a page.
extension Wallet {
    /// The envelope that answers an app (Verify with Wallet), with the wallet's fault if it has one; nil if the holder
    /// declines.
    package func envelope(
        answering items: ItemsRequest, of merchant: MerchantIdentity, nonce: PresentationNonce,
        for recipient: RecipientKey
    ) throws(WalletError) -> [UInt8]? {
        let asking = try mapping(
            presentationFault?.asking(merchant, nonce) ?? (merchant: merchant, nonce: nonce),
            WalletError.presentation)
        let transcript = SessionTranscript.inApp(
            asking.merchant, nonce: asking.nonce, recipientKeyHash: recipient.hash)
        guard let response = try response(to: DeviceRequest.encode([(items.encoded(), nil)]), in: transcript)
        else { return nil }
        do throws(OpenSSLCryptoError) {
            let key = try recipientKey(recipient.pair.privateKey.publicKey())
            let envelope = try WalletEnvelope.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("envelope", in: transcript))
            guard let presentationFault else { return envelope }
            let other = try WalletEnvelope.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("other", in: transcript))
            return presentationFault.edit(
                envelope: envelope, swappingWith: other, recipientKeyHash: recipient.hash)
        } catch {
            throw .cryptography(error)
        }
    }

    /// The text that answers a page (ISO/IEC TS 18013-7 Annex C), with the wallet's fault if it has one; nil if the
    /// holder declines.
    package func webResponse(
        answering deviceRequest: [UInt8], encryptionInfo: EncryptionInfo, on origin: WebOrigin
    ) throws(WalletError) -> String? {
        let asking = try mapping(
            presentationFault?.asking(encryptionInfo, on: origin) ?? (
                info: encryptionInfo.text, origin: origin
            ), WalletError.presentation)
        let transcript = SessionTranscript.onTheWeb(encryptionInfo: asking.info, origin: asking.origin)
        guard let response = try response(to: deviceRequest, in: transcript) else { return nil }
        let own = try mapping(encryptionInfo.recipientKey.publicKey()) { (error: COSEError) in
            WalletError.holder(.readerKey(error))
        }
        do throws(OpenSSLCryptoError) {
            let key = try recipientKey(own)
            let text = try EncryptedResponse.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("response", in: transcript))
            guard let presentationFault else { return text }
            let other = try EncryptedResponse.seal(
                response, to: key, in: transcript, ephemeralKey: ephemeralKey("other", in: transcript))
            return presentationFault.edit(webResponse: text, swappingWith: other)
        } catch {
            throw .cryptography(error)
        }
    }

    /// DeviceResponse; nil if the holder declines.
    private func response(
        to deviceRequest: [UInt8], in transcript: SessionTranscript
    ) throws(WalletError) -> [UInt8]? {
        let answer = try mapping(
            holder.answer(deviceRequest[...], transcript: transcript), WalletError.holder)
        guard case .response(let response) = answer else { return nil }
        guard let presentationFault, let item = try? CBORItem.parse(response[...]) else { return response }
        var draft = CBORDraft(item)
        presentationFault.edit(response: &draft)
        return draft.encode()
    }

    /// A key that seals in this transcript alone.
    private func ephemeralKey(
        _ purpose: String, in transcript: SessionTranscript
    ) throws(OpenSSLCryptoError) -> PrivateKey {
        let digest = Base64URL.encode(Digest(.sha256, of: transcript.encoded).bytes)
        return try entropy.key(on: .p256, for: "ephemeral key \(purpose) \(digest)")
    }

    /// For whom it is sealed.
    private func recipientKey(_ own: consuming PublicKey) throws(OpenSSLCryptoError) -> PublicKey {
        guard presentationFault == .otherKey else { return own }
        return try entropy.key(on: .p256, for: "other recipient").publicKey()
    }
}
