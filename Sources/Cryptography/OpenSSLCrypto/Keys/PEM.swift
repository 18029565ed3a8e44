/// Reading and writing of PEM, the textual encoding of keys and certificates (RFC 7468).
package enum PEM {
    /// The maximum size of a text, in bytes.
    package static let maximumSize = 1 << 22

    /// A block of a text, from its BEGIN line to its END line.
    package struct Block: Sendable {
        package let label: String
        /// The decoded contents; `nil` if the block is incomplete or is not base64.
        package let contents: [UInt8]?
    }

    /// The aliases of each label. OpenSSL accepts an alias in place of the label.
    private static let aliases: [String: Set<String>] = [
        "CERTIFICATE": ["X509 CERTIFICATE", "TRUSTED CERTIFICATE"],
        "CERTIFICATE REQUEST": ["NEW CERTIFICATE REQUEST"],
    ]

    /// Returns the contents of all blocks with this label, or with an alias of it. Other blocks and the text
    /// around blocks are ignored.
    ///
    /// - Throws: `pemMalformed` if one of these blocks is damaged.
    package static func decode(
        _ text: ArraySlice<UInt8>, label: StaticString
    ) throws(OpenSSLCryptoError) -> [[UInt8]] {
        var decoded: [[UInt8]] = []
        for block in try blocks(text) where block.is(label) {
            guard let contents = block.contents else { throw .pemMalformed }
            decoded.append(contents)
        }
        return decoded
    }

    /// Returns all blocks of a text, including damaged ones.
    ///
    /// Texts are read as OpenSSL reads them: a byte order mark, text around the blocks, headers (RFC 1421),
    /// blanks and any kind of line end are not part of a block (Q233).
    package static func blocks(_ text: ArraySlice<UInt8>) throws(OpenSSLCryptoError) -> [Block] {
        guard text.count <= maximumSize else { throw .tooLong }
        var blocks: [Block] = []
        var open: OpenBlock?
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            // A BEGIN line inside a block, and an END line without a BEGIN line, make a damaged block.
            if let label = line.boundaryLabel("BEGIN") {
                if let open { blocks.append(Block(label: open.label, contents: nil)) }
                open = OpenBlock(label: label)
            } else if let label = line.boundaryLabel("END") {
                blocks.append(open.map { $0.closed(by: label) } ?? Block(label: label, contents: nil))
                open = nil
            } else {
                open?.append(line)
            }
        }
        if let open { blocks.append(Block(label: open.label, contents: nil)) }
        return blocks
    }

    /// Returns whether a text has a block with exactly this label, complete or not. Nothing is copied,
    /// because the text may be a secret key.
    package static func hasBlock(_ label: StaticString, in text: ArraySlice<UInt8>) -> Bool {
        let begin = Array("-----BEGIN \(label)-----".utf8)
        return text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d })
            .contains { $0.withoutByteOrderMark.trimmed.elementsEqual(begin) }
    }

    private struct OpenBlock {
        let label: String
        private var body: [UInt8] = []
        private var isInHeader = false

        init(label: String) { self.label = label }

        /// Adds a line of the block, unless it belongs to a header.
        mutating func append(_ line: ArraySlice<UInt8>) {
            // A header (RFC 1421) is a line with a colon before the base64 text. A line that begins with a
            // blank continues the header.
            let isContinued = isInHeader && (line.first == 0x20 || line.first == 0x09)
            isInHeader = body.isEmpty && (isContinued || line.contains(UInt8(ascii: ":")))
            if !isInHeader { body += line.filter { $0 != 0x20 && $0 != 0x09 } }
        }

        /// Returns the block that ends with the END line of the label `other`. The block is damaged if `other` is
        /// not the label of its BEGIN line.
        func closed(by other: String) -> Block {
            guard other == label, let contents = PEM.decodeBase64(body) else {
                return Block(label: label, contents: nil)
            }
            // In a TRUSTED CERTIFICATE, OpenSSL's trust settings follow the certificate, so only the first
            // DER element is returned.
            let isTrusted = label == "TRUSTED CERTIFICATE"
            return Block(label: label, contents: isTrusted ? contents.firstDERElement : contents)
        }
    }

    /// Returns one block with lines of 64 characters.
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

    /// Encodes bytes in base64 with padding (RFC 4648 4).
    private static func encodeBase64(_ contents: ArraySlice<UInt8>) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = contents
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                let digit = alphabet[bits >> (18 - 6 * index) & 63]
                // A group of n bytes has n + 1 digits. `=` fills the rest of the four characters.
                digits.append(index > group.count ? UInt8(ascii: "=") : digit)
            }
        }
        return digits
    }

    fileprivate static func isAlias(_ label: String, of other: StaticString) -> Bool {
        aliases["\(other)"]?.contains(label) == true
    }

    /// Decodes padded base64 (RFC 4648 4) with all unused bits zero; `nil` for anything else.
    fileprivate static func decodeBase64(_ text: [UInt8]) -> [UInt8]? {
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
            // `<<` binds tighter than `-`, so the mask is `(1 << size) - 1`. It keeps the bits that belong to
            // the next byte.
            bits &= 1 << size - 1
        }
        return bits == 0 ? bytes : nil
    }

    /// Returns the six bits of a base64 digit; `nil` for other bytes.
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

extension PEM.Block {
    /// Returns whether the block has this label, or an alias of it.
    package func `is`(_ label: StaticString) -> Bool {
        self.label == "\(label)" || PEM.isAlias(self.label, of: label)
    }
}

extension ArraySlice where Element == UInt8 {
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// The bytes without a byte order mark. Editors write the mark at the beginning of a file. A text of
    /// several concatenated files may therefore contain marks in the middle, too.
    package var withoutByteOrderMark: ArraySlice<UInt8> {
        starts(with: Self.byteOrderMark) ? dropFirst(Self.byteOrderMark.count) : self
    }

    /// The bytes without blanks and tabs at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let tail = drop(while: isBlank)
        return tail.dropLast(tail.reversed().prefix(while: isBlank).count)
    }

    /// Returns the label of a BEGIN or END line; `nil` for any other line.
    fileprivate func boundaryLabel(_ word: String) -> String? {
        let line = withoutByteOrderMark.trimmed
        let (start, end) = (Array("-----\(word) ".utf8), Array("-----".utf8))
        guard line.count >= start.count + end.count, line.starts(with: start),
            line.suffix(end.count).elementsEqual(end)
        else { return nil }
        return String(decoding: line.dropFirst(start.count).dropLast(end.count), as: UTF8.self)
    }
}

extension Array where Element == UInt8 {
    /// The bytes up to the end of the first DER element; all bytes if there is none.
    fileprivate var firstDERElement: [UInt8] {
        guard count >= 2 else { return self }
        // The second byte is the length if it is below 0x80. Otherwise its low bits say how many bytes of
        // length follow.
        let size = self[1] < 0x80 ? 0 : Int(self[1] & 0x7f)
        guard size <= 4, count >= 2 + size else { return self }
        let length = size == 0 ? Int(self[1]) : self[2..<(2 + size)].reduce(0) { $0 << 8 | Int($1) }
        return Array(prefix(2 + size + length))
    }
}
