extension JSONValue {
    /// Converts a parsed value for writing. A number that is not an `Int64` becomes null.
    package init(_ item: JSONItem) {
        self =
            switch item.value {
            case .null, .otherNumber: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .string(let value): .string(value)
            case .array(let items): .array(items.map { JSONValue($0) })
            case .object(let members): .object(members.map { ($0.name, JSONValue($0.item)) })
            }
    }
}

extension JSONItem {
    /// Converts a value that does not come from a text. All positions are 0.
    package init(_ value: JSONValue) {
        offset = 0
        self.value =
            switch value {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number: .otherNumber
            case .string(let value): .string(value)
            case .array(let values): .array(values.map { JSONItem($0) })
            case .object(let members):
                .object(members.map { JSONMember(name: $0.0, offset: 0, item: JSONItem($0.1)) })
            }
    }
}
