/// A value of a JSON text, together with its line and its JSON Pointer. Configurations and request bodies are
/// read through this type.
///
/// The functions read the value as a type: ``boolean()``, ``integer(in:)``, ``string(upTo:)``, ``word(_:)``,
/// ``array(upTo:)``, ``members(_:)``. Each throws a ``JSONFault`` with line, column, pointer and the
/// requirement that the value does not meet. Callers with further requirements throw ``wrong(_:)`` or
/// ``missing(_:)`` themselves.
///
/// - Objects are strict: ``members(_:)`` refuses unknown members, because a misspelt restriction must not be
///   ignored.
/// - A member whose value is null counts as present. Callers that allow null check ``isNull``.
/// - A value that does not come from a text, such as a value from the database, has line 0 in its faults.
///
/// The text is parsed once, by `JSONItem.parse`. A fault never contains a value of the text.
package struct JSONText: Sendable {
    private let item: JSONItem
    /// The text; `nil` if the value does not come from a text.
    private let source: ArraySlice<UInt8>?
    /// The position of the value as a JSON Pointer (RFC 6901).
    private let pointer: String

    private init(_ item: JSONItem, in source: ArraySlice<UInt8>?, pointer: String) {
        self.item = item
        self.source = source
        self.pointer = pointer
    }

    /// Creates a value that does not come from a text. Its faults have no line.
    package init(_ item: JSONItem) {
        self.init(item, in: nil, pointer: "")
    }

    /// Parses a text.
    ///
    /// - Parameter limit: the maximum number of bytes.
    package init(_ bytes: ArraySlice<UInt8>, limit: Int = 1 << 16) throws(JSONFault) {
        do throws(JSONError) {
            let depth = JSONItem.standardLimits.depth
            self.init(try JSONItem.parse(bytes, limits: (limit, depth)), in: bytes, pointer: "")
        } catch {
            throw JSONFault(error, in: bytes)
        }
    }

    /// The line of the value, counted from 1; 0 if the value does not come from a text.
    package var line: Int { source.map { JSONItem.line(of: item.offset, in: $0) } ?? 0 }

    /// Returns a fault which says that this value is not allowed.
    ///
    /// - Parameter requirement: the requirement, such as "must be true or false".
    package func wrong(_ requirement: String) -> JSONFault {
        fault(.wrongValue(requirement), at: item.offset, pointer)
    }

    /// Returns a fault which says that this object lacks the member `name`.
    package func missing(_ name: String) -> JSONFault {
        fault(.missingMember(name), at: item.offset, pointer(to: name))
    }

    private func fault(
        _ condition: JSONFault.Condition, at offset: Int, _ pointer: String
    ) -> JSONFault {
        guard let source else { return JSONFault(condition, line: 0, pointer: pointer) }
        return JSONFault(
            condition, line: JSONItem.line(of: offset, in: source),
            column: JSONItem.column(of: offset, in: source), pointer: pointer)
    }

    private func pointer(to name: String) -> String {
        "\(pointer)/\(name.replacing("~", with: "~0").replacing("/", with: "~1"))"
    }

    /// The value for writing. A number that is not an `Int64` becomes null.
    package var value: JSONValue { JSONValue(item) }

    package var isNull: Bool { item.value == .null }

    package func boolean() throws(JSONFault) -> Bool {
        guard case .boolean(let value) = item.value else { throw wrong("must be true or false") }
        return value
    }

    /// Returns the value as an integer, which must be in `range`.
    package func integer(in range: ClosedRange<Int64>) throws(JSONFault) -> Int64 {
        guard case .integer(let value) = item.value, range.contains(value) else {
            throw wrong("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns a string of 1 to `limit` bytes.
    package func string(upTo limit: Int = 1024) throws(JSONFault) -> String {
        guard case .string(let text) = item.value, !text.isEmpty, text.utf8.count <= limit else {
            throw wrong("must be a text of 1 to \(limit) bytes")
        }
        return text
    }

    /// The maximum length of a path in bytes.
    package static let longestPath = 4096

    /// Returns an absolute path.
    package func absolutePath() throws(JSONFault) -> String {
        let path = try string(upTo: Self.longestPath)
        guard path.hasPrefix("/") else { throw wrong("must be a path that begins with /") }
        return path
    }

    /// Returns the case of the enumeration `Word` whose raw value is this string.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type = Word.self
    ) throws(JSONFault) -> Word where Word.RawValue == String {
        guard case .string(let text) = item.value, let word = Word(rawValue: text) else {
            let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw wrong("must be one of \(words)")
        }
        return word
    }

    /// Returns the values of an array with at most `limit` values.
    package func array(upTo limit: Int = 256) throws(JSONFault) -> [JSONText] {
        guard case .array(let items) = item.value, items.count <= limit else {
            throw wrong("must be a list of at most \(limit) values")
        }
        return items.enumerated().map { index, item in
            JSONText(item, in: source, pointer: "\(pointer)/\(index)")
        }
    }

    /// Returns the members of an object, which must have no members besides `known`.
    package func members(_ known: Set<String>) throws(JSONFault) -> JSONTextMembers {
        if let fault = try unknownMembers(besides: known).first { throw fault }
        return try members()
    }

    /// Returns the members of an object with any names.
    package func members() throws(JSONFault) -> JSONTextMembers {
        var values: [String: JSONText] = [:]
        for member in try object() { values[member.name] = text(member) }
        return JSONTextMembers(values, of: self)
    }

    /// Returns one fault for each member of this object whose name is not in `known`.
    package func unknownMembers(besides known: Set<String>) throws(JSONFault) -> [JSONFault] {
        try object().filter { !known.contains($0.name) }.map { member in
            fault(.unknownMember(member.name), at: member.offset, pointer(to: member.name))
        }
    }

    /// Returns the members of an object in their order, for objects in which the author of the text chooses
    /// the names.
    ///
    /// - Parameter limit: the maximum number of members.
    package func entries(upTo limit: Int) throws(JSONFault) -> [(name: String, value: JSONText)] {
        let members = try object()
        guard members.count <= limit else { throw wrong("must be an object of at most \(limit) members") }
        return members.map { ($0.name, text($0)) }
    }

    private func object() throws(JSONFault) -> [JSONMember] {
        guard case .object(let members) = item.value else { throw wrong("must be an object") }
        return members
    }

    private func text(_ member: JSONMember) -> JSONText {
        JSONText(member.item, in: source, pointer: pointer(to: member.name))
    }
}

/// The members of an object in a JSON text, by name.
package struct JSONTextMembers: Sendable {
    private let values: [String: JSONText]
    private let object: JSONText

    fileprivate init(_ values: [String: JSONText], of object: JSONText) {
        self.values = values
        self.object = object
    }

    /// The value of a member; `nil` if the member is absent. A member whose value is null is not absent.
    package subscript(name: String) -> JSONText? { values[name] }

    /// Returns the value of a member. Throws a fault if the member is missing.
    package func required(_ name: String) throws(JSONFault) -> JSONText {
        guard let value = values[name] else { throw object.missing(name) }
        return value
    }
}

extension JSONFault {
    /// Converts an error of the parser into a fault with its line and column.
    package init(_ error: JSONError, in bytes: ArraySlice<UInt8>) {
        let condition: Condition =
            switch error {
            case .tooLong(let limit): .tooLong(limit: limit)
            case .tooDeep: .tooDeep
            case .duplicateMember: .duplicateMember
            default: .malformed
            }
        // An error without an offset concerns the whole text, and is shown at the start of the text.
        let offset = error.offset ?? bytes.startIndex
        self.init(
            condition, line: JSONItem.line(of: offset, in: bytes),
            column: JSONItem.column(of: offset, in: bytes))
    }
}
