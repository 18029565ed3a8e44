internal import MdocModel
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
