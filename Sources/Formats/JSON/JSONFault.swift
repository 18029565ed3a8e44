/// A fault in a JSON text with its place, for messages to the author of a configuration or request.
package struct JSONFault: Error, Equatable, Sendable {
    /// The kind of fault.
    package enum Condition: Equatable, Sendable {
        /// The text is longer than the limit in bytes.
        case tooLong(limit: Int)
        /// The bytes are not UTF-8, or not JSON (RFC 8259).
        case malformed
        /// Lists and objects are nested too deeply.
        case tooDeep
        /// Two members of one object have the same name.
        case duplicateMember
        /// An object has an unknown member, which may be a misspelt restriction. The associated value is the
        /// member's name.
        case unknownMember(String)
        /// An object lacks a required member. The associated value is the member's name.
        case missingMember(String)
        /// A value is not allowed. The associated value is the requirement, such as "must be true or false".
        case wrongValue(String)
    }

    package let condition: Condition
    /// The line of the fault, counted from 1; 0 if the value is not from a text.
    package let line: Int
    /// The character in the line at which the fault begins, counted from 1; 0 if the value is not from a
    /// text.
    package let column: Int
    /// The faulty value as a JSON Pointer (RFC 6901) such as `/lanes/0/name`; empty for the whole text. For
    /// an unknown or missing member the pointer ends with the member's name.
    package let pointer: String

    package init(_ condition: Condition, line: Int, column: Int = 0, pointer: String = "") {
        self.condition = condition
        self.line = line
        self.column = column
        self.pointer = pointer
    }

    /// The fault as a text for users, with the path to the value but without the line. Names are escaped for
    /// a terminal, and values are never included.
    package var explanation: String {
        switch condition {
        case .unknownMember, .missingMember, .wrongValue: "\(place)\(requirement)"
        case .tooLong, .malformed, .tooDeep, .duplicateMember: requirement
        }
    }

    /// The fault as a text for users, without the path.
    package var requirement: String {
        switch condition {
        case .tooLong(let limit): "the text is longer than \(limit) bytes"
        case .malformed: "this is not JSON"
        case .tooDeep: "lists and objects are nested too deeply"
        case .duplicateMember: "an object has a duplicate member"
        case .unknownMember(let name): "the member \(Self.quoted(name)) is not known"
        case .missingMember(let name): "the member \(Self.quoted(name)) is missing"
        case .wrongValue(let requirement): requirement
        }
    }

    /// The path to the value, or to the object with the unknown or missing member: `lanes[0].name: `.
    private var place: String {
        var names = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch condition {
        // The last name in the path is the unknown or missing member's. It is removed, because `requirement`
        // already contains it.
        case .unknownMember, .missingMember: _ = names.popLast()
        default: break
        }
        let path = names.reduce("") { path, name in
            if !name.isEmpty, name.allSatisfy(\.isWholeNumber) { return "\(path)[\(name)]" }
            // A JSON Pointer writes `/` as `~1` and `~` as `~0` (RFC 6901 3).
            let member = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
            return path.isEmpty ? member : "\(path).\(member)"
        }
        return path.isEmpty ? "" : "\(Terminal.safe(path, limit: 120)): "
    }

    private static func quoted(_ name: String) -> String { "\"\(Terminal.safe(name, limit: 60))\"" }
}
