package import WalletPresentation

/// Why a nonce was neither issued nor spent.
package enum NonceStoreError: Error, Equatable, Sendable {
    case refused(NonceRefusal)
    /// More is to be kept than `NonceTerms.longestAsked`.
    case askedTooLong
    /// More requests wait for the database than it can answer in time.
    case overloaded
    /// The library that reaches the database is not installed.
    case libraryMissing
    /// The database cannot be reached.
    case unreachable
    /// The database did not answer in time: what was asked of it may have happened.
    case overdue
    /// The database refused, with its own code: five characters of SQLSTATE, or a result code of SQLite.
    case failed(code: String)
}
