package import CBOR
package import JSON
internal import MdocModel

extension JSONValue {
    /// Creates the JSON form of an element's value. A byte string becomes base64url, and a tagged value, such
    /// as a date, becomes its content. A large integer becomes a decimal string, because some JSON parsers
    /// would round it. A key that is not text appears in diagnostic notation.
    package init(_ item: CBORItem) {
        switch item.value {
        case .unsigned, .negative: self = .integer(item)
        case .byteString(let bytes): self = .string(Base64URL.encode(bytes))
        case .text(let text): self = .string(text)
        case .array(let items): self = .array(items.map { JSONValue($0) })
        case .map(let map): self = JSONValue(map)
        // Tags 2 and 3 are integers of any size (RFC 8949 3.4.3).
        case .tagged(_, let content): self = item.decimalInteger.map(JSONValue.string) ?? JSONValue(content)
        case .boolean(let value): self = .boolean(value)
        case .null, .undefined: self = .null
        case .simple: self = .string(item.diagnostic())
        case .float(let number): self = number.isFinite ? .number(number) : .string(item.diagnostic())
        }
    }

    /// Returns the number, or its decimal text if some JSON parsers would not read the number exactly.
    private static func integer(_ item: CBORItem) -> JSONValue {
        // Outside of this range, a JSON parser that uses floating point rounds the number.
        let exact = -largestExactInteger...largestExactInteger
        if let number = try? item.integer(), exact.contains(number) { return .integer(number) }
        return JSONValue(item.decimalInteger)
    }

    /// Creates an object or, if two keys would get the same name, an array of key and value pairs.
    private init(_ map: CBORMap) {
        var names: Set<String> = []
        var members: [(String, JSONValue)] = []
        for member in map {
            let name = (try? member.key.text()) ?? member.key.diagnostic()
            names.insert(name)
            members.append((name, JSONValue(member.value)))
        }
        // If there are as many names as members, no name occurs twice.
        guard names.count < members.count else {
            self = .object(members)
            return
        }
        self = .array(map.map { .array([JSONValue($0.key), JSONValue($0.value)]) })
    }
}
