/// base64url without padding (RFC 4648 5).
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        return unsafe String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var bits: UInt32 = 0
            var count = 0
            var end = 0
            func write(_ value: UInt32) {
                unsafe text[end] = alphabet[Int(value & 63)]
                end += 1
            }
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                count += 8
                while count >= 6 {
                    count -= 6
                    write(bits >> count)
                }
            }
            if count > 0 { write(bits << (6 - count)) }
            return end
        }
    }

    /// The bytes, or nil where a character is not of the alphabet, the length is impossible or spare bits are set.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        // Specialised: a whole answer comes this way.
        let bytes = unsafe text.withContiguousStorageIfAvailable { unsafe decode(stored: $0) }
        return bytes ?? decode(stored: Array(text))
    }

    private static func decode(stored text: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            let value = values[Int(character)]
            guard value != 0xff else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bits & ((1 << count) - 1) == 0 ? bytes : nil
    }
}
