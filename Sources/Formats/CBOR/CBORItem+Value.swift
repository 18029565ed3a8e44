/// The type of an item with its content.
package enum CBORValue: Sendable {
    case unsigned(UInt64)
    /// A negative integer. Holds n for the integer −1 − n.
    case negative(UInt64)
    case byteString(ArraySlice<UInt8>)
    case text(String)
    case array(CBORArray)
    case map(CBORMap)
    case tagged(UInt64, CBORItem)
    case boolean(Bool)
    case null
    case undefined
    /// A simple value other than false, true, null and undefined.
    case simple(UInt8)
    case float(Double)
}

extension CBORItem {
    /// The item's type and content.
    package var value: CBORValue {
        let head = head
        // The major types of RFC 8949 3.1.
        switch head.major {
        case 0: return .unsigned(head.argument)
        case 1: return .negative(head.argument)
        case 2: return .byteString(stringContent(head))
        case 3: return .text(String(decoding: stringContent(head), as: UTF8.self))
        case 4: return .array(CBORArray(members: members(head)))
        case 5: return .map(CBORMap(members: members(head)))
        case 6: return .tagged(head.argument, taggedItem(head))
        default: return simpleValue(head)
        }
    }

    /// Returns the content of a string: a slice of the buffer for a definite length, the joined chunks for an
    /// indefinite length.
    func stringContent(_ head: CBORHead) -> ArraySlice<UInt8> {
        guard head.isIndefinite else { return encoded[(encoded.startIndex + head.size)...] }
        var content: [UInt8] = []
        // The head and the break of an indefinite length take one byte each.
        var rest = encoded.dropFirst().dropLast()
        while !rest.isEmpty {
            let chunk = CBORItem.item(in: rest, at: rest.startIndex)
            content += chunk.item.stringContent(chunk.item.head)
            rest = rest[chunk.end...]
        }
        return content[...]
    }

    /// Returns the items inside an array or map.
    func members(_ head: CBORHead) -> CBORMembers {
        let end = head.isIndefinite ? encoded.endIndex - 1 : encoded.endIndex
        return CBORMembers(bytes: encoded[(encoded.startIndex + head.size)..<end])
    }

    func taggedItem(_ head: CBORHead) -> CBORItem {
        CBORItem(checked: encoded[(encoded.startIndex + head.size)...])
    }

    /// Returns the float or simple value of an item of major type 7 (RFC 8949 3.3).
    private func simpleValue(_ head: CBORHead) -> CBORValue {
        if let float = head.float { return .float(float) }
        switch head.information {
        case 20: return .boolean(false)
        case 21: return .boolean(true)
        case 22: return .null
        case 23: return .undefined
        default: return .simple(UInt8(head.argument))
        }
    }
}

extension CBORItem {
    /// Whether the item is a string, array or map of indefinite length.
    package var hasIndefiniteLength: Bool { Self.hasIndefiniteLength(encoded.first) }

    package var isNullOrUndefined: Bool { Self.isNullOrUndefined(encoded.first) }

    /// Whether an item with this first byte has an indefinite length. Major type 7 is excluded, because its
    /// additional information 31 is the "break".
    static func hasIndefiniteLength(_ initial: UInt8?) -> Bool {
        initial.map { $0 < 0xe0 && $0 & 31 == 31 } ?? false
    }

    static func isNullOrUndefined(_ initial: UInt8?) -> Bool { initial == 0xf6 || initial == 0xf7 }

    package func unsigned() throws(CBORError) -> UInt64 {
        let head = head
        guard head.major == 0 else { throw mismatch(.unsigned) }
        return head.argument
    }

    /// Returns an integer.
    ///
    /// - Throws: `unexpectedType`; `outOfRange` if the integer does not fit into `Int64`.
    package func integer() throws(CBORError) -> Int64 {
        let head = head
        guard head.major <= 1 else { throw mismatch(.integer) }
        guard head.argument <= UInt64(Int64.max) else { throw .outOfRange(at: offset) }
        return head.major == 0 ? Int64(head.argument) : -1 - Int64(head.argument)
    }

    /// Returns the content of a byte string: a slice of the buffer if the length is definite.
    package func byteString() throws(CBORError) -> ArraySlice<UInt8> {
        let head = head
        guard head.major == 2 else { throw mismatch(.byteString) }
        return stringContent(head)
    }

    /// Returns the UTF-8 bytes of a text string.
    package func utf8() throws(CBORError) -> ArraySlice<UInt8> {
        let head = head
        guard head.major == 3 else { throw mismatch(.textString) }
        return stringContent(head)
    }

    package func text() throws(CBORError) -> String {
        String(decoding: try utf8(), as: UTF8.self)
    }

    /// Whether the item is this text. Compares bytes without creating a `String`.
    package func isText(_ text: StaticString) -> Bool {
        let head = head
        guard head.major == 3 else { return false }
        let content = stringContent(head)
        guard content.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { unsafe content.elementsEqual($0) }
    }

    package func boolean() throws(CBORError) -> Bool {
        switch encoded.first {
        case 0xf4: return false
        case 0xf5: return true
        default: throw mismatch(.boolean)
        }
    }

    package func array() throws(CBORError) -> CBORArray {
        let head = head
        guard head.major == 4 else { throw mismatch(.array) }
        return CBORArray(members: members(head))
    }

    package func map() throws(CBORError) -> CBORMap {
        let head = head
        guard head.major == 5 else { throw mismatch(.map) }
        return CBORMap(members: members(head))
    }

    /// Returns the item inside the tag `number`.
    package func tagged(_ number: UInt64) throws(CBORError) -> CBORItem {
        let head = head
        guard head.major == 6, head.argument == number else { throw mismatch(.tag(number)) }
        return taggedItem(head)
    }

    /// Returns the item inside the tag `number`, or this item if it does not have that tag.
    package func untagged(_ number: UInt64) -> CBORItem {
        let head = head
        return head.major == 6 && head.argument == number ? taggedItem(head) : self
    }

    private func mismatch(_ expected: CBORType) -> CBORError {
        .unexpectedType(expected: expected, at: offset)
    }
}
