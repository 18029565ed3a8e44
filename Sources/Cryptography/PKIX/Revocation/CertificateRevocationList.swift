package import OpenSSLCrypto

/// A parsed X.509 CRL of one issuer (RFC 5280 5.1), which is not trusted until its signature is verified.
///
/// A defect of a CRL affects listed and other certificates differently (ITU-T X.509 7.3; Q230, Q241):
///
/// - A certificate that is listed is revoked, whatever else is wrong with the CRL.
/// - A certificate that is not listed is good only if the list is complete. `gaps` records every part that is
///   missing or unreadable, and every part that limits the list. If there is a gap, a certificate that is not
///   listed may be revoked nevertheless.
///
/// The initialiser therefore requires only the signature, the issuer, thisUpdate and the entries, and reads
/// each entry separately. Indirect CRLs and CRLs of attribute certificates are refused completely, because
/// their entries do not belong to this issuer's certificates.
///
/// MdocTrust verifies the signature with the issuing root, compares `thisUpdate` and `nextUpdate` with the
/// clock, and decides (`SignerRevocation`). This type checks no time.
///
/// A CRL has at most 8 MiB and 262 144 entries. All slices refer to the received buffer.
/// `entry(serialNumber:)` finds an entry in a sorted array of positions, without copying the entries.
package struct CertificateRevocationList: Sendable {
    /// The maximum size of a CRL, in bytes.
    package static let maximumSize = 1 << 23
    /// The maximum number of entries.
    package static let maximumEntries = 1 << 18

    /// The complete encoding.
    package let der: ArraySlice<UInt8>
    package let issuer: DistinguishedName
    /// The time of issue, in seconds since 1970-01-01T00:00:00Z.
    package let thisUpdate: Int64
    /// The time of nextUpdate, in seconds since 1970-01-01T00:00:00Z; `nil` if it is missing or unreadable.
    package let nextUpdate: Int64?
    /// The issuer's key identifier; `nil` if the extension is missing, or identifies the issuer's certificate
    /// in another way.
    package let authorityKeyIdentifier: ArraySlice<UInt8>?
    /// The CRL number, big-endian without a leading zero; `nil` if it is missing or unreadable.
    package let number: ArraySlice<UInt8>?
    /// The URIs of the distribution point that the CRL covers; `nil` if the CRL has no readable name of a
    /// distribution point.
    package let distributionPointURIs: [String]?
    /// The value of the issuing distribution point extension; `nil` if there is none, so that the CRL covers
    /// all certificates of its issuer.
    package let scope: ArraySlice<UInt8>?
    /// The encodings that RFC 5280 forbids but this parser accepts.
    package let deviations: EncodingDeviations
    /// The reasons why a certificate that is not listed may be revoked nevertheless. Empty if the list is
    /// complete for its distribution point. A listed certificate is revoked in any case (ITU-T X.509 7.3;
    /// Q230).
    package let gaps: [PKIXError]
    private let revoked: RevokedSerialNumbers
    private let signed: X509Signature

    /// Parses a CRL that fills `der`. Each entry is read separately, so a fault in one entry does not affect
    /// the other entries.
    ///
    /// - Throws: `indirectCRL` or `crlOfOtherScope` if entries may belong to other issuers or to attribute
    ///   certificates; other errors if the signature, the issuer, thisUpdate or the list as a whole cannot be
    ///   read.
    package init(der: ArraySlice<UInt8>) throws(PKIXError) {
        guard der.count <= Self.maximumSize else { throw .limitExceeded(at: der.startIndex) }
        self.der = der
        signed = try X509Signature(der)
        var deviations: EncodingDeviations = []
        var fields = DERReader(signed.signed.contents)
        var gaps: [PKIXError] = []
        let version = try fields.readOptional(DERTag.integer)
        // A wrong version, like other faults below, is a gap and no error, because refusing the list would
        // hide its revocations (Q241).
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
        // Trailing fields are a gap if the CRL has entries or extensions. Otherwise its structure is unknown,
        // and `finish` throws.
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

    /// The first of `gaps`; `nil` if the list is complete.
    package var incompleteness: PKIXError? { gaps.first }

    /// Returns the issuer of a CRL that may be truncated after the issuer's name. `nil` if the bytes do not
    /// begin like a CRL.
    package static func issuer(of der: ArraySlice<UInt8>) -> DistinguishedName? {
        guard let list = DERReader.contents(of: DERTag.sequence, begunBy: der),
            let begun = DERReader.contents(of: DERTag.sequence, begunBy: list)
        else { return nil }
        do throws(PKIXError) {
            var fields = DERReader(begun)
            // The version and the signature algorithm precede the issuer.
            _ = try fields.readOptional(DERTag.integer)
            _ = try fields.readElement(DERTag.sequence)
            return try DistinguishedName(fields.readElement(DERTag.sequence))
        } catch {
            return nil
        }
    }

    /// The number of entries.
    package var count: Int { revoked.count }

    /// Returns the entry with this serial number; `nil` if there is none.
    ///
    /// - Parameter serialNumber: the contents of a certificate's INTEGER.
    package func entry(serialNumber: ArraySlice<UInt8>) -> RevokedCertificate? {
        revoked.entry(serialNumber, in: der)
    }

    /// Returns whether this CRL revokes every certificate that `other` revokes, and for at least as long. An
    /// entry with the reason certificateHold is temporary: it ends at the nextUpdate of its CRL.
    package func revokesAll(of other: CertificateRevocationList) -> Bool {
        // A certificateHold in a CRL without nextUpdate lasts until a later complete CRL (Q241). `??` binds
        // tighter than `>=`.
        let holdsAsLong = nextUpdate ?? .max >= other.nextUpdate ?? .max
        return other.revoked.allSatisfy(in: other.der) { serial, reason in
            guard let listed = entry(serialNumber: serial) else { return false }
            return listed.reason != .certificateHold || reason == .certificateHold && holdsAsLong
        }
    }

    /// Verifies that `key` signed the CRL. Nothing else is checked.
    package func verifySignature(with key: borrowing AuthorityKey) throws(OpenSSLCryptoError) {
        try signed.verify(with: key)
    }
}

extension DERReader {
    /// Reads nextUpdate. Returns `nil` and records a gap if it is missing, or is not a time as RFC 5280
    /// requires.
    fileprivate mutating func readNextUpdate(
        _ deviations: inout EncodingDeviations, _ gaps: inout [PKIXError]
    ) throws(PKIXError) -> Int64? {
        guard isAtNextUpdate else {
            gaps.append(.crlNextUpdateMissing)
            return nil
        }
        var time = DERReader(try readElement().encoding)
        let start = position
        // If there are two times, it is unknown which one is right. Neither is used, and a gap is recorded
        // below.
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

    /// Whether the next element comes before the entries and the extensions, which is the position of
    /// nextUpdate. The element may have any type.
    private var isAtNextUpdate: Bool {
        !isAtEnd && nextTag != DERTag.sequence && nextTag != DERTag.constructed(0)
    }
}

/// The reason for a revocation. The raw values are the numbers of RFC 5280 5.3.1.
package enum RevocationReason: UInt8, Sendable {
    case unspecified = 0
    case keyCompromise = 1
    case cACompromise = 2
    case affiliationChanged = 3
    case superseded = 4
    case cessationOfOperation = 5
    /// Temporary: a later list may end the revocation.
    case certificateHold = 6
    case privilegeWithdrawn = 9
    case aACompromise = 10
}

/// An entry of a CRL, without its serial number.
package struct RevokedCertificate: Equatable, Sendable {
    package let reason: RevocationReason
    /// The revocation time in seconds since 1970-01-01T00:00:00Z; 0 if the entry's date is unreadable.
    package let revocationDate: Int64
}
