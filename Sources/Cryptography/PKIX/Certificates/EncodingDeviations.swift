/// The encodings in a certificate or CRL that RFC 5280 forbids but that are unambiguous. The parser accepts
/// and records them, because roots in use have them (Q179). A leaf certificate is refused for every deviation
/// that is not in `harmless`.
package struct EncodingDeviations: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A field with its DEFAULT value is written instead of omitted (X.690 11.5).
    package static let defaultValueWritten = EncodingDeviations(rawValue: 1 << 0)
    /// The serial number is negative or zero (RFC 5280, 4.1.2.2).
    package static let serialNumberNotPositive = EncodingDeviations(rawValue: 1 << 1)
    /// The serial number has more than 20 octets (RFC 5280, 4.1.2.2).
    package static let serialNumberTooLong = EncodingDeviations(rawValue: 1 << 2)
    /// A time before 2050 is encoded as GeneralizedTime (RFC 5280 4.1.2.5).
    package static let generalizedTimeBefore2050 = EncodingDeviations(rawValue: 1 << 3)
    /// The bits of the key usage end in zero (X.690 11.2.2; Q214).
    package static let trailingZeroBits = EncodingDeviations(rawValue: 1 << 4)
    /// A path length is present although cA is FALSE (RFC 5280 4.2.1.9).
    package static let pathLengthWithoutCA = EncodingDeviations(rawValue: 1 << 5)
    /// A CRL's empty list of revoked certificates is written instead of omitted (RFC 5280 5.1.2.6).
    package static let emptyListWritten = EncodingDeviations(rawValue: 1 << 6)
    /// TRUE is encoded as 01 in basicConstraints (X.690 11.1; Q215).
    package static let booleanTrueNotFF = EncodingDeviations(rawValue: 1 << 7)

    /// The deviations that every TLS implementation ignores. A leaf certificate is not refused for them.
    package static let harmless: EncodingDeviations = [.trailingZeroBits, .booleanTrueNotFF]
}

extension EncodingDeviations {
    /// The texts that describe the deviations, one for each.
    package var descriptions: [String] {
        Self.texts.compactMap { contains($0.deviation) ? $0.text : nil }
    }

    private static let texts: [(deviation: EncodingDeviations, text: String)] = [
        (
            .defaultValueWritten,
            "the default value of the version, a critical flag or basicConstraints is written out; DER requires that it be omitted"
        ),
        (.serialNumberNotPositive, "the serial number is not positive"),
        (.serialNumberTooLong, "the serial number has more than 20 octets"),
        (.generalizedTimeBefore2050, "a date before 2050 is encoded as GeneralizedTime"),
        (.trailingZeroBits, "the bits of keyUsage end in zero"),
        (.pathLengthWithoutCA, "basicConstraints has a path length although cA is FALSE"),
        (.emptyListWritten, "the list of revoked certificates is empty, but not omitted"),
        (.booleanTrueNotFF, "TRUE is encoded as 01 instead of FF in basicConstraints"),
    ]
}
