internal import MdocModel

/// What a reader token gave: a brand in whose name the reader asks, for a time.
struct ReaderPreparation: Sendable {
    let brand: String
    /// The reader identity that signs; nil leaves it to the identities' own choice for the brand.
    let identity: String?
    /// When the session is over.
    let until: Timestamp
}

/// Checks reader tokens.
protocol ReaderTokenDesk: Sendable {
    func preparation(
        for token: MobileDocumentReader.Token, instance: String, at now: Timestamp
    ) throws(MobileDocumentReaderError) -> ReaderPreparation
}

/// Takes no token.
struct NoReaderTokens: ReaderTokenDesk {
    func preparation(
        for token: MobileDocumentReader.Token, instance: String, at now: Timestamp
    ) throws(MobileDocumentReaderError) -> ReaderPreparation {
        throw .invalidToken(.tokenRefused(id: "token.not_taken"))
    }
}
