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

    /// Returns the members of an object. Unknown members are refused, because a misspelt optional member
    /// would otherwise be ignored.
    ///
    /// - Throws: `unexpectedType`, `unknownMember`.
    package func members(_ known: String...) throws(JSONError) -> JSONMembers {
        try members(among: known)
    }

    /// Returns the members of an object, which must have no members besides `known`.
    package func members(among known: [String]) throws(JSONError) -> JSONMembers {
        guard case .object(let members) = value else { throw .unexpectedType(expected: .object, at: offset) }
        var items: [String: JSONItem] = [:]
        for member in members {
            // Names are compared by bytes, because `==` treats canonically equivalent texts as equal.
            guard let name = known.first(where: { $0.utf8.elementsEqual(member.name.utf8) }) else {
                throw .unknownMember(at: member.offset)
            }
            items[name] = member.item
        }
        return JSONMembers(items: items, offset: offset)
    }
}

/// The members of a JSON object, by name.
package struct JSONMembers: Sendable {
    fileprivate let items: [String: JSONItem]
    /// The position of the object in the received buffer.
    package let offset: Int

    /// The value of a member; `nil` if it is absent.
    package subscript(_ name: String) -> JSONItem? { items[name] }

    /// Returns the value of a member.
    ///
    /// - Throws: `missingMember` if it is absent.
    package func required(_ name: String) throws(JSONError) -> JSONItem {
        guard let item = items[name] else { throw .missingMember(name, at: offset) }
        return item
    }
}
