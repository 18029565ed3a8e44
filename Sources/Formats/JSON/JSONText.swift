/// A value of a JSON text with its line and pointer, so that an error can name the place. For configurations and
/// request bodies.
package struct JSONText: Sendable {
    private let item: JSONItem
    /// Nil if it is no text.
    private let source: ArraySlice<UInt8>?
    /// Where it is, as a JSON Pointer (RFC 6901).
    private let pointer: String

    private init(_ item: JSONItem, in source: ArraySlice<UInt8>?, pointer: String) {
        self.item = item
        self.source = source
        self.pointer = pointer
    }

    /// A value that is no text: its faults have no line.
    package init(_ item: JSONItem) {
        self.init(item, in: nil, pointer: "")
    }

    /// - Parameter limit: the most bytes that are read.
    package init(_ bytes: ArraySlice<UInt8>, limit: Int = 1 << 16) throws(JSONFault) {
        do throws(JSONError) {
            let depth = JSONItem.standardLimits.depth
            self.init(try JSONItem.parse(bytes, limits: (limit, depth)), in: bytes, pointer: "")
        } catch {
            throw JSONFault(error, in: bytes)
        }
    }

    package var line: Int { source.map { JSONItem.line(of: item.offset, in: $0) } ?? 0 }

    /// The fault that this value is not allowed; `requirement` says what it must be.
    package func wrong(_ requirement: String) -> JSONFault {
        fault(.wrongValue(requirement), at: item.offset, pointer)
    }

    /// The fault that the member `name` of this object is not there.
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

    package var isNull: Bool { item.value == .null }

    package func boolean() throws(JSONFault) -> Bool {
        guard case .boolean(let value) = item.value else { throw wrong("must be true or false") }
        return value
    }

    package func integer(in range: ClosedRange<Int64>) throws(JSONFault) -> Int64 {
        guard case .integer(let value) = item.value, range.contains(value) else {
            throw wrong("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A text of 1 to `limit` bytes.
    package func string(upTo limit: Int = 1024) throws(JSONFault) -> String {
        guard case .string(let text) = item.value, !text.isEmpty, text.utf8.count <= limit else {
            throw wrong("must be a text of 1 to \(limit) bytes")
        }
        return text
    }

    /// The most bytes of a path.
    package static let longestPath = 4096

    /// A path from the root.
    package func absolutePath() throws(JSONFault) -> String {
        let path = try string(upTo: Self.longestPath)
        guard path.hasPrefix("/") else { throw wrong("must be a path that begins with /") }
        return path
    }

    /// One of the words of an enumeration.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type = Word.self
    ) throws(JSONFault) -> Word where Word.RawValue == String {
        guard case .string(let text) = item.value, let word = Word(rawValue: text) else {
            let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw wrong("must be one of \(words)")
        }
        return word
    }

    package func array(upTo limit: Int = 256) throws(JSONFault) -> [JSONText] {
        guard case .array(let items) = item.value, items.count <= limit else {
            throw wrong("must be a list of at most \(limit) values")
        }
        return items.enumerated().map { index, item in
            JSONText(item, in: source, pointer: "\(pointer)/\(index)")
        }
    }

    /// The members of an object that has no others than these.
    package func members(_ known: Set<String>) throws(JSONFault) -> JSONTextMembers {
        if let fault = try unknownMembers(besides: known).first { throw fault }
        return try members()
    }

    /// The members of an object, whatever their names are.
    package func members() throws(JSONFault) -> JSONTextMembers {
        var values: [String: JSONText] = [:]
        for member in try object() { values[member.name] = text(member) }
        return JSONTextMembers(values, of: self)
    }

    /// The faults of an object that has other members than these.
    package func unknownMembers(besides known: Set<String>) throws(JSONFault) -> [JSONFault] {
        try object().filter { !known.contains($0.name) }.map { member in
            fault(.unknownMember(member.name), at: member.offset, pointer(to: member.name))
        }
    }

    /// The members of an object whose names its author chose, in their order.
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

package struct JSONTextMembers: Sendable {
    private let values: [String: JSONText]
    private let object: JSONText

    fileprivate init(_ values: [String: JSONText], of object: JSONText) {
        self.values = values
        self.object = object
    }

    /// Nil if it is absent; null is a value.
    package subscript(name: String) -> JSONText? { values[name] }

    package func required(_ name: String) throws(JSONFault) -> JSONText {
        guard let value = values[name] else { throw object.missing(name) }
        return value
    }
}

extension JSONFault {
    package init(_ error: JSONError, in bytes: ArraySlice<UInt8>) {
        let condition: Condition =
            switch error {
            case .tooLong(let limit): .tooLong(limit: limit)
            case .tooDeep: .tooDeep
            case .duplicateMember: .duplicateMember
            default: .malformed
            }
        let offset = error.offset ?? bytes.startIndex
        self.init(
            condition, line: JSONItem.line(of: offset, in: bytes),
            column: JSONItem.column(of: offset, in: bytes))
    }
}
