package import OpenSSLCrypto

/// A direct X.509 CRL (RFC 5280, 5.1), not believed until its signature is verified.
///
/// Signature, issuer, date and entries have to be there. Any other part that is missing or cannot be read is a gap: the entries
/// revoke, and a certificate that is not listed may be revoked all the same (Q241).
/// All slices lie in the received buffer; the entries are found by their serial numbers in a list of places.
package struct CertificateRevocationList: Sendable {
    /// The longest CRL that is read, in bytes.
    package static let maximumSize = 1 << 23
    /// How many certificates one CRL may list here.
    package static let maximumEntries = 1 << 18

    /// The complete encoding.
    package let der: ArraySlice<UInt8>
    package let issuer: DistinguishedName
    /// When it was issued, in seconds since 1970-01-01T00:00:00Z.
    package let thisUpdate: Int64
    /// nextUpdate, in seconds since 1970-01-01T00:00:00Z; nil if it is absent or cannot be read.
    package let nextUpdate: Int64?
    /// The key identifier; nil if it is absent or the extension names the issuer's certificate another way.
    package let authorityKeyIdentifier: ArraySlice<UInt8>?
    /// The bytes of the number, big-endian without leading zero; nil if the CRL has none that can be read.
    package let number: ArraySlice<UInt8>?
    /// The URIs of the one distribution point that this CRL is for; nil if it is for all certificates of its issuer.
    package let distributionPointURIs: [String]?
    /// The value of the issuing distribution point extension; nil if the CRL has none, and so is for all certificates of its issuer.
    package let scope: ArraySlice<UInt8>?
    /// What RFC 5280 forbids and this parser reads all the same.
    package let deviations: EncodingDeviations
    /// The reasons why a certificate that is not listed may be revoked all the same; empty if the list is the whole list for its
    /// distribution point. A certificate that is listed is revoked either way (ITU-T X.509, 7.3; Q230).
    package let gaps: [PKIXError]
    private let revoked: RevokedSerialNumbers
    private let signed: X509Signature

    /// Parses one CRL that fills `der`. Entries are read one by one: what is wrong with one leaves the others as they are.
    /// Indirect CRLs are refused whole, for their entries belong to an issuer that an entry before them may name.
    package init(der: ArraySlice<UInt8>) throws(PKIXError) {
        guard der.count <= Self.maximumSize else { throw .limitExceeded(at: der.startIndex) }
        self.der = der
        signed = try X509Signature(der)
        var deviations: EncodingDeviations = []
        var fields = DERReader(signed.signed.contents)
        var gaps: [PKIXError] = []
        let version = try fields.readOptional(DERTag.integer)
        if version?.elementsEqual([1]) != true { gaps.append(.crlVersionWrong) }
        guard try fields.readElement(DERTag.sequence).encoding == signed.identifier.encoding else {
            throw .signatureAlgorithmsDiffer
        }
        issuer = try DistinguishedName(fields.readElement(DERTag.sequence))
        thisUpdate = try fields.readTime(&deviations)
        nextUpdate = try fields.readNextUpdate(&deviations, &gaps)
        let listed = fields.nextTag == DERTag.sequence ? try fields.enter(DERTag.sequence) : nil
        if listed?.isAtEnd == true { deviations.insert(.emptyListWritten) }
        let encoded = try fields.readOptional(DERTag.constructed(0))
        if listed != nil || encoded != nil, !fields.isAtEnd {
            gaps.append(.crlPartUnreadable(.extensions, .trailingBytes(at: fields.position)))
        } else {
            try fields.finish()
        }
        let known = try KnownRevocationExtensions(encoded, &deviations)
        authorityKeyIdentifier = known.authorityKeyIdentifier
        number = known.number
        distributionPointURIs = known.distributionPointURIs
        scope = known.scope
        revoked = try RevokedSerialNumbers(listed, in: der, &deviations)
        self.gaps = gaps + known.gaps + (revoked.fault.map { [$0] } ?? [])
        self.deviations = deviations
    }

    /// The first of the gaps; nil if there are no gaps.
    package var incompleteness: PKIXError? { gaps.first }

    /// The issuer that a CRL names, found without reading its entries, which may be cut off; nil if the bytes do not
    /// begin as a CRL.
    package static func issuer(of der: ArraySlice<UInt8>) -> DistinguishedName? {
        guard let list = DERReader.contents(of: DERTag.sequence, begunBy: der),
            let begun = DERReader.contents(of: DERTag.sequence, begunBy: list)
        else { return nil }
        do throws(PKIXError) {
            var fields = DERReader(begun)
            _ = try fields.readOptional(DERTag.integer)
            _ = try fields.readElement(DERTag.sequence)
            return try DistinguishedName(fields.readElement(DERTag.sequence))
        } catch {
            return nil
        }
    }

    /// How many certificates are listed.
    package var count: Int { revoked.count }

    /// The entry of this serial number, the contents of a certificate's INTEGER; nil if it is not listed.
    package func entry(serialNumber: ArraySlice<UInt8>) -> RevokedCertificate? {
        revoked.entry(serialNumber, in: der)
    }

    /// Whether each certificate that `other` lists is listed here, and revoked for good or for as long.
    package func revokesAll(of other: CertificateRevocationList) -> Bool {
        let holdsAsLong = nextUpdate ?? .max >= other.nextUpdate ?? .max
        return other.revoked.allSatisfy(in: other.der) { serial, reason in
            guard let own = entry(serialNumber: serial) else { return false }
            return own.reason != .certificateHold || reason == .certificateHold && holdsAsLong
        }
    }

    /// Verifies that `key` signed the list; checks nothing else.
    package func verifySignature(with key: borrowing AuthorityKey) throws(OpenSSLCryptoError) {
        try signed.verify(with: key)
    }
}

extension DERReader {
    /// nextUpdate; nil, with a gap, if it is absent or is not a time as RFC 5280 has it.
    fileprivate mutating func readNextUpdate(
        _ deviations: inout EncodingDeviations, _ gaps: inout [PKIXError]
    ) throws(PKIXError) -> Int64? {
        guard isAtNextUpdate else {
            gaps.append(.crlNextUpdateMissing)
            return nil
        }
        var time = DERReader(try readElement().encoding)
        let start = position
        // Of two, neither is known to be the right one.
        while isAtNextUpdate { _ = try readElement() }
        do throws(PKIXError) {
            let update = try time.readTime(&deviations)
            guard position == start else { throw .trailingBytes(at: start) }
            return update
        } catch {
            gaps.append(.crlPartUnreadable(.nextUpdate, error))
            return nil
        }
    }

    /// Whether there is an element before the entries and the extensions, whatever its type is.
    private var isAtNextUpdate: Bool {
        !isAtEnd && nextTag != DERTag.sequence && nextTag != DERTag.constructed(0)
    }
}

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
    /// Seconds since 1970-01-01T00:00:00Z; 0 if the entry's date cannot be read.
    package let revocationDate: Int64
}
