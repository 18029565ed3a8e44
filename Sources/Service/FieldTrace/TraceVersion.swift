/// A version as one to four numbers, such as 5.66 or 6.1.0. What else a version text has is left out: the name of a
/// distribution's kernel, a firmware's maker.
package struct TraceVersion: Equatable, Sendable, Codable {
    package let numbers: [UInt16]

    private static let most = 4

    /// The numbers that the text begins with, after a word such as "V"; nil if it has none there.
    package init?(_ text: some StringProtocol) {
        var numbers: [UInt16] = []
        for part in text.drop(while: \.isLetter).split(separator: ".", omittingEmptySubsequences: false)
            .prefix(Self.most)
        {
            let digits = part.prefix { ("0"..."9").contains($0) }
            guard let number = UInt16(digits) else { break }
            numbers.append(number)
            guard digits.count == part.count else { break }
        }
        guard !numbers.isEmpty else { return nil }
        self.numbers = numbers
    }

    package var text: String { numbers.map { "\($0)" }.joined(separator: ".") }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
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
