package import CBOR

/// ItemsRequest (ISO/IEC 18013-5 8.3.2.1.2.1): which elements of which document, and which of them will be kept.
package struct ItemsRequest: Hashable, Sendable {
    package struct Element: Hashable, Sendable {
        package let identifier: String
        package let intentToRetain: Bool

        package init(identifier: String, intentToRetain: Bool) {
            self.identifier = identifier
            self.intentToRetain = intentToRetain
        }
    }

    package struct NameSpace: Hashable, Sendable {
        package let name: String
        package var elements: [Element]

        package init(name: String, elements: [Element]) {
            self.name = name
            self.elements = elements
        }
    }

    package let docType: String
    /// In the order they are written; no name twice.
    package var nameSpaces: [NameSpace]

    package init(docType: String, nameSpaces: [NameSpace]) {
        self.docType = docType
        self.nameSpaces = nameSpaces
    }

    /// Whether this element was asked for by its own name.
    package func asks(for identifier: String, in nameSpace: String) -> Bool {
        nameSpaces.contains { space in
            space.name == nameSpace && space.elements.contains { $0.identifier == identifier }
        }
    }

    package func encoded() -> EncodedCBOR<ItemsRequest> {
        EncodedCBOR(
            embedding: CBOREncoder.encode { encoder in
                encoder.map(count: 2)
                encoder.text("docType")
                encoder.text(docType)
                encoder.text("nameSpaces")
                encoder.map(count: nameSpaces.count)
                for nameSpace in nameSpaces {
                    encoder.text(nameSpace.name)
                    encoder.map(count: nameSpace.elements.count)
                    for element in nameSpace.elements {
                        encoder.text(element.identifier)
                        encoder.boolean(element.intentToRetain)
                    }
                }
            })
    }

    init(_ item: CBORItem) throws(CBORError) {
        let map = try item.map()
        docType = try map.required("docType", in: item).name()
        nameSpaces = []
        for member in try map.required("nameSpaces", in: item).map() {
            var elements: [Element] = []
            for element in try member.value.map() {
                elements.append(
                    Element(identifier: try element.key.name(), intentToRetain: try element.value.boolean()))
            }
            nameSpaces.append(NameSpace(name: try member.key.name(), elements: elements))
        }
    }
}

/// DeviceRequest (ISO/IEC 18013-5 8.3.2.1.2.1).
package struct DeviceRequest: Sendable {
    package struct DocRequest: Sendable {
        package let itemsRequestBytes: EncodedCBOR<ItemsRequest>
        package let itemsRequest: ItemsRequest
        /// The reader's COSE_Sign1 over ReaderAuthentication, not looked at here.
        package let readerAuth: CBORItem?
    }

    package let version: String
    package let docRequests: [DocRequest]

    package init(
        _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard
    ) throws(MdocModelError) {
        (version, docRequests) = try MdocStructure.deviceRequest.reading { () throws(CBORError) in
            let item = try CBORItem.parse(bytes, limits: limits)
            let map = try item.map()
            var docRequests: [DocRequest] = []
            for entry in try map.required("docRequests", in: item).array() {
                let members = try entry.map()
                let bytes = try EncodedCBOR<ItemsRequest>(members.required("itemsRequest", in: entry))
                docRequests.append(
                    DocRequest(
                        itemsRequestBytes: bytes, itemsRequest: try ItemsRequest(bytes.item(limits: limits)),
                        readerAuth: members.optional("readerAuth")))
            }
            guard !docRequests.isEmpty else { throw .missingMember(at: item.offset) }
            return (try map.required("version", in: item).name(), docRequests)
        }
        guard version.hasPrefix("1.") else { throw .unsupportedVersion(.deviceRequest) }
    }

    /// The request of version 1.0 for these documents, each with its encoded readerAuth if it has one.
    package static func encode(
        _ documents: [(items: EncodedCBOR<ItemsRequest>, readerAuth: [UInt8]?)]
    ) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.text("version")
            encoder.text("1.0")
            encoder.text("docRequests")
            encoder.array(count: documents.count)
            for document in documents {
                encoder.map(count: document.readerAuth == nil ? 1 : 2)
                encoder.text("itemsRequest")
                encoder.encoded(document.items.bytes)
                if let readerAuth = document.readerAuth {
                    encoder.text("readerAuth")
                    encoder.encoded(readerAuth)
                }
            }
        }
    }
}

/// ReaderAuthenticationBytes (ISO/IEC 18013-5 9.1.4.4), in the parts that are hashed one after the other.
package func readerAuthenticationBytes(
    transcript: SessionTranscript, itemsRequest: EncodedCBOR<ItemsRequest>
) -> [ArraySlice<UInt8>] {
    let opening = CBOREncoder.encode { encoder in
        encoder.array(count: 3)
        encoder.text("ReaderAuthentication")
    }
    let count = opening.count + transcript.encoded.count + itemsRequest.bytes.count
    return [
        EncodedCBOR<Never>.head(contentCount: count)[...], opening[...], transcript.encoded,
        itemsRequest.bytes,
    ]
}
