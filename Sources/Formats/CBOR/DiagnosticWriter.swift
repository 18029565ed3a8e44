internal import JSON

/// Writes items in diagnostic notation.
struct DiagnosticWriter {
    /// The maximum nesting of the items in an embedded item, counted from the outermost item of the notation.
    /// A more deeply nested embedded item is written as bytes.
    private static let deepest = 64
    /// The maximum number of bytes of an array or map that is written on one line.
    private static let shortContainer = 40

    let notation: DiagnosticNotation
    var text = ""
    /// The number of items that contain the current one.
    private var depth = 0
    /// The number of containing items that are written on several lines.
    private var indentation = 0

    init(notation: DiagnosticNotation) {
        self.notation = notation
    }

    /// Whether the notation has reached its maximum length.
    var isFull: Bool { text.utf8.count > notation.longestNotation }

    mutating func write(_ item: CBORItem) {
        guard !isFull else { return }
        let head = item.head
        switch item.value {
        case .unsigned, .negative: text += (item.decimalInteger ?? "") + head.indicator
        case .byteString(let content): writeString(item, head) { $0.writeBytes(content) }
        case .text(let content): writeString(item, head) { $0.writeText(content) }
        case .array: writeArray(item, head)
        case .map(let map): writeMap(map, item, head)
        case .tagged(let number, let content): writeTagged(number, content, item, head)
        case .boolean(let value): text += value ? "true" : "false"
        case .null: text += "null"
        case .undefined: text += "undefined"
        case .simple(let number): text += "simple(\(number))"
        case .float(let number): text += number.diagnostic
        }
    }

    private mutating func writeTagged(
        _ number: UInt64, _ content: CBORItem, _ item: CBORItem, _ head: CBORHead
    ) {
        // A bignum is written as its number, not as a tag with bytes.
        if let decimal = item.decimalInteger {
            text += decimal
            return
        }
        text += "\(number)\(head.indicator)("
        if number == 24, notation.opensTag24, case .byteString(let bytes) = content.value {
            writeEmbedded(bytes, orElse: content)
        } else {
            nested { $0.write(content) }
        }
        text += ")"
    }

    /// Writes the item that is encoded in `bytes`. If `bytes` are not CBOR, writes `item` instead.
    private mutating func writeEmbedded(_ bytes: ArraySlice<UInt8>, orElse item: CBORItem) {
        let limits = CBORLimits(depth: max(0, Self.deepest - depth), bytes: .max)
        guard let embedded = try? CBORItem.parse(bytes, limits: limits) else { return write(item) }
        text += "<<"
        nested { $0.write(embedded) }
        text += ">>\(item.head.indicator)"
    }

    /// Calls `body` to write the content of an item. While `body` runs, `depth` is higher by one.
    private mutating func nested(_ body: (inout DiagnosticWriter) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }
}

// Strings
extension DiagnosticWriter {
    /// Writes a string. A string of definite length is written by `definite`, and a string of indefinite
    /// length as the list of its chunks.
    private mutating func writeString(
        _ item: CBORItem, _ head: CBORHead, _ definite: (inout DiagnosticWriter) -> Void
    ) {
        guard head.isIndefinite else {
            definite(&self)
            text += head.indicator
            return
        }
        let chunks = Array(CBORMembers(bytes: item.encoded.dropFirst().dropLast()))
        guard !chunks.isEmpty else {
            // RFC 8949 8.1 defines these forms for a string of indefinite length without chunks.
            text += head.major == 2 ? "''_" : "\"\"_"
            return
        }
        text += "(_ "
        for (index, chunk) in chunks.enumerated() {
            if index > 0 { text += ", " }
            write(chunk)
        }
        text += ")"
    }

    /// Writes at most `notation.longestByteString` of the bytes, as hexadecimal digits.
    private mutating func writeBytes(_ content: ArraySlice<UInt8>) {
        text += "h'"
        for byte in content.prefix(notation.longestByteString) { text += byte.hexadecimal }
        let isCut = content.count > notation.longestByteString
        text += isCut ? "'... / \(content.count) bytes /" : "'"
        if let comment = notation.comment(content) { writeComment(comment) }
    }

    /// Writes at most `notation.longestText` bytes of the text, in quotes.
    private mutating func writeText(_ content: String) {
        let size = content.utf8.count
        guard size > notation.longestText else {
            text += JSONString.quoted(content)
            return
        }
        // If the limit is inside a character, `decoding` replaces the incomplete character by U+FFFD.
        let shown = String(decoding: content.utf8.prefix(notation.longestText), as: UTF8.self)
        text += JSONString.quoted(shown) + "... / \(size) bytes /"
    }

    /// Writes a comment. Its delimiter `/` and characters that do not print are replaced.
    private mutating func writeComment(_ comment: String) {
        let safe = comment.unicodeScalars.map { $0 == "/" || !$0.prints ? "." : Character($0) }
        text += " / " + String(safe) + " /"
    }
}

// Arrays and maps
extension DiagnosticWriter {
    private mutating func writeArray(_ item: CBORItem, _ head: CBORHead) {
        // The positions at which a byte string is written as the item that it contains.
        let embedded = notation.embeddedItems(item)
        let members = item.members(head)
        writeContainer(item, head, brackets: ("[", "]")) { writer, separate in
            var index = 0
            for member in members {
                guard !writer.isFull else { return }
                separate(&writer)
                if embedded.contains(index), case .byteString(let bytes) = member.value {
                    writer.writeEmbedded(bytes, orElse: member)
                } else {
                    writer.write(member)
                }
                index += 1
            }
        }
    }

    private mutating func writeMap(_ map: CBORMap, _ item: CBORItem, _ head: CBORHead) {
        writeContainer(item, head, brackets: ("{", "}")) { writer, separate in
            for member in map {
                guard !writer.isFull else { return }
                separate(&writer)
                writer.write(member.key)
                writer.text += ": "
                writer.write(member.value)
            }
        }
    }

    /// Writes an array or map with its brackets.
    ///
    /// - Parameter members: a closure that writes the members. It receives the writer and a second closure,
    ///   which writes the separator and must be called before each member.
    private mutating func writeContainer(
        _ item: CBORItem, _ head: CBORHead, brackets: (String, String),
        _ members: (inout DiagnosticWriter, (inout DiagnosticWriter) -> Void) -> Void
    ) {
        let isOneLine = !notation.isIndented || item.encoded.count <= Self.shortContainer
        text += brackets.0 + (head.isIndefinite ? "_ " : head.indicator.isEmpty ? "" : head.indicator + " ")
        var count = 0
        if !isOneLine { indentation += 1 }
        nested { writer in
            members(&writer) { writer in
                if count > 0 { writer.text += isOneLine ? ", " : "," }
                if !isOneLine { writer.breakLine() }
                count += 1
            }
        }
        if !isOneLine {
            indentation -= 1
            breakLine()
        }
        text += brackets.1
    }

    private mutating func breakLine() {
        text += "\n" + String(repeating: "  ", count: indentation)
    }
}

extension CBORHead {
    /// The encoding indicator of a head that is longer than needed (RFC 8949 8.1); empty for other heads.
    fileprivate var indicator: String { isLongerThanNeeded ? "_\(information - 24)" : "" }
}

extension UInt8 {
    fileprivate var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
