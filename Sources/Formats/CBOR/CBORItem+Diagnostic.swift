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
