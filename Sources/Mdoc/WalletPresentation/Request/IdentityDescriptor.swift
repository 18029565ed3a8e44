package import MdocModel

/// A descriptor of PassKit: a kind of document, the requested elements, and for each element the time for
/// which it may be stored.
package struct IdentityDescriptor: Sendable {
    package let document: IdentityDocument
    /// The requested elements, in the order in which they were added. No element occurs twice.
    package let elements: [(element: IdentityElement, intent: IntentToStore)]
    /// The request in the form of ISO/IEC 18013-5, with which the answer is compared.
    package let itemsRequest: ItemsRequest
    private let intents: [ElementName: IntentToStore]

    /// Makes a descriptor, and maps PassKit's elements to the elements of the document.
    ///
    /// - Throws: `IdentityDescriptorError` for a descriptor that PassKit would refuse, or that cannot be
    ///   mapped.
    package init(
        _ document: IdentityDocument, _ elements: [(element: IdentityElement, intent: IntentToStore)]
    ) throws(IdentityDescriptorError) {
        guard !elements.isEmpty else { throw .noElements }
        guard Set(elements.map(\.element)).count == elements.count else { throw .elementTwice }
        // PassKit refuses a descriptor with both an age and a question about the age.
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

    /// Returns the time for which the value of the element `name` may be stored. An element that was not
    /// requested must not be stored.
    package func intent(for name: ElementName) -> IntentToStore { intents[name] ?? .willNotStore }
}

/// The reason that PassKit would refuse a descriptor, or that its elements cannot be mapped to elements of
/// the document.
package enum IdentityDescriptorError: Error, Equatable, Sendable {
    case noElements
    case elementTwice
    case ageTwice
    case ageOutOfRange
    case elementNotOfDocument(IdentityElement)
}

/// An element of a document, with the elements that may come in its place.
struct MappedElement {
    let name: ElementName
    var substitutes: [ElementName] = []
}

/// Collects elements by namespace. If two elements of PassKit map to the same element of the document, the
/// stricter intent to store is used.
private struct ItemsRequestDraft {
    private var names: [ElementName] = []
    private var alternatives: [AlternativeDataElements] = []
    private(set) var intents: [ElementName: IntentToStore] = [:]

    /// Adds an element and its substitutes. If the element was added before, the stricter of the two intents
    /// is kept.
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

    /// Returns the request with the elements grouped by namespace. intentToRetain is set for each element
    /// that may be stored.
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
