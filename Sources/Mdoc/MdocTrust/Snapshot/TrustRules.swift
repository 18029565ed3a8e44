package import MdocModel

/// The rules by which sources of trust are let in: one value for the command line, the fleet and whoever else changes trust.
package struct TrustRules: Sendable {
    package let now: Timestamp
    /// The seconds by which a list may be from the future.
    package let clockSkew: Int64
    /// Whether a list that lost much of what it had is let in.
    package let acceptsShrunken: Bool
    /// Certificates, in DER, that documents name for the signers of their status lists.
    package let signers: [ArraySlice<UInt8>]

    package init(
        now: Timestamp, clockSkew: Int64 = 60, acceptsShrunken: Bool = false,
        signers: [ArraySlice<UInt8>] = []
    ) {
        self.now = now
        self.clockSkew = clockSkew
        self.acceptsShrunken = acceptsShrunken
        self.signers = signers
    }

    /// Returns these rules with another time.
    func at(_ time: Timestamp) -> TrustRules {
        TrustRules(now: time, clockSkew: clockSkew, acceptsShrunken: acceptsShrunken, signers: signers)
    }
}
