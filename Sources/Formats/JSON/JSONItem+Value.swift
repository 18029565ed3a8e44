extension JSONItem {
    package func string() throws(JSONError) -> String {
        guard case .string(let text) = value else { throw .unexpectedType(expected: .string, at: offset) }
        return text
    }

    package func integer() throws(JSONError) -> Int64 {
        guard case .integer(let number) = value else { throw .unexpectedType(expected: .integer, at: offset) }
        return number
    }

    package func boolean() throws(JSONError) -> Bool {
        guard case .boolean(let flag) = value else { throw .unexpectedType(expected: .boolean, at: offset) }
        return flag
    }

    package func array() throws(JSONError) -> [JSONItem] {
        guard case .array(let items) = value else { throw .unexpectedType(expected: .array, at: offset) }
        return items
    }

    /// The members of an object that has no others than `known`; a misspelt one would pass for one left out.
    package func members(_ known: String...) throws(JSONError) -> JSONMembers {
        try members(among: known)
    }

    /// As `members(_:)`.
    package func members(among known: [String]) throws(JSONError) -> JSONMembers {
        guard case .object(let members) = value else { throw .unexpectedType(expected: .object, at: offset) }
        var items: [String: JSONItem] = [:]
        for member in members {
            // By its bytes: `==` takes canonically equivalent texts for the same.
            guard let name = known.first(where: { $0.utf8.elementsEqual(member.name.utf8) }) else {
                throw .unknownMember(at: member.offset)
            }
            items[name] = member.item
        }
        return JSONMembers(items: items, offset: offset)
    }
}

package struct JSONMembers: Sendable {
    fileprivate let items: [String: JSONItem]
    /// Where the object starts.
    package let offset: Int

    /// Nil if the member was left out.
    package subscript(_ name: String) -> JSONItem? { items[name] }

    package func required(_ name: String) throws(JSONError) -> JSONItem {
        guard let item = items[name] else { throw .missingMember(name, at: offset) }
        return item
    }
}
