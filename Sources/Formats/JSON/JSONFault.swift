/// Why a text is not the JSON it should be, and where.
package struct JSONFault: Error, Equatable, Sendable {
    package enum Condition: Equatable, Sendable {
        /// More bytes than are read.
        case tooLong(limit: Int)
        /// The bytes are not UTF-8, or not JSON (RFC 8259).
        case malformed
        /// Lists and objects lie in one another too deeply.
        case tooDeep
        case duplicateMember
        /// An object has a member that is not known: it may be a restriction that was misspelt.
        case unknownMember(String)
        case missingMember(String)
        /// A value that is not allowed here, and what it must be.
        case wrongValue(String)
    }

    package let condition: Condition
    /// The line of the fault, from 1; 0 if it is not in a file.
    package let line: Int
    /// The character of the line where it begins, from 1; 0 if it is not in a file.
    package let column: Int
    /// Which value, as a JSON Pointer (RFC 6901) such as `/lanes/0/name`; empty at the top. It ends with the member that is
    /// not known or missing.
    package let pointer: String

    package init(_ condition: Condition, line: Int, column: Int = 0, pointer: String = "") {
        self.condition = condition
        self.line = line
        self.column = column
        self.pointer = pointer
    }

    /// In plain words, with the members that lead to it but without the line. Names are made fit for a terminal, values are
    /// not repeated.
    package var explanation: String {
        switch condition {
        case .unknownMember, .missingMember, .wrongValue: "\(place)\(requirement)"
        case .tooLong, .malformed, .tooDeep, .duplicateMember: requirement
        }
    }

    /// In plain words, without the place.
    package var requirement: String {
        switch condition {
        case .tooLong(let limit): "there are more than \(limit) bytes"
        case .malformed: "this is not JSON"
        case .tooDeep: "lists and objects are nested too deeply"
        case .duplicateMember: "an object has a duplicate member"
        case .unknownMember(let name): "the member \(Self.quoted(name)) is not known"
        case .missingMember(let name): "the member \(Self.quoted(name)) is missing"
        case .wrongValue(let requirement): requirement
        }
    }

    /// The members that lead to the value, or to the object of an unknown or missing one: `lanes[0].name: `.
    private var place: String {
        var names = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch condition {
        case .unknownMember, .missingMember: _ = names.popLast()
        default: break
        }
        let path = names.reduce("") { path, name in
            if !name.isEmpty, name.allSatisfy(\.isWholeNumber) { return "\(path)[\(name)]" }
            let member = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
            return path.isEmpty ? member : "\(path).\(member)"
        }
        return path.isEmpty ? "" : "\(Terminal.safe(path, limit: 120)): "
    }

    private static func quoted(_ name: String) -> String { "\"\(Terminal.safe(name, limit: 60))\"" }
}
