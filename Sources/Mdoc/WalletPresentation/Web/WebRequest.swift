package import COSE
package import MdocModel

/// A request over the Digital Credentials API (`org-iso-mdoc`, ISO/IEC TS 18013-7 Annex C), ready for the
/// page.
package struct WebRequest: Sendable {
    /// The name of the protocol in the Digital Credentials API.
    package static let protocolName = "org-iso-mdoc"

    package let encryptionInfo: EncryptionInfo
    /// The only origin from which the page may send the request.
    package let origin: WebOrigin
    /// The text of the member `deviceRequest`: base64url without padding.
    package let deviceRequest: String
    /// The requested documents and elements, with which the answer is compared.
    package let documents: [ItemsRequest]

    /// Encodes a DeviceRequest 1.1, with one signature over the whole request (readerAuthAll) if `identity`
    /// is not `nil`.
    ///
    /// A draft without use cases asks for all its documents together.
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
                // Without an engagement no wallet announces capabilities. The capabilities that version 1.1
                // needs are assumed.
                for: [.extendedRequest, .readerAuthAll], in: transcript, signedBy: identity))
        self.encryptionInfo = encryptionInfo
        self.origin = origin
        documents = draft.documents
    }
}
