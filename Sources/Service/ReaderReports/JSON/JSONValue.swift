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
        var text = ""
        write(to: &text, level: 0)
        return text
    }

    /// The value in one line.
    package var line: String {
        var text = ""
        writeLine(to: &text)
        return text
    }

    private func writeLine(to text: inout String) {
        switch self {
        case .null, .boolean, .integer, .number, .string: write(to: &text, level: 0)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.writeLine(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                DiagnosticNotation.write(quoted: member.name, to: &text)
                text += ":"
                member.value.writeLine(to: &text)
            }
            text += "}"
        }
    }

    private func write(to text: inout String, level: Int) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value): text += "\(value)"
        case .string(let value): DiagnosticNotation.write(quoted: value, to: &text)
        case .array(let values):
            Self.write(values, between: ("[", "]"), to: &text, level: level) { value, text in
                value.write(to: &text, level: level + 1)
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &text, level: level) { member, text in
                DiagnosticNotation.write(quoted: member.name, to: &text)
                text += ": "
                member.value.write(to: &text, level: level + 1)
            }
        }
    }

    private static func write<Member>(
        _ members: [Member], between brackets: (String, String), to text: inout String, level: Int,
        _ body: (Member, inout String) -> Void
    ) {
        text += brackets.0
        for (index, member) in members.enumerated() {
            text += index > 0 ? ",\n" : "\n"
            text += String(repeating: "  ", count: level + 1)
            body(member, &text)
        }
        if !members.isEmpty { text += "\n" + String(repeating: "  ", count: level) }
        text += brackets.1
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
