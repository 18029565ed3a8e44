package import COSE
internal import CBOR

/// What we ask in one DeviceRequest, before it is written for one wallet and one session.
package struct DeviceRequestDraft: Hashable, Sendable {
    /// Not empty.
    package var documents: [ItemsRequest]
    /// Which of the documents answer together; empty if every document is wanted.
    package var useCases: [DeviceRequestInfo.UseCase]

    package init(_ documents: [ItemsRequest], useCases: [DeviceRequestInfo.UseCase] = []) {
        self.documents = documents
        self.useCases = useCases
    }

    /// What of it may be sent to a wallet with these capabilities: one that knows no extended requests gets no
    /// alternatives, issuers or use cases (Q168), and of each use case only the documents of the first set, so that it does
    /// not return what another document answers already.
    package func suited(to capabilities: EngagementCapabilities) -> DeviceRequestDraft {
        guard !capabilities.contains(.extendedRequest) else { return self }
        let wanted = Set(useCases.flatMap { $0.documentSets.first ?? [] })
        let documents = documents.map(\.withoutRequestInfo)
        guard !wanted.isEmpty else { return DeviceRequestDraft(documents) }
        return DeviceRequestDraft(documents.indices.filter(wanted.contains).map { documents[$0] })
    }

    /// Whether a wallet with these capabilities gets version 1.1: the request has use cases, alternatives or issuers that the wallet
    /// may be sent, or one signature over all documents.
    package func isExtended(for capabilities: EngagementCapabilities, isSigned: Bool) -> Bool {
        let request = suited(to: capabilities)
        return isSigned && capabilities.takesReaderAuthAll || !request.useCases.isEmpty
            || request.documents.contains(where: \.isExtended)
    }

    /// Writes the request for one wallet in one session.
    ///
    /// Its version is 1.1 only if the wallet announced extended requests and `isExtended(for:isSigned:)` finds something of them in
    /// use. With an identity the whole request gets one signature if the wallet announced that, otherwise each document gets its own.
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
