/// The layout of diagnostic notation (RFC 8949 8). The default is the layout of the RFC's examples: one line,
/// with all bytes of strings, and with embedded items as byte strings.
package struct DiagnosticNotation: Sendable {
    /// Whether arrays and maps of more than 40 bytes are written on several lines.
    package var isIndented = false
    /// The maximum number of bytes that are written of a byte string. A longer byte string is truncated, and
    /// its size is written after it.
    package var longestByteString = Int.max
    /// The maximum number of bytes that are written of a text. A longer text is truncated, and its size is
    /// written after it.
    package var longestText = Int.max
    /// The number of bytes after which the notation ends.
    package var longestNotation = Int.max
    /// Whether the content of tag 24 is written as an item, `24(<<…>>)` (RFC 8610 G.3), instead of bytes.
    package var opensTag24 = false
    /// A function that returns the positions in an array at which a byte string contains an encoded item.
    /// Such a byte string is written as the item.
    package var embeddedItems: @Sendable (CBORItem) -> [Int] = { _ in [] }
    /// A function that returns a comment for a byte string.
    package var comment: @Sendable (ArraySlice<UInt8>) -> String? = { _ in nil }

    package init() {}
}

extension CBORItem {
    /// Returns the item in diagnostic notation (RFC 8949 8). A head with more bytes than needed is marked by
    /// `_0` to `_3`.
    package func diagnostic(_ notation: DiagnosticNotation = DiagnosticNotation()) -> String {
        var writer = DiagnosticWriter(notation: notation)
        writer.write(self)
        if writer.isFull { writer.text += "\n... / truncated: the notation is longer than shown /" }
        return writer.text
    }

    /// The decimal digits of an integer, or of a bignum (RFC 8949 3.4.3) of up to 128 bytes; `nil` for any
    /// other item.
    package var decimalInteger: String? {
        switch value {
        case .unsigned(let number): return "\(number)"
        case .negative(let number):
            // For the largest n, −1 − n does not fit into 64 bits, so its digits are written here.
            return "-" + (number == .max ? "18446744073709551616" : "\(number + 1)")
        case .tagged(2, let content):
            guard case .byteString(let bytes) = content.value else { return nil }
            return Decimal(bytes)?.text
        case .tagged(3, let content):
            guard case .byteString(let bytes) = content.value, var number = Decimal(bytes) else { return nil }
            // Tag 3 encodes the number −1 − n as n.
            number.multiply(by: 1, adding: 1)
            return "-" + number.text
        default: return nil
        }
    }
}

/// A natural number in groups of nine decimal digits, the lowest group first.
private struct Decimal {
    private static let base: UInt64 = 1_000_000_000
    private var groups: [UInt64] = [0]

    /// Converts a big-endian number; `nil` if it has more than 128 bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count <= 128 else { return nil }
        for byte in bytes { multiply(by: 256, adding: UInt64(byte)) }
    }

    /// Multiplies the number by a factor and adds a summand. Both are at most 256, so no step overflows.
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
