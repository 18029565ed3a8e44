/// A word of a closed list, as a member of an event. A text that is not in the list cannot be made into one.
package struct TraceWord<Word: RawRepresentable & CaseIterable & Sendable & Equatable>: Equatable, Sendable,
    Codable
where Word.RawValue == String {
    package let word: Word

    package init(_ word: Word) {
        self.word = word
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        // By its bytes: `==` takes canonically equivalent texts for the same.
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
