/// The encoding base64url without padding (RFC 4648 5).
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The six-bit value of each byte as a character of the alphabet; 0xff for any other byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        // The capacity is the exact length without padding: four characters for three bytes, rounded up.
        return unsafe String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var bits: UInt32 = 0
            var count = 0
            var end = 0
            func write(_ value: UInt32) {
                unsafe text[end] = alphabet[Int(value & 63)]
                end += 1
            }
            for byte in bytes {
                // Older bits, which were written already, are shifted out at the top.
                bits = bits << 8 | UInt32(byte)
                count += 8
                while count >= 6 {
                    count -= 6
                    write(bits >> count)
                }
            }
            // Two or four bits are left of the last group. Zeros fill them up to a character.
            if count > 0 { write(bits << (6 - count)) }
            return end
        }
    }

    /// Decodes a text. Nil if a character is outside the alphabet, the length is impossible, or spare bits
    /// are set.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        // The text may be the whole response of a wallet app, so the common case works on contiguous bytes.
        let bytes = text.withContiguousStorageIfAvailable { unsafe decode(stored: $0) }
        return unsafe bytes ?? Array(text).withUnsafeBufferPointer { unsafe decode(stored: $0) }
    }

    /// Decodes contiguous bytes: first in groups of four characters, then the incomplete group at the end.
    private static func decode(stored text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        // One character more than a multiple of four has six bits, too few for a byte.
        guard text.count % 4 != 1 else { return nil }
        // A local copy, since each access to a static property checks again whether the property is
        // initialised.
        let values = values
        var seen: UInt8 = 0
        var spare: UInt32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, end in
            func value(_ index: Int) -> UInt32 {
                let value = unsafe values[Int(text[index])]
                seen |= value
                return UInt32(value)
            }
            func write(_ value: UInt32) {
                unsafe bytes[end] = UInt8(truncatingIfNeeded: value)
                end += 1
            }
            let whole = text.count / 4 * 4
            for index in stride(from: 0, to: whole, by: 4) {
                let bits =
                    value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6 | value(index + 3)
                write(bits >> 16)
                write(bits >> 8)
                write(bits)
            }
            var bits: UInt32 = 0
            var count = 0
            for index in whole..<text.count {
                bits = bits << 6 | value(index)
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                write(bits >> count)
            }
            spare = bits & ((1 << count) - 1)
        }
        // `seen` is the bitwise OR of all values. The values of the alphabet are below 64; the table has 0xff
        // for any other byte.
        return seen < 64 && spare == 0 ? bytes : nil
    }
}
