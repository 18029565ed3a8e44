/// The extensions that this module interprets (RFC 5280 4.2.1), each parsed to its last byte.
struct KnownExtensions {
    private(set) var basicConstraints: BasicConstraints?
    private(set) var keyUsage: KeyUsage?
    private(set) var extendedKeyUsage: [ObjectIdentifier]?
    private(set) var subjectKeyIdentifier: ArraySlice<UInt8>?
    private(set) var authorityKeyIdentifier: ArraySlice<UInt8>?

    init(
        _ extensions: [CertificateExtension], _ deviations: inout EncodingDeviations
    ) throws(PKIXError) {
        for known in extensions {
            var reader = DERReader(known.value)
            // All known extensions are in the arc id-ce, so the last number tells them apart.
            switch known.oid.certificateExtensionArc {
            case 19: basicConstraints = try reader.readBasicConstraints(&deviations)
            case 15: keyUsage = try reader.readKeyUsage(&deviations)
            case 37: extendedKeyUsage = try reader.readExtendedKeyUsage()
            case 14: subjectKeyIdentifier = try reader.read(DERTag.octetString)
            case 35: authorityKeyIdentifier = try reader.readAuthorityKeyIdentifier()
            default: continue
            }
            try reader.finish()
        }
    }
}

extension ObjectIdentifier {
    /// The last arc of an identifier 2.5.29.n with n < 128 (id-ce; RFC 5280, Appendix A.2); `nil` for other
    /// identifiers.
    fileprivate var certificateExtensionArc: UInt8? {
        guard encoded.count == 3, encoded[encoded.startIndex] == 0x55,
            encoded[encoded.startIndex + 1] == 0x1d
        else { return nil }
        return encoded[encoded.startIndex + 2]
    }
}

extension DERReader {
    /// Reads BasicConstraints (RFC 5280 4.2.1.9).
    fileprivate mutating func readBasicConstraints(
        _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> BasicConstraints {
        var reader = try enter(DERTag.sequence)
        let isCA = try reader.readBooleanDefaultingToFalse(acceptingOne: true, &deviations)
        let pathLength = reader.isAtEnd ? nil : try reader.readSmallInteger()
        try reader.finish()
        if pathLength != nil, !isCA { deviations.insert(.pathLengthWithoutCA) }
        return BasicConstraints(isCA: isCA, pathLength: pathLength)
    }

    /// Reads KeyUsage (RFC 5280 4.2.1.3): a named bit list of nine bits, at least one of which is set.
    fileprivate mutating func readKeyUsage(
        _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> KeyUsage {
        let start = position
        let contents = try read(DERTag.bitString)
        // The unused bits at the end must be zero. `<<` binds tighter than `-` and `&`.
        guard (2...3).contains(contents.count), let unused = contents.first, unused < 8,
            let last = contents.last, last & (1 << unused - 1) == 0
        else { throw .valueMalformed(at: start) }
        var usage: KeyUsage = []
        for (index, byte) in contents.dropFirst().enumerated() {
            for bit in 0..<8 where byte & 0x80 >> bit != 0 {
                usage.insert(KeyUsage(rawValue: 1 << (8 * index + bit)))
            }
        }
        guard usage.rawValue != 0, usage.rawValue < 1 << 9 else { throw .valueMalformed(at: start) }
        // The last bit that is used should be set: DER leaves out zero bits at the end.
        if last & 1 << unused == 0 { deviations.insert(.trailingZeroBits) }
        return usage
    }

    /// Reads ExtKeyUsageSyntax (RFC 5280 4.2.1.12): at least one purpose.
    fileprivate mutating func readExtendedKeyUsage() throws(PKIXError) -> [ObjectIdentifier] {
        let start = position
        var reader = try enter(DERTag.sequence)
        var purposes: [ObjectIdentifier] = []
        while !reader.isAtEnd { purposes.append(try reader.readObjectIdentifier()) }
        guard !purposes.isEmpty else { throw .valueMalformed(at: start) }
        return purposes
    }

    /// Reads AuthorityKeyIdentifier (RFC 5280 4.2.1.1) and returns its key identifier, if it has one.
    mutating func readAuthorityKeyIdentifier() throws(PKIXError) -> ArraySlice<UInt8>? {
        var reader = try enter(DERTag.sequence)
        let keyIdentifier = try reader.readOptional(DERTag.primitive(0))
        // The issuer's name and serial number, the other way to identify the certificate, are not used.
        _ = try reader.readOptional(DERTag.constructed(1))
        _ = try reader.readOptional(DERTag.primitive(2))
        try reader.finish()
        return keyIdentifier
    }
}

/// The basic constraints of a certificate: whether the subject is an authority, and the maximum number of
/// authorities below it (RFC 5280 4.2.1.9).
package struct BasicConstraints: Equatable, Sendable {
    package let isCA: Bool
    package let pathLength: Int?

    package init(isCA: Bool, pathLength: Int? = nil) {
        self.isCA = isCA
        self.pathLength = pathLength
    }
}

/// The permitted uses of a certificate's key (RFC 5280 4.2.1.3). Bit n of the standard is `1 << n` in the raw
/// value.
package struct KeyUsage: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let digitalSignature = KeyUsage(rawValue: 1 << 0)
    /// Permission to sign contents; formerly called nonRepudiation.
    package static let contentCommitment = KeyUsage(rawValue: 1 << 1)
    package static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
    package static let dataEncipherment = KeyUsage(rawValue: 1 << 3)
    package static let keyAgreement = KeyUsage(rawValue: 1 << 4)
    package static let keyCertSign = KeyUsage(rawValue: 1 << 5)
    package static let cRLSign = KeyUsage(rawValue: 1 << 6)
    package static let encipherOnly = KeyUsage(rawValue: 1 << 7)
    package static let decipherOnly = KeyUsage(rawValue: 1 << 8)
}
