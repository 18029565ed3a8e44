package import COSE
package import MdocModel

/// One request over the Digital Credentials API (`org-iso-mdoc`, ISO/IEC TS 18013-7 Annex C), ready for the page.
package struct WebRequest: Sendable {
    /// The protocol under which a page asks.
    package static let protocolName = "org-iso-mdoc"

    package let encryptionInfo: EncryptionInfo
    /// The page may ask from here alone.
    package let origin: WebOrigin
    /// The text of the member `deviceRequest`: base64url without padding.
    package let deviceRequest: String
    /// What was asked, to compare the answer with.
    package let documents: [ItemsRequest]

    /// DeviceRequest 1.1 signed as one (readerAuthAll), or unsigned without an identity. A draft without use cases
    /// asks for all its documents together.
    package init(
        _ draft: DeviceRequestDraft, encryptionInfo: EncryptionInfo, origin: WebOrigin,
        signedBy identity: ReaderIdentity?
    ) throws(COSEError) {
        var draft = draft
        if draft.useCases.isEmpty {
            draft.useCases = [.init(isMandatory: true, documentSets: [Array(draft.documents.indices)])]
        }
        let transcript = SessionTranscript.onTheWeb(encryptionInfo: encryptionInfo.text, origin: origin)
        deviceRequest = Base64URL.encode(
            try draft.encode(
                for: [.extendedRequest, .readerAuthAll], in: transcript, signedBy: identity))
        self.encryptionInfo = encryptionInfo
        self.origin = origin
        documents = draft.documents
    }
}
