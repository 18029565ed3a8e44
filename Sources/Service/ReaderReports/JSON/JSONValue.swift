internal import CBOR

/// A JSON value (RFC 8259) whose members keep the order in which they are given.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// The largest integer that every JSON reader takes exactly (RFC 7493 2.2).
    package static let largestExactInteger: Int64 = 1 << 53 - 1

    /// The text, or null where there is none.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    /// The value over several lines, without a line end after it.
    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes, level: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value in one line.
    package var line: String { String(decoding: utf8, as: UTF8.self) }

    /// The UTF-8 of the value in one line.
    package var utf8: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, level: nil)
        return bytes
    }

    /// - Parameter level: in how many arrays and objects it lies; nil for all in one line.
    private func write(to bytes: inout [UInt8], level: Int?) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += "\(value)".utf8
        case .number(let value): bytes += "\(value)".utf8
        case .string(let value): DiagnosticNotation.write(quoted: value, to: &bytes)
        case .array(let values):
            Self.write(values, between: ("[", "]"), to: &bytes, level: level) { value, bytes in
                value.write(to: &bytes, level: level.map { $0 + 1 })
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &bytes, level: level) { member, bytes in
                DiagnosticNotation.write(quoted: member.name, to: &bytes)
                bytes += (level == nil ? ":" : ": ").utf8
                member.value.write(to: &bytes, level: level.map { $0 + 1 })
            }
        }
    }

    private static func write<Member>(
        _ members: [Member], between brackets: (Unicode.Scalar, Unicode.Scalar), to bytes: inout [UInt8],
        level: Int?, _ body: (Member, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: brackets.0))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let level { bytes.breakLine(level + 1) }
            body(member, &bytes)
        }
        if let level, !members.isEmpty { bytes.breakLine(level) }
        bytes.append(UInt8(ascii: brackets.1))
    }
}

extension [UInt8] {
    fileprivate mutating func breakLine(_ level: Int) {
        append(UInt8(ascii: "\n"))
        for _ in 0..<level { self += "  ".utf8 }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { (name: $0.0, value: $0.1) })
    }

    package init(stringLiteral value: String) {
        self = .string(value)
    }
}
