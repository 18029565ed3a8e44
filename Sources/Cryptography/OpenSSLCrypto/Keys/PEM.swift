/// Textual encodings (RFC 7468).
package enum PEM {
    /// The longest text that is read, in bytes.
    package static let maximumSize = 1 << 22

    /// The contents of all blocks labelled `label`; text around and other blocks are ignored.
    package static func decode(
        _ text: ArraySlice<UInt8>, label: StaticString
    ) throws(OpenSSLCryptoError) -> [[UInt8]] {
        guard text.count <= maximumSize else { throw .tooLong }
        let (begin, end) = ("-----BEGIN \(label)-----", "-----END \(label)-----")
        var blocks: [[UInt8]] = []
        var body: [UInt8]?
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let line = line.trimmed
            if line.elementsEqual(begin.utf8) {
                guard body == nil else { throw .pemMalformed }
                body = []
            } else if line.elementsEqual(end.utf8) {
                guard let block = body, let decoded = decodeBase64(block) else { throw .pemMalformed }
                blocks.append(decoded)
                body = nil
            } else {
                body? += line
            }
        }
        guard body == nil else { throw .pemMalformed }
        return blocks
    }

    /// One block with lines of 64 characters.
    package static func encode(_ contents: ArraySlice<UInt8>, label: StaticString) -> [UInt8] {
        let digits = encodeBase64(contents)
        var text = [UInt8]("-----BEGIN \(label)-----\n".utf8)
        for start in stride(from: 0, to: digits.count, by: 64) {
            text += digits[start..<min(start + 64, digits.count)]
            text.append(UInt8(ascii: "\n"))
        }
        return text + "-----END \(label)-----\n".utf8
    }

    private static let alphabet = [UInt8](
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func encodeBase64(_ contents: ArraySlice<UInt8>) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = contents
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                let digit = alphabet[bits >> (18 - 6 * index) & 63]
                digits.append(index > group.count ? UInt8(ascii: "=") : digit)
            }
        }
        return digits
    }

    /// Padded base64 (RFC 4648, 4) with all unused bits zero; nil for anything else.
    private static func decodeBase64(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let digits = text.dropLast(padding)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, size): (UInt32, UInt32) = (0, 0)
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            size += 6
            guard size >= 8 else { continue }
            size -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> size))
            bits &= 1 << size - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension ArraySlice where Element == UInt8 {
    /// Without blanks and tabs at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let tail = drop(while: isBlank)
        return tail.dropLast(tail.reversed().prefix(while: isBlank).count)
    }
}
