/// The parser of JSON texts. Reads each byte once, by recursive descent.
///
/// `JSONItem.parse` calls ``item(nesting:)`` and ``finish()``. The maximum nesting also limits the depth of
/// the recursion. Strings are decoded, integers that fit into `Int64` are converted, and other numbers are
/// only checked.
struct JSONReader {
    private let text: ArraySlice<UInt8>
    private var position: Int

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        position = text.startIndex
    }

    /// Checks that only white space follows.
    mutating func finish() throws(JSONError) {
        skipSpace()
        guard position == text.endIndex else { throw .trailingBytes(at: position) }
    }

    /// Reads a value.
    ///
    /// - Parameter nesting: the number of arrays and objects that may still be opened.
    mutating func item(nesting: Int) throws(JSONError) -> JSONItem {
        skipSpace()
        let start = position
        return JSONItem(value: try value(nesting), offset: start)
    }

    /// Reads the value at the position. The first byte determines the type of the value.
    private mutating func value(_ nesting: Int) throws(JSONError) -> JSONItem.Value {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try members(nesting))
        case UInt8(ascii: "["): return .array(try items(nesting))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    // Structures

    private mutating func members(_ nesting: Int) throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        // Names are compared by bytes, because `==` treats canonically equivalent texts as equal.
        var names: Set<[UInt8]> = []
        try list(until: UInt8(ascii: "}"), nesting) { reader throws(JSONError) in
            reader.skipSpace()
            let start = reader.position
            let name = try reader.string()
            guard names.insert(Array(name.utf8)).inserted else { throw .duplicateMember(at: start) }
            reader.skipSpace()
            try reader.expect(UInt8(ascii: ":"))
            let item = try reader.item(nesting: nesting - 1)
            members.append(JSONMember(name: name, offset: start, item: item))
        }
        return members
    }

    private mutating func items(_ nesting: Int) throws(JSONError) -> [JSONItem] {
        var items: [JSONItem] = []
        try list(until: UInt8(ascii: "]"), nesting) { reader throws(JSONError) in
            items.append(try reader.item(nesting: nesting - 1))
        }
        return items
    }

    /// Reads the elements between brackets, which are separated by commas.
    private mutating func list(
        until end: UInt8, _ nesting: Int, _ element: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard nesting > 0 else { throw .tooDeep(at: position) }
        position += 1
        skipSpace()
        if try peek() == end {
            position += 1
            return
        }
        while true {
            try element(&self)
            skipSpace()
            if try peek() == end { break }
            try expect(UInt8(ascii: ","))
        }
        position += 1
    }

    // Numbers

    /// Reads a number by the grammar of RFC 8259 6. Only an integer that fits into `Int64` is converted.
    private mutating func number() throws(JSONError) -> JSONItem.Value {
        let start = position
        if isNext("-") { position += 1 }
        let digits = try digits()
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            throw .numberMalformed(at: start)
        }
        var isInteger = true
        if isNext(".") {
            position += 1
            isInteger = false
            _ = try self.digits()
        }
        if isNext("e") || isNext("E") {
            position += 1
            isInteger = false
            if isNext("+") || isNext("-") { position += 1 }
            _ = try self.digits()
        }
        guard isInteger, let number = Int64(String(decoding: text[start..<position], as: UTF8.self)) else {
            return .otherNumber
        }
        return .integer(number)
    }

    /// Reads at least one digit.
    private mutating func digits() throws(JSONError) -> ArraySlice<UInt8> {
        let start = position
        while position < text.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) {
            position += 1
        }
        guard position > start else {
            throw position < text.endIndex ? .unexpectedByte(at: position) : .truncated(at: position)
        }
        return text[start..<position]
    }

    // Strings

    /// Reads a string with its quotes, and decodes its escapes.
    private mutating func string() throws(JSONError) -> String {
        let start = position
        try expect(UInt8(ascii: "\""))
        var content = plainCharacters()
        while true {
            let byte = try peek()
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: content, as: UTF8.self) else {
                    throw .invalidUTF8(at: start)
                }
                return string
            case UInt8(ascii: "\\"): content += String(try escaped()).utf8
            default: throw .stringMalformed(at: position - 1)
            }
            content += plainCharacters()
        }
    }

    /// Reads characters up to the next quote, backslash or control character. Checks 64 bytes at a time where
    /// possible.
    private mutating func plainCharacters() -> ArraySlice<UInt8> {
        let start = position
        while text.endIndex - position >= 64, text[position..<position + 64].span.isPlain { position += 64 }
        position = text[position...].firstIndex { !$0.isPlain } ?? text.endIndex
        return text[start..<position]
    }

    /// Reads the escape after a backslash.
    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        // The backslash is the byte before the position. Errors state the backslash's position.
        let start = position - 1
        let byte = try peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try codePoint(from: start)
        default: throw .stringMalformed(at: start)
        }
    }

    /// Reads the code point of a character after `\u`. A character outside the basic plane is written as two
    /// code units, a surrogate pair (RFC 8259 7).
    private mutating func codePoint(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        var number = first
        if (0xd800..<0xdc00).contains(first) {
            try expect(UInt8(ascii: "\\"))
            try expect(UInt8(ascii: "u"))
            let second = try codeUnit()
            guard (0xdc00..<0xe000).contains(second) else { throw .stringMalformed(at: start) }
            // Each half of a surrogate pair contains ten bits of the character's number minus 0x10000.
            number = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        }
        // The second half of a surrogate pair, if it stands alone, is not a character.
        guard let scalar = Unicode.Scalar(number) else { throw .stringMalformed(at: start) }
        return scalar
    }

    /// Reads four hexadecimal digits.
    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue else {
                throw .stringMalformed(at: position)
            }
            number = number << 4 | UInt32(digit)
            position += 1
        }
        return number
    }

    // Bytes

    /// Reads one of the words `true`, `false` and `null`, and returns its value.
    private mutating func word(
        _ word: String, _ value: JSONItem.Value
    ) throws(JSONError) -> JSONItem.Value {
        for byte in word.utf8 { try expect(byte) }
        return value
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard position < text.endIndex else { throw .truncated(at: position) }
        return text[position]
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        position < text.endIndex && text[position] == UInt8(ascii: character)
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard try peek() == byte else { throw .unexpectedByte(at: position) }
        position += 1
    }

    private mutating func skipSpace() {
        while isNext(" ") || isNext("\n") || isNext("\t") || isNext("\r") { position += 1 }
    }
}

extension UInt8 {
    /// Whether the byte needs no escape in a string.
    fileprivate var isPlain: Bool { marks == 0 }

    /// A number that is 0 if and only if the byte needs no escape in a JSON string. The calculation has no
    /// branches, so that the compiler can check many bytes at a time.
    fileprivate var marks: UInt8 {
        (self < 0x20 ? 1 : 0) | (self == UInt8(ascii: "\"") ? 1 : 0) | (self == UInt8(ascii: "\\") ? 1 : 0)
    }
}

extension Span<UInt8> {
    fileprivate var isPlain: Bool {
        var marks: UInt8 = 0
        for index in indices { marks |= self[index].marks }
        return marks == 0
    }
}
