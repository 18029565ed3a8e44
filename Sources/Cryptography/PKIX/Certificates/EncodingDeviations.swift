/// Where a certificate or CRL leaves RFC 5280 without becoming ambiguous. The parser reads on and reports them:
/// roots in use have them (Q179), leaves are to be refused for them.
package struct EncodingDeviations: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A field has its DEFAULT value and is written all the same (X.690, 11.5).
    package static let defaultValueWritten = EncodingDeviations(rawValue: 1 << 0)
    /// The serial number is negative or zero (RFC 5280, 4.1.2.2).
    package static let serialNumberNotPositive = EncodingDeviations(rawValue: 1 << 1)
    /// The serial number has more than 20 octets (RFC 5280, 4.1.2.2).
    package static let serialNumberTooLong = EncodingDeviations(rawValue: 1 << 2)
    /// A year before 2050 is encoded as GeneralizedTime (RFC 5280, 4.1.2.5).
    package static let generalizedTimeBefore2050 = EncodingDeviations(rawValue: 1 << 3)
    /// A named bit list ends in zero bits (X.690, 11.2.2).
    package static let trailingZeroBits = EncodingDeviations(rawValue: 1 << 4)
    /// A path length is given with cA FALSE (RFC 5280, 4.2.1.9).
    package static let pathLengthWithoutCA = EncodingDeviations(rawValue: 1 << 5)
    /// A CRL's list of revoked certificates is written and empty (RFC 5280, 5.1.2.6).
    package static let emptyListWritten = EncodingDeviations(rawValue: 1 << 6)
}
