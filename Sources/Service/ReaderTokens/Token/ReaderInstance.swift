package import JSON
internal import MdocModel
internal import ReaderIdentityStore
package import ReaderStore

/// The reader instance identifier: which installation of Countersign a token is for. 128 random bits, made when a
/// store is first asked for them and kept there (`ReaderStore`). They say nothing of the computer, its place or its
/// owner, and are not secret. A copy of a store has the same identifier: a token server sees both readers as one.
package struct ReaderInstance: Hashable, Sendable {
    private static let size = 16

    /// 32 hexadecimal digits in lower case: `sub` of a token.
    package let text: TokenText

    /// Nil unless there are 16 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.init(bytes.hexadecimal)
    }

    /// Nil unless the text is written as `text` is.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.size,
            text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }), let text = TokenText(text)
        else { return nil }
        self.text = text
    }
}

extension ReaderStore {
    package func readerInstance() throws(ReaderStoreError) -> ReaderInstance {
        guard let instance = ReaderInstance(try readerInstanceBytes()) else { throw .damaged }
        return instance
    }
}

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
