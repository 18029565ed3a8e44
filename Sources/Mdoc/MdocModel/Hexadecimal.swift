extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two for each byte.
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

extension Collection<UInt8> {
    /// The bytes of a text of hexadecimal digits, two for each byte. Nil for any other text.
    ///
    /// This is a property and not an initialiser of `Array`, because an optional initialiser would be chosen
    /// wherever `Array.init` is passed as a function.
    package var bytesOfHexadecimal: [UInt8]? {
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in self {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue, value < 16 else { return nil }
            if let half = high {
                bytes.append(half << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        return bytes
    }
}
