extension Sequence<UInt8> {
    /// Lower-case digits, two a byte.
    package var hexadecimal: String {
        let bytes = Array(self)
        return unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                unsafe text[2 * index] = Self.digit(byte >> 4)
                unsafe text[2 * index + 1] = Self.digit(byte & 0x0f)
            }
            return 2 * bytes.count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
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
