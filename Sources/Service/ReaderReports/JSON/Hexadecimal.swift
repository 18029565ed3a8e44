extension Sequence<UInt8> {
    /// Lower-case digits, two a byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0x0f)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Array<UInt8> {
    /// The bytes of hexadecimal digits, two a byte; nil for anything else.
    package init?(hexadecimalDigits digits: some Collection<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue, value < 16 else { return nil }
            if let half = high {
                bytes.append(half << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        self = bytes
    }
}
