/// Why a certificate was revoked (RFC 5280, 5.3.1), by the standard's numbers.
package enum RevocationReason: UInt8, Sendable {
    case unspecified = 0
    case keyCompromise = 1
    case cACompromise = 2
    case affiliationChanged = 3
    case superseded = 4
    case cessationOfOperation = 5
    /// Not for good: a later list may lift it.
    case certificateHold = 6
    case privilegeWithdrawn = 9
    case aACompromise = 10
}

/// An entry of a CRL.
package struct RevokedCertificate: Equatable, Sendable {
    package let reason: RevocationReason
    /// Seconds since 1970-01-01T00:00:00Z.
    package let revocationDate: Int64
}
