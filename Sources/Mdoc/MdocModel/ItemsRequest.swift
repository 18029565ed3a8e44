package import CBOR

/// An ItemsRequest (ISO/IEC 18013-5 8.3.2.1.2.1): a document type, the requested elements, and for each
/// element whether the reader intends to store it.
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
    /// The namespaces in the order in which they are encoded. No name occurs twice.
    package var nameSpaces: [NameSpace]
    /// The alternatives to elements that the holder may lack. They may be sent only to wallets that announce
    /// extended requests (Q168).
    package var alternatives: [AlternativeDataElements]

    /// The issuers whose documents are wanted, by the key identifiers of certificates in their chains. Empty
    /// for all issuers.
    ///
    /// The identifiers may be sent only to wallets that announce extended requests (Q168). They are only a
    /// hint for the wallet. Whether an issuer is trusted is decided by the reader's trust store alone.
    package var issuerIdentifiers: [[UInt8]]
    /// The members of `requestInfo` that Countersign reads in a request of another reader, but never sends.
    /// Empty in the requests that Countersign sends.
    package let further: FurtherRequestInfo

    package init(
        docType: String, nameSpaces: [NameSpace], alternatives: [AlternativeDataElements] = [],
        issuerIdentifiers: [[UInt8]] = []
    ) {
        self.docType = docType
        self.nameSpaces = nameSpaces
        self.alternatives = alternatives
        self.issuerIdentifiers = issuerIdentifiers
        further = FurtherRequestInfo()
    }

    /// Whether the request has members that may be sent only to a wallet that announces extended requests.
    package var isExtended: Bool { !alternatives.isEmpty || !issuerIdentifiers.isEmpty }

    /// The request with only the members that every wallet understands.
    var withoutRequestInfo: ItemsRequest { ItemsRequest(docType: docType, nameSpaces: nameSpaces) }

    /// Whether this element was requested, directly or as an alternative.
    package func asks(for identifier: String, in nameSpace: String) -> Bool {
        nameSpaces.contains { space in
            space.name == nameSpace && space.elements.contains { $0.identifier == identifier }
        } || alternatives.contains { $0.offers(identifier, in: nameSpace) }
    }

    package func encoded() -> EncodedCBOR<ItemsRequest> {
        EncodedCBOR(
            embedding: CBOREncoder.encode { encoder in
                encoder.map(count: isExtended ? 3 : 2)
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
                if isExtended { encodeRequestInfo(&encoder) }
            })
    }

    private func encodeRequestInfo(_ encoder: inout CBOREncoder) {
        encoder.text("requestInfo")
        encoder.map(count: (alternatives.isEmpty ? 0 : 1) + (issuerIdentifiers.isEmpty ? 0 : 1))
        if !alternatives.isEmpty {
            encoder.text("alternativeDataElements")
            encoder.array(count: alternatives.count)
            for alternative in alternatives { alternative.encode(to: &encoder) }
        }
        if !issuerIdentifiers.isEmpty {
            encoder.text("issuerIdentifiers")
            encoder.array(count: issuerIdentifiers.count)
            for identifier in issuerIdentifiers { encoder.byteString(identifier) }
        }
    }

    /// Parses a request. Unknown members are ignored.
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
        (alternatives, issuerIdentifiers) = ([], [])
        guard let info = try map.optional("requestInfo")?.map() else {
            further = FurtherRequestInfo()
            return
        }
        further = try FurtherRequestInfo(info)
        if let list = try info.optional("alternativeDataElements")?.array() {
            for entry in list { alternatives.append(try AlternativeDataElements(entry)) }
        }
        if let list = try info.optional("issuerIdentifiers")?.array() {
            for entry in list { issuerIdentifiers.append([UInt8](try entry.byteString())) }
        }
    }
}
