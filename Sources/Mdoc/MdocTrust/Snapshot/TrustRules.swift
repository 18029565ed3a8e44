package import MdocModel

/// The time and the tolerances by which the command line and the fleet admit sources of trust.
package struct TrustRules: Sendable {
    package let now: Timestamp
    /// The seconds by which the date of a list may lie in the future.
    package let clockSkew: Int64
    /// Whether a list with far fewer entries than the present list is admitted.
    package let acceptsShrunken: Bool
    /// The certificates, in DER, that documents name as the signers of their status lists.
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

    /// Returns these rules with `time` in place of `now`.
    func at(_ time: Timestamp) -> TrustRules {
        TrustRules(now: time, clockSkew: clockSkew, acceptsShrunken: acceptsShrunken, signers: signers)
    }
}
