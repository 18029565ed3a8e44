package import JSON
internal import ReaderIdentityStore

/// What names a brand, a key, a reader or an audience in a reader token: 1 to 128 of the letters and digits of ASCII,
/// `-`, `_`, `.` and `:`, the first a letter or a digit. So two that look alike are the same, byte by byte.
package struct TokenText: Hashable, Comparable, Sendable {
    /// The most characters.
    package static let longest = 128

    package let text: String

    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), let first = text.utf8.first,
            first.isASCIIAlphanumeric,
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// A text of ours that is one.
    init(checked text: String) { self.text = text }

    package static func < (one: TokenText, other: TokenText) -> Bool { one.text < other.text }
}

extension JSONText {
    /// A name as a reader token contains it.
    package func tokenText() throws(JSONFault) -> TokenText {
        guard let text = TokenText(try string(upTo: TokenText.longest)) else {
            throw wrong("must consist of letters, digits, -, _, . and :, and begin with a letter or digit")
        }
        return text
    }
}
