/// A JSON value (RFC 8259) for writing. Members keep their order.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The largest integer that every JSON reader represents exactly: 2^53 − 1 (RFC 7493 2.2). In Swift `<<`
    /// binds tighter than `-`.
    package static let largestExactInteger: Int64 = 1 << 53 - 1

    /// Creates a string, or null for `nil`.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    /// The value on several lines, without a line break at the end.
    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes, level: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value on one line.
    package var line: String { String(decoding: utf8, as: UTF8.self) }

    /// The value on one line as UTF-8.
    package var utf8: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2048)
        write(to: &bytes, level: nil)
        return bytes
    }

    /// Appends the value.
    ///
    /// - Parameter level: the number of arrays and objects around the value; `nil` for one line.
    private func write(to bytes: inout [UInt8], level: Int?) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += "\(value)".utf8
        case .number(let value): bytes += "\(value)".utf8
        case .string(let value): JSONString.write(quoted: value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for index in values.indices {
                bytes.beginItem(index, level)
                values[index].write(to: &bytes, level: level.map { $0 + 1 })
            }
            bytes.endItems(values.count, level)
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for index in members.indices {
                bytes.beginItem(index, level)
                JSONString.write(quoted: members[index].0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                if level != nil { bytes.append(UInt8(ascii: " ")) }
                members[index].1.write(to: &bytes, level: level.map { $0 + 1 })
            }
            bytes.endItems(members.count, level)
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension [UInt8] {
    /// Appends the comma and the line break before an item of an array or object.
    fileprivate mutating func beginItem(_ index: Int, _ level: Int?) {
        if index > 0 { append(UInt8(ascii: ",")) }
        if let level { breakLine(level + 1) }
    }

    /// Appends the line break before the closing bracket, unless the array or object is empty.
    fileprivate mutating func endItems(_ count: Int, _ level: Int?) {
        if let level, count > 0 { breakLine(level) }
    }

    fileprivate mutating func breakLine(_ level: Int) {
        append(UInt8(ascii: "\n"))
        for _ in 0..<level { self += "  ".utf8 }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements)
    }

    package init(stringLiteral value: String) {
        self = .string(value)
    }
}
