package import MdocModel
internal import CBOR
internal import OpenSSLCrypto

extension SessionTranscript {
    /// Returns the transcript of Verify with Wallet (AppleHandover, `AppleIdentityPresentment_1.0`).
    ///
    /// - Parameter recipientKeyHash: The SHA-256 of the recipient's public point (pkRHash), 32 bytes.
    package static func inApp(
        _ merchant: MerchantIdentity, nonce: PresentationNonce, recipientKeyHash: [UInt8]
    ) -> SessionTranscript {
        SessionTranscript { encoder in
            encoder.array(count: 5)
            encoder.text("AppleIdentityPresentment_1.0")
            encoder.byteString(nonce.bytes)
            encoder.text(merchant.merchantIdentifier)
            encoder.text(merchant.teamIdentifier)
            encoder.byteString(recipientKeyHash)
        }
    }

    /// Returns the transcript of ISO/IEC TS 18013-7 Annex C, over the origin and the text of encryptionInfo
    /// as it was sent.
    package static func onTheWeb(
        encryptionInfo: String, origin: WebOrigin
    ) -> SessionTranscript {
        let info = CBOREncoder.encode { encoder in
            encoder.array(count: 2)
            encoder.text(encryptionInfo)
            encoder.text(origin.serialised)
        }
        let hash = Digest(.sha256, of: info[...]).bytes
        return SessionTranscript { encoder in
            encoder.array(count: 2)
            encoder.text("dcapi")
            encoder.byteString(hash)
        }
    }
}
