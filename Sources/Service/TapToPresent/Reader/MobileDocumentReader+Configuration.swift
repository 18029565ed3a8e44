extension MobileDocumentReader {
    /// What identifies a reader.
    public struct Configuration: Hashable, Sendable {
        /// The reader instance: the subject of its tokens.
        public let readerInstanceIdentifier: String
    }

    /// A reader token: a JWT by which a brand lets a reader instance ask in its name.
    public struct Token: Hashable, Sendable {
        /// The JWT in its compact form.
        public let tokenString: String

        /// A token as a token server made it.
        public init(_ tokenString: String) {
            self.tokenString = tokenString
        }
    }
}

extension MobileDocumentReader.Token: CustomStringConvertible, CustomReflectable {
    /// The type's name alone: who has the token can ask in the brand's name.
    public var description: String { "Token(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
