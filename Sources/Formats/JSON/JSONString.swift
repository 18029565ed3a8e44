/// Writes strings in the form of JSON (RFC 8259 7).
package enum JSONString {
    /// Returns `text` in quotes. All characters that do not print are escaped: control characters, direction
    /// marks, invisible and unassigned characters.
    package static func quoted(_ text: String) -> String {
        var result: [UInt8] = []
        write(quoted: text, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends the UTF-8 form of `quoted(_:)`.
    package static func write(quoted text: String, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        // Plain ASCII is copied as a whole. Any other text is written character by character.
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

    /// Appends a character, escaped if it needs an escape.
    private static func write(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        switch scalar {
        case "\"": result += "\\\"".utf8
        case "\\": result += "\\\\".utf8
        case "\n": result += "\\n".utf8
        case "\r": result += "\\r".utf8
        case "\t": result += "\\t".utf8
        case _ where scalar.prints: result += String(scalar).utf8
        // A character above U+FFFF has two UTF-16 code units, and is therefore written as two escapes.
        default: for unit in String(scalar).utf16 { result += escape(unit).utf8 }
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension String {
    /// Whether all characters are printable ASCII. Such a text is safe for a terminal without looking up each
    /// character in Unicode's tables.
    package var isPrintableASCII: Bool {
        let bytes = utf8.span
        var others: UInt8 = 0
        // The subtraction `&-` wraps, so a byte below 0x20 becomes a large number. One comparison therefore
        // finds all bytes outside 0x20...0x7e.
        for index in bytes.indices { others |= bytes[index] &- 0x20 > 0x5e ? 1 : 0 }
        return others == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are printable ASCII and none of them needs an escape. The loop has no early exit, so
    /// that the compiler can check many bytes at a time.
    fileprivate var arePlain: Bool {
        var others: UInt8 = 0
        // The subtraction `&-` wraps, so a byte below 0x20 becomes a large number. One comparison therefore
        // finds all bytes outside 0x20...0x7e.
        for byte in self {
            others |=
                (byte &- 0x20 > 0x5e ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0)
                | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return others == 0
    }
}

extension Unicode.Scalar {
    /// Whether the character is visible and does not change the text around it, so that a terminal can show
    /// it.
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
