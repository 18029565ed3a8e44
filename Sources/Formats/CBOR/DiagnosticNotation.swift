/// How diagnostic notation (RFC 8949 8) is laid out. The default is that of the RFC's own examples: one line,
/// everything written, nothing opened.
package struct DiagnosticNotation: Sendable {
    /// Whether arrays and maps of more than a few bytes are written on several lines.
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
}

extension CBORItem {
    /// The item in diagnostic notation (RFC 8949 8). A head in more bytes than needed shows as `_0` to `_3`.
    package func diagnostic(_ notation: DiagnosticNotation = DiagnosticNotation()) -> String {
        var writer = DiagnosticWriter(notation: notation)
        writer.write(self)
        if writer.isFull { writer.text += "\n... / cut: the notation is longer than this /" }
        return writer.text
    }

    /// The decimal digits of an integer or bignum (RFC 8949 3.4.3) of up to 128 bytes; nil for any other item.
    package var decimalInteger: String? {
        switch value {
        case .unsigned(let number): return "\(number)"
        case .negative(let number):
            return "-" + (number == .max ? "18446744073709551616" : "\(number + 1)")
        case .tagged(2, let content):
            guard case .byteString(let bytes) = content.value else { return nil }
            return Decimal(bytes)?.text
        case .tagged(3, let content):
            guard case .byteString(let bytes) = content.value, var number = Decimal(bytes) else { return nil }
            number.multiply(by: 1, adding: 1)
            return "-" + number.text
        default: return nil
        }
    }
}

/// A number in groups of nine decimal digits, the lowest first.
private struct Decimal {
    private static let base: UInt64 = 1_000_000_000
    private var groups: [UInt64] = [0]

    /// The big-endian number, unless it has more than 128 bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count <= 128 else { return nil }
        for byte in bytes { multiply(by: 256, adding: UInt64(byte)) }
    }

    mutating func multiply(by factor: UInt64, adding summand: UInt64) {
        var carry = summand
        for index in groups.indices {
            let value = groups[index] * factor + carry
            groups[index] = value % Self.base
            carry = value / Self.base
        }
        if carry > 0 { groups.append(carry) }
    }

    var text: String {
        let lower = groups.dropLast().reversed().map { group in
            let digits = "\(group)"
            return String(repeating: "0", count: 9 - digits.count) + digits
        }
        return "\(groups[groups.count - 1])" + lower.joined()
    }
}
