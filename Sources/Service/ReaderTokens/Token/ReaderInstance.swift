package import JSON
internal import MdocModel
internal import ReaderIdentityStore
package import ReaderStore

/// The identifier of one installation of Countersign, for which reader tokens are issued.
///
/// The identifier is 128 random bits, drawn once and kept in the store (`ReaderStore`). The identifier
/// reveals nothing about the computer, its place or its owner, and it is not secret. A copy of a store has
/// the same identifier, so a token server takes both computers for one reader.
package struct ReaderInstance: Hashable, Sendable {
    private static let size = 16

    /// The identifier as 32 hexadecimal digits in lower case, the claim `sub` of a token.
    package let text: TokenText

    /// Creates the identifier from 16 bytes; `nil` for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.init(bytes.hexadecimal)
    }

    /// Creates the identifier from 32 hexadecimal digits in lower case; `nil` for any other text.
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

/// An identifier in a reader token: of a brand, a key, a reader or an audience. An identifier has 1 to 128
/// ASCII letters, digits, `-`, `_`, `.` and `:`, and begins with a letter or a digit. Other characters are
/// refused, because different Unicode texts can look alike.
package struct TokenText: Hashable, Comparable, Sendable {
    /// The maximum number of characters.
    package static let longest = 128

    package let text: String

    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), let first = text.utf8.first,
            first.isASCIIAlphanumeric,
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_.:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// Creates an identifier from a constant that is known to be valid.
    init(checked text: String) { self.text = text }

    package static func < (one: TokenText, other: TokenText) -> Bool { one.text < other.text }
}

extension JSONText {
    /// Reads an identifier from JSON.
    package func tokenText() throws(JSONFault) -> TokenText {
        guard let text = TokenText(try string(upTo: TokenText.longest)) else {
            throw wrong("must consist of letters, digits, -, _, . and :, and begin with a letter or digit")
        }
        return text
    }
}
