package import OpenSSLCrypto

/// Why an identity cannot be made, read or used.
package enum IdentityStoreError: Error, Equatable, Sendable {
    // Files

    /// The system refused an operation on this path.
    case fileRefused(path: String, errno: Int32)
    /// What stands there is no file, or no folder, but a link or something else.
    case notAFile(path: String)
    /// Others may read the key, or put another one in its place; the permission bits.
    case exposed(path: String, mode: UInt32)
    /// The file belongs to another user, who may change it.
    case ownedByOther(path: String)
    /// Another process has been changing the identities for too long.
    case busy(path: String)
    /// The file is longer than any of its kind.
    case tooLong(path: String)

    // Identities

    /// There is an identity of this name already.
    case nameTaken(IdentityName)
    /// There is no identity of this name.
    case unknown(String)
    /// The key cannot be made, or the file holds none that can be used.
    case keyUnusable(OpenSSLCryptoError)
    /// No certificate was imported yet.
    case noCertificates
    /// The certificates cannot be read.
    case certificatesUnreadable(OpenSSLCryptoError)
    /// Among the certificates none is for this key.
    case keyNotCertified
    /// The certificates are no chain that can be sent.
    case chainUnusable(CertificateChainError)
    /// A certificate that is sent is not valid yet; seconds since 1970.
    case notYetValid(subject: String, from: Int64)
    /// A certificate that is sent has expired; seconds since 1970.
    case expired(subject: String, since: Int64)
    /// The certificate breaks rules of the reader's profile that are always enforced.
    case profileBroken([ProfileRule])

    // The rules

    /// The file of rules is not what it should be; where, if it is in one place.
    case rulesMisshapen(line: Int?, RulesFault)
    /// No rule has these conditions.
    case noSuchRule
}
