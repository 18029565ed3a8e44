package import CBOR

/// A DeviceRequest (ISO/IEC 18013-5 8.3.2.1.2.1): the documents and elements that a reader asks for.
package struct DeviceRequest: Sendable {
    package struct DocRequest: Sendable {
        package let itemsRequestBytes: EncodedCBOR<ItemsRequest>
        package let itemsRequest: ItemsRequest
        /// The reader's COSE_Sign1 over ReaderAuthentication. It is not parsed here. Nil if this DocRequest
        /// has no signature.
        package let readerAuth: CBORItem?
    }

    package let version: String
    package let docRequests: [DocRequest]
    /// The encoded DeviceRequestInfo (second edition). Nil if the version is 1.0.
    package let deviceRequestInfoBytes: EncodedCBOR<DeviceRequestInfo>?
    package let deviceRequestInfo: DeviceRequestInfo?
    /// The reader's signatures over ReaderAuthenticationAll, each a COSE_Sign1. They are not parsed here.
    /// Empty if the version is 1.0.
    package let readerAuthAll: [CBORItem]

    package init(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            version = try map.required("version", in: item).name()
            let documents = try map.required("docRequests", in: item).array()
            let docRequests = try documents.map { entry throws(CBORError) in
                try DocRequest(entry, limits: limits)
            }
            // A request without a document is reported as a missing member.
            guard !docRequests.isEmpty else { throw .missingMember(at: item.offset) }
            self.docRequests = docRequests
            // A request of version 1.0 has no members of the second edition, so members with such names count
            // as unknown and are ignored.
            guard version != Self.firstVersion else {
                (deviceRequestInfoBytes, deviceRequestInfo, readerAuthAll) = (nil, nil, [])
                return
            }
            let info = try map.optional("deviceRequestInfo").map { item throws(CBORError) in
                try EncodedCBOR<DeviceRequestInfo>(item)
            }
            deviceRequestInfoBytes = info
            deviceRequestInfo = try info.map { info throws(CBORError) in
                try DeviceRequestInfo(info.item(limits: limits), documentCount: docRequests.count)
            }
            readerAuthAll =
                try map.optional("readerAuthAll").map { item throws(CBORError) in Array(try item.array()) }
                ?? []
        } catch {
            throw .malformed(.deviceRequest, error)
        }
        guard version.hasPrefix("1.") else { throw .unsupportedVersion(.deviceRequest) }
    }

    static let firstVersion = "1.0"
    static let secondVersion = "1.1"
}

extension DeviceRequest.DocRequest {
    fileprivate init(_ entry: CBORItem, limits: CBORLimits) throws(CBORError) {
        let members = try entry.map()
        itemsRequestBytes = try EncodedCBOR(members.required("itemsRequest", in: entry))
        itemsRequest = try ItemsRequest(itemsRequestBytes.item(limits: limits))
        readerAuth = members.optional("readerAuth")
    }
}
