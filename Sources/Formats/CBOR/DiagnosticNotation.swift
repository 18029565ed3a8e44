/// How diagnostic notation (RFC 8949 8) is laid out. The default is that of the RFC's own examples: one line,
/// everything written, nothing opened.
package struct DiagnosticNotation: Sendable {
    /// Whether arrays and maps that are more than a few bytes stand over several lines.
    package var isIndented = false
    /// Of a longer byte string only this many bytes are written, and its size beside them.
    package var longestByteString = Int.max
    /// Of a longer text only this many bytes are written, and its size beside them.
    package var longestText = Int.max
    /// Where more is to be written, the notation is cut; in bytes.
    package var longestNotation = Int.max
    /// Whether the item in tag 24 is written as an item, `24(<<…>>)` (RFC 8610 G.3), and not as bytes.
    package var opensTag24 = false
    /// The positions in an array whose byte strings hold an encoded item, and are written as one.
    package var embeddedItems: @Sendable (CBORItem) -> [Int] = { _ in [] }
    /// What to write beside a byte string with this content.
    package var comment: @Sendable (ArraySlice<UInt8>) -> String? = { _ in nil }

    package init() {}

    /// `text` between quotes as JSON has it (RFC 8259 7), and everything escaped that does not print: controls,
    /// direction marks, invisible and unassigned characters.
    package static func quoted(_ text: String) -> String {
        var result: [UInt8] = []
        write(quoted: text, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Writes the UTF-8 of what `quoted(_:)` gives.
    package static func write(quoted text: String, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        let isWritten = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            guard unsafe bytes.arePlain else { return false }
            unsafe result.append(contentsOf: bytes)
            return true
        }
        if isWritten != true {
            for scalar in text.unicodeScalars { write(scalar, to: &result) }
        }
        result.append(UInt8(ascii: "\""))
    }

    private static func write(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        switch scalar {
        case "\"": result += "\\\"".utf8
        case "\\": result += "\\\\".utf8
        case "\n": result += "\\n".utf8
        case "\r": result += "\\r".utf8
        case "\t": result += "\\t".utf8
        case _ where scalar.prints: result += String(scalar).utf8
        default: for unit in String(scalar).utf16 { result += escape(unit).utf8 }
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension String {
    /// Whether all of it prints and is ASCII, so that nobody needs to look into Unicode's tables.
    package var isPrintableASCII: Bool {
        let bytes = utf8.span
        var others: UInt8 = 0
        for index in bytes.indices { others |= bytes[index] &- 0x20 > 0x5e ? 1 : 0 }
        return others == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all stand between quotes as they are. One expression without an early end: the processor takes many bytes
    /// at a time.
    fileprivate var arePlain: Bool {
        var others: UInt8 = 0
        for byte in self {
            others |=
                (byte &- 0x20 > 0x5e ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0)
                | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return others == 0
    }
}

extension Unicode.Scalar {
    /// Whether the character shows as itself and changes nothing around it: safe to put on a terminal.
    package var prints: Bool {
        isASCII
            ? 0x20...0x7e ~= value
            : categoryPrints
    }

    private var categoryPrints: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}
