extension Sequence<UInt8> {
    /// Lower-case digits, two a byte.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Array<UInt8> {
    /// The bytes of hexadecimal digits, two a byte; nil for anything else.
    init?(hexadecimalDigits digits: some Collection<UInt8>) {
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
