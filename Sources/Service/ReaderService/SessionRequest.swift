internal import COSE
internal import ErrorMapping
package import MdocModel

/// A DeviceRequest as one wallet gets it in one session.
package struct SessionRequest: Sendable {
    /// How the reader says who it is (ISO/IEC 18013-5 9.1.4).
    package enum ReaderAuthentication: String, CaseIterable, Sendable {
        case none
        /// readerAuth, document by document.
        case documents
        /// readerAuthAll, one signature over the request: only where the wallet announced that.
        case all
    }

    package let bytes: [UInt8]
    /// What is asked in `bytes`, and so what the answer is compared with.
    package let documents: [ItemsRequest]
    /// The name of who signed.
    package let identity: String?
    package let readerAuthentication: ReaderAuthentication
    /// Whether it is of version 1.1.
    package let isExtended: Bool

    /// Writes a draft, and signs it if there is an identity for it. Throws if it cannot be signed.
    init(
        _ draft: DeviceRequestDraft, for capabilities: EngagementCapabilities,
        in transcript: SessionTranscript,
        signedBy identity: ReaderIdentity?
    ) throws(PresentationFailure) {
        let draft = draft.suited(to: capabilities)
        bytes = try mapping(draft.encode(for: capabilities, in: transcript, signedBy: identity)) {
            (_: COSEError) in PresentationFailure.requestNotSigned(identity: identity?.name ?? "")
        }
        documents = draft.documents
        self.identity = identity?.name
        readerAuthentication =
            identity == nil ? .none : capabilities.takesReaderAuthAll ? .all : .documents
        isExtended = draft.isExtended(for: capabilities, isSigned: identity != nil)
    }
}
