package import COSE
internal import CBOR

/// The content of a DeviceRequest, before it is encoded for one wallet and one session.
package struct DeviceRequestDraft: Hashable, Sendable {
    /// The documents to ask for. At least one.
    package var documents: [ItemsRequest]
    /// The use cases, each with the sets of documents that answer the use case. Empty if every document is
    /// wanted.
    package var useCases: [DeviceRequestInfo.UseCase]

    package init(_ documents: [ItemsRequest], useCases: [DeviceRequestInfo.UseCase] = []) {
        self.documents = documents
        self.useCases = useCases
    }

    /// Returns the part of the request that may be sent to a wallet with these capabilities.
    ///
    /// A wallet that does not announce extended requests gets no alternatives, issuers or use cases (Q168).
    /// The wallet gets only the documents of the first set of each use case. Otherwise the holder would be
    /// asked for several documents that answer the same question.
    package func suited(to capabilities: EngagementCapabilities) -> DeviceRequestDraft {
        guard !capabilities.contains(.extendedRequest) else { return self }
        let wanted = Set(useCases.flatMap { $0.documentSets.first ?? [] })
        let documents = documents.map(\.withoutRequestInfo)
        // Without use cases every document is wanted.
        guard !wanted.isEmpty else { return DeviceRequestDraft(documents) }
        return DeviceRequestDraft(documents.indices.filter(wanted.contains).map { documents[$0] })
    }

    /// Whether a wallet with these capabilities gets a request of version 1.1.
    ///
    /// The version is 1.1 if the request has use cases, alternatives or issuers that may be sent to the
    /// wallet, or one signature over all documents.
    package func isExtended(for capabilities: EngagementCapabilities, isSigned: Bool) -> Bool {
        let request = suited(to: capabilities)
        return isSigned && capabilities.takesReaderAuthAll || !request.useCases.isEmpty
            || request.documents.contains(where: \.isExtended)
    }

    /// Encodes the request for one wallet in one session.
    ///
    /// The version is 1.1 only if `isExtended(for:isSigned:)` is true. With an identity, the whole request
    /// gets one signature if the wallet accepts `readerAuthAll`. Otherwise each document gets its own
    /// signature.
    package func encode(
        for capabilities: EngagementCapabilities, in transcript: SessionTranscript,
        signedBy identity: ReaderIdentity? = nil
    ) throws(COSEError) -> [UInt8] {
        let request = suited(to: capabilities)
        let items = request.documents.map { $0.encoded() }
        let info =
            request.useCases.isEmpty ? nil : DeviceRequestInfo(useCases: request.useCases).encoded()
        let signsAll = identity != nil && capabilities.takesReaderAuthAll
        let documents = try items.map { items throws(COSEError) in
            guard let identity, !signsAll else { return (items: items, readerAuth: [UInt8]?.none) }
            return (items, try identity.readerAuth(items, in: transcript))
        }
        return DeviceRequest.encode(
            documents,
            version: isExtended(for: capabilities, isSigned: identity != nil)
                ? DeviceRequest.secondVersion : DeviceRequest.firstVersion,
            info: info,
            readerAuthAll: signsAll ? try identity?.readerAuthAll(items, info, in: transcript) : nil)
    }
}
