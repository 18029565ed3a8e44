package import MdocModel

/// One of PassKit's descriptors: a kind of document, what of it is asked for, and for how long it may be kept.
package struct IdentityDescriptor: Sendable {
    package let document: IdentityDocument
    /// In the order they were added; none twice.
    package let elements: [(element: IdentityElement, intent: IntentToStore)]
    /// What it asks for in the terms of ISO/IEC 18013-5: to compare the answer with, and to ask with on the web.
    package let itemsRequest: ItemsRequest
    private let intents: [ElementName: IntentToStore]

    package init(
        _ document: IdentityDocument, _ elements: [(element: IdentityElement, intent: IntentToStore)]
    ) throws(IdentityDescriptorError) {
        guard !elements.isEmpty else { throw .noElements }
        guard Set(elements.map(\.element)).count == elements.count else { throw .elementTwice }
        let asksForAgeAtLeast = elements.contains { if case .ageAtLeast = $0.element { true } else { false } }
        if asksForAgeAtLeast, elements.contains(where: { $0.element == .age }) { throw .ageTwice }
        var draft = ItemsRequestDraft()
        for (element, intent) in elements {
            if case .ageAtLeast(let years) = element, !IdentityElement.ages.contains(years) {
                throw .ageOutOfRange
            }
            let mapped = document.mapping(of: element)
            guard !mapped.isEmpty else { throw .elementNotOfDocument(element) }
            for name in mapped { draft.add(name, intent) }
        }
        self.document = document
        self.elements = elements
        itemsRequest = draft.itemsRequest(docType: document.docType)
        intents = draft.intents
    }

    /// For how long a value of this name may be kept; what was not asked for, not at all.
    package func intent(for name: ElementName) -> IntentToStore { intents[name] ?? .willNotStore }
}

/// Why PassKit would refuse a descriptor, or we cannot map it.
package enum IdentityDescriptorError: Error, Equatable, Sendable {
    case noElements
    case elementTwice
    case ageTwice
    case ageOutOfRange
    case elementNotOfDocument(IdentityElement)
}

/// An element of a document, and what may come in its place.
struct MappedElement {
    let name: ElementName
    var substitutes: [ElementName] = []
}

/// Collects elements by namespace. Where two of PassKit's elements are one of the document, the stricter intent holds.
private struct ItemsRequestDraft {
    private var names: [ElementName] = []
    private var alternatives: [AlternativeDataElements] = []
    private(set) var intents: [ElementName: IntentToStore] = [:]

    mutating func add(_ mapped: MappedElement, _ intent: IntentToStore) {
        let isNew = intents[mapped.name] == nil
        for name in [mapped.name] + mapped.substitutes {
            intents[name] = intents[name].map(intent.stricter) ?? intent
        }
        guard isNew else { return }
        names.append(mapped.name)
        guard !mapped.substitutes.isEmpty else { return }
        alternatives.append(
            AlternativeDataElements(
                requestedElement: mapped.name, sets: mapped.substitutes.map { [$0] }))
    }

    func itemsRequest(docType: String) -> ItemsRequest {
        var nameSpaces: [ItemsRequest.NameSpace] = []
        for name in names {
            let element = ItemsRequest.Element(
                identifier: name.identifier, intentToRetain: intents[name]?.retains == true)
            if let index = nameSpaces.firstIndex(where: { $0.name == name.nameSpace }) {
                nameSpaces[index].elements.append(element)
            } else {
                nameSpaces.append(.init(name: name.nameSpace, elements: [element]))
            }
        }
        return ItemsRequest(docType: docType, nameSpaces: nameSpaces, alternatives: alternatives)
    }
}
