/// The items inside an array or map, in order, as slices of the checked buffer.
package struct CBORMembers: Sequence, IteratorProtocol, Sendable {
    private(set) var rest: ArraySlice<UInt8>

    init(bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    package mutating func next() -> CBORItem? {
        guard !rest.isEmpty else { return nil }
        let (item, end) = CBORItem.item(in: rest, at: rest.startIndex)
        rest = rest[end...]
        return item
    }
}

/// The items of an array, in order.
package struct CBORArray: Sequence, Sendable {
    let members: CBORMembers

    package func makeIterator() -> CBORMembers { members }

    /// The number of items. Walks over all of them.
    package var count: Int { reduce(into: 0) { count, _ in count += 1 } }
}

/// The keys and values of a map, in the order received.
package struct CBORMap: Sequence, Sendable {
    let members: CBORMembers

    package struct Iterator: IteratorProtocol {
        var members: CBORMembers

        package mutating func next() -> (key: CBORItem, value: CBORItem)? {
            guard let key = members.next(), let value = members.next() else { return nil }
            return (key, value)
        }
    }

    package func makeIterator() -> Iterator { Iterator(members: members) }

    /// The number of members. Walks over all of them.
    package var count: Int { reduce(into: 0) { count, _ in count += 1 } }
}
