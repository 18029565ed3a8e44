internal import OpenSSLCrypto

/// A token in place of a UUID or an address: eight hexadecimal digits that stand for one UUID or address
/// throughout one trace file, and have no meaning in any other trace.
package struct TraceToken: Equatable, Sendable, Codable {
    private let number: UInt32

    /// Creates a token from the first four bytes of a digest.
    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        number = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        number = try UInt32(TraceDigits.number(text, count: 8))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(TraceDigits.text(UInt64(number), count: 8))
    }
}

/// The tokens of one trace file, made with a random key that is never written.
package final class TraceTokens: Sendable {
    private let key: SecretBytes

    package init() throws(FieldTraceError) {
        do throws(OpenSSLCryptoError) {
            key = SecretBytes(copying: try randomBytes(32)[...])
        } catch {
            throw .noRandomness
        }
    }

    /// Returns the token for a UUID or an address; `nil` if OpenSSL fails. The event then has
    /// no token.
    package func token(for bytes: ArraySlice<UInt8>) -> TraceToken? {
        guard let digest = try? hmacSHA256(key: key, over: [bytes]) else { return nil }
        return TraceToken(digest[...])
    }
}

/// Conversion between numbers and a fixed count of hexadecimal digits.
enum TraceDigits {
    static func text(_ number: UInt64, count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }

    static func number(_ text: String, count: Int) throws(FieldTraceError) -> UInt64 {
        // `UInt64(_:radix:)` also accepts capitals and a sign, which `text(_:count:)` never writes.
        guard text.utf8.count == count, let number = UInt64(text, radix: 16),
            Self.text(number, count: count) == text
        else { throw .unknownWord }
        return number
    }
}

/// A version as one to four numbers, such as 5.66 or 6.1.0. Text behind the numbers, such as the suffix of a
/// distribution's kernel version, is left out.
package struct TraceVersion: Equatable, Sendable, Codable {
    package let numbers: [UInt16]

    private static let maximumCount = 4

    /// Reads the numbers at the beginning of a text. Letters before the first number, such as "V", are
    /// skipped. `nil` if no number follows.
    package init?(_ text: some StringProtocol) {
        var numbers: [UInt16] = []
        for part in text.drop(while: \.isLetter).split(separator: ".", omittingEmptySubsequences: false)
            .prefix(Self.maximumCount)
        {
            let digits = part.prefix { ("0"..."9").contains($0) }
            guard let number = UInt16(digits) else { break }
            numbers.append(number)
            // Text behind a number, as in `6.1.0-18-generic`, ends the version.
            guard digits.count == part.count else { break }
        }
        guard !numbers.isEmpty else { return nil }
        self.numbers = numbers
    }

    package var text: String { numbers.map { "\($0)" }.joined(separator: ".") }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        // Only the text that `encode(to:)` writes is accepted.
        guard let version = TraceVersion(text), version.text.utf8.elementsEqual(text.utf8) else {
            throw FieldTraceError.unknownWord
        }
        self = version
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A member of a trace event whose value is one word of a closed list. Decoding refuses a text that is not
/// in the list.
package struct TraceWord<Word: RawRepresentable & CaseIterable & Sendable & Equatable>: Equatable, Sendable,
    Codable
where Word.RawValue == String {
    package let word: Word

    package init(_ word: Word) {
        self.word = word
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        // The bytes are compared, because `==` also accepts a canonically equivalent text with other bytes.
        guard let word = Word(rawValue: text), word.rawValue.utf8.elementsEqual(text.utf8) else {
            throw FieldTraceError.unknownWord
        }
        self.word = word
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(word.rawValue)
    }
}
