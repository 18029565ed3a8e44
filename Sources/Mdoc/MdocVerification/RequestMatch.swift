internal import CBOR
package import MdocModel

/// The request to compare a response with.
package enum RequestComparison: Sendable {
    /// The items that were requested in this transaction.
    case requested([ItemsRequest])
    /// No comparison: a stored response is verified without its request, and the result says so.
    case notCompared
}

/// The proof that a document was compared with the request, element by element (ISO/IEC 18013-5
/// 8.3.2.1.2.2). With `RequestComparison.notCompared` it only proves that no element was returned twice.
struct RequestMatchProof: ~Copyable {
    /// The issuer-signed elements that were not requested. Their presence is reported, and their values never
    /// leave the verification (Q163).
    let withheld: Set<ElementName>

    fileprivate init(withheld: Set<ElementName>) {
        self.withheld = withheld
    }
}

/// Compares the document with the request: its type, the elements that the phone asserts, and each
/// issuer-signed element.
func checkRequestMatch(
    of document: UnverifiedDocument, isRepetition: Bool, with comparison: RequestComparison,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> RequestMatchProof {
    guard !isRepetition else { throw .documentTwice }
    // No other check reports these deviations in the encoding of the document and the response.
    if document.hasNullMembers { deviations.append(.nullMember) }
    if document.hasUnreadableErrors { deviations.append(.unreadableErrors) }
    if document.hasIndefiniteLength { deviations.append(.indefiniteResponse) }
    if document.hasChunkedItems { deviations.append(.chunkedItem) }
    try refuseElementsTwice(in: document)
    guard case .requested(let requests) = comparison else { return RequestMatchProof(withheld: []) }
    let matching = requests.filter { $0.docType == document.docType }
    guard !matching.isEmpty else { throw .docTypeNotRequested }
    for element in document.deviceSigned.elements {
        guard matching.contains(where: { $0.asks(for: element.identifier, in: element.nameSpace) }) else {
            throw .elementNotRequested(
                ElementName(nameSpace: element.nameSpace, identifier: element.identifier))
        }
    }
    var withheld: Set<ElementName> = []
    for nameSpace in document.nameSpaces {
        for item in nameSpace.items where !(try item.isAnswer(in: nameSpace.name, to: matching)) {
            withheld.insert(item.name(in: nameSpace.name))
        }
    }
    if !withheld.isEmpty { deviations.append(.unrequestedElement) }
    reportMissingPortrait(of: document, requests: matching, to: &deviations)
    return RequestMatchProof(withheld: withheld)
}

/// Checks that no element was returned twice, because it would be unclear which of the two values is right.
/// Both copies may be signed by the issuer, or one of them by the phone.
private func refuseElementsTwice(in document: UnverifiedDocument) throws(CheckFailure) {
    let isUsual = document.nameSpaces.allSatisfy(\.isShortAndPlain) && document.deviceSigned.elements.isEmpty
    // A document with few items, all signed by the issuer, is compared without a Set. This is faster for
    // usual documents.
    guard isUsual else { return try refuseElementsTwiceAmongMany(in: document) }
    for nameSpace in document.nameSpaces {
        let identifiers = nameSpace.items.map(\.identifier)
        for (index, identifier) in identifiers.enumerated() where identifiers[..<index].contains(identifier) {
            throw .elementTwice(nameSpace.items[index].name(in: nameSpace.name))
        }
    }
}

extension UnverifiedNameSpace {
    /// Whether the namespace has few items, and only ASCII names. Non-ASCII names can be equal as Unicode
    /// although their bytes differ, such as K and the Kelvin sign U+212A.
    fileprivate var isShortAndPlain: Bool {
        items.count <= 32 && name.utf8.allSatisfy { $0 < 0x80 }
            && items.allSatisfy { item in item.identifierUTF8.allSatisfy { $0 < 0x80 } }
    }
}

/// Checks that no element was returned twice, for documents of any size.
private func refuseElementsTwiceAmongMany(in document: UnverifiedDocument) throws(CheckFailure) {
    var seen: Set<ElementName> = []
    for nameSpace in document.nameSpaces {
        for item in nameSpace.items {
            let name = item.name(in: nameSpace.name)
            guard seen.insert(name).inserted else { throw .elementTwice(name) }
        }
    }
    for element in document.deviceSigned.elements {
        let name = ElementName(nameSpace: element.nameSpace, identifier: element.identifier)
        guard seen.insert(name).inserted else { throw .elementTwice(name) }
    }
}

/// Adds a deviation for each namespace that lacks a requested portrait although other elements of that
/// namespace were returned.
private func reportMissingPortrait(
    of document: UnverifiedDocument, requests: [ItemsRequest], to deviations: inout [Deviation]
) {
    let wanted = requests.lazy.flatMap(\.nameSpaces).filter { space in
        space.elements.contains { $0.identifier == "portrait" }
    }
    for nameSpace in wanted {
        let items = document.nameSpaces.first { $0.name == nameSpace.name }?.items ?? []
        if !items.isEmpty, !items.contains(where: { $0.isNamed("portrait") }) {
            deviations.append(.portraitMissing)
        }
    }
}

extension UnverifiedIssuerSignedItem {
    /// Whether the item was requested by name, or is an age attestation that answers a requested age.
    ///
    /// - Throws: `ageNotNearest` for an attestation that answers no requested age.
    fileprivate func isAnswer(
        in nameSpace: String, to requests: [ItemsRequest]
    ) throws(CheckFailure) -> Bool {
        // A local copy, since the property decodes the name at each access.
        let identifier = identifier
        if requests.contains(where: { $0.asks(for: identifier, in: nameSpace) }) { return true }
        guard let attestation = AgeAttestation(identifier) else { return false }
        let asked = requests.lazy.flatMap(\.nameSpaces).filter { $0.name == nameSpace }.flatMap(\.elements)
            .compactMap { AgeAttestation($0.identifier)?.years }
        // Without a question about age the attestation is withheld, like any element that was not requested.
        guard !asked.isEmpty else { return false }
        guard let value = try? value.boolean(),
            asked.contains(where: { attestation.answer(value, toAtLeast: $0) != nil })
        else { throw .ageNotNearest(name(in: nameSpace)) }
        return true
    }
}
