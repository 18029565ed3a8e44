extension JSONValue {
    /// What a JSON text says, to be written again. A number that `Int64` does not hold becomes null.
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
