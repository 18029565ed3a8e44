internal import CBOR

/// The sets of elements that a holder may return in place of an element that it lacks (ISO/IEC 18013-5 second
/// edition, requestInfo). The holder returns the first set of which it has every element.
package struct AlternativeDataElements: Hashable, Sendable {
    package let requestedElement: ElementName
    /// The sets, in order of preference. There is at least one set, and no set is empty.
    package let sets: [[ElementName]]

    package init(requestedElement: ElementName, sets: [[ElementName]]) {
        self.requestedElement = requestedElement
        self.sets = sets
    }

    /// Whether one of the sets contains this element.
    func offers(_ identifier: String, in nameSpace: String) -> Bool {
        let name = ElementName(nameSpace: nameSpace, identifier: identifier)
        return sets.contains { $0.contains(name) }
    }

    func encode(to encoder: inout CBOREncoder) {
        encoder.map(count: 2)
        encoder.text("requestedElement")
        requestedElement.encode(to: &encoder)
        encoder.text("alternativeElementSets")
        encoder.array(count: sets.count)
        for set in sets {
            encoder.array(count: set.count)
            for name in set { name.encode(to: &encoder) }
        }
    }

    init(_ item: CBORItem) throws(CBORError) {
        let map = try item.map()
        requestedElement = try ElementName(map.required("requestedElement", in: item))
        let list = try map.required("alternativeElementSets", in: item)
        sets = try list.array().map { set throws(CBORError) in
            let names = try set.array().map { name throws(CBORError) in try ElementName(name) }
            // An empty set lacks its first element, so it is reported as a missing member.
            guard !names.isEmpty else { throw .missingMember(at: set.offset) }
            return names
        }
        guard !sets.isEmpty else { throw .missingMember(at: list.offset) }
    }
}

extension ElementName {
    /// Encodes the ElementReference: namespace and name in an array.
    fileprivate func encode(to encoder: inout CBOREncoder) {
        encoder.array(count: 2)
        encoder.text(nameSpace)
        encoder.text(identifier)
    }

    fileprivate init(_ item: CBORItem) throws(CBORError) {
        var fields = try item.array().makeIterator()
        // An array with more or fewer than two entries is reported as a missing member.
        guard let nameSpace = fields.next(), let identifier = fields.next(), fields.next() == nil else {
            throw .missingMember(at: item.offset)
        }
        self.init(nameSpace: try nameSpace.name(), identifier: try identifier.name())
    }
}
