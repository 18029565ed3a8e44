/// What a member of the file may hold.
indirect enum ConfigurationValue: Sendable {
    case boolean
    /// A whole number; what it counts, if not things: `seconds`.
    case whole(ClosedRange<Int64>, unit: String? = nil)
    /// A text of 1 to so many bytes.
    case text(upTo: Int, ConfigurationFormat? = nil)
    case word([String])
    /// `empty` is what the fault of an empty list says; nil if it may be empty.
    case list(upTo: Int, of: ConfigurationValue, empty: String? = nil)
    case object([ConfigurationMember])
    /// An object whose author chooses the names of its members.
    case named(upTo: Int, by: ConfigurationFormat, ConfigurationValue)
    /// One of the words, or an object; what the fault of another word says.
    case wordOrObject([String], [ConfigurationMember], requirement: String)
    case nullable(ConfigurationValue)

    static let path = text(upTo: 4096, .path)

    static func word<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> Self
    where Word.RawValue == String {
        .word(Word.allCases.map(\.rawValue))
    }
}
