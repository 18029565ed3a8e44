/// What names a brand, a key, a reader or an audience in a reader token: 1 to 128 of the letters and digits of ASCII,
/// `-`, `_`, `.` and `:`, the first a letter or a digit. So two that look alike are the same, byte by byte.
package struct TokenText: Hashable, Comparable, Sendable {
    /// The most characters.
    package static let longest = 128

    package let text: String

    /// Nil if the text is not valid.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), let first = text.utf8.first,
            Self.isAlphanumeric(first),
            text.utf8.allSatisfy({ Self.isAlphanumeric($0) || "-_.:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// A text of ours that is one.
    init(checked text: String) { self.text = text }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    package static func < (one: TokenText, other: TokenText) -> Bool { one.text < other.text }
}
