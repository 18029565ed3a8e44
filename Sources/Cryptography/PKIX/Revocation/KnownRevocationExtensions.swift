/// The extensions of a CRL that this module interprets (RFC 5280 5.2), each read separately.
///
/// A gap is a reason why the list may omit a revoked certificate (ITU-T X.509 7.3; Q241). An extension is a
/// gap if it is unreadable, restricts the list, or is critical and unknown. A gap does not affect the entries
/// of the list.
struct KnownRevocationExtensions {
    /// The maximum number of extensions in a CRL.
    private static let maximumExtensions = 64

    private(set) var authorityKeyIdentifier: ArraySlice<UInt8>?
    private(set) var number: ArraySlice<UInt8>?
    private(set) var distributionPointURIs: [String]?
    /// The value of the issuing distribution point extension.
    private(set) var scope: ArraySlice<UInt8>?
    /// The reasons why the list may omit revoked certificates.
    private(set) var gaps: [PKIXError] = []
    private var identifiers: Set<ObjectIdentifier> = []

    /// Reads the extensions.
    ///
    /// - Parameter encoded: the contents of the element around the list of extensions; `nil` if the CRL has
    ///   none.
    /// - Throws: `indirectCRL` or `crlOfOtherScope` if the entries may belong to other issuers or to
    ///   attribute certificates.
    init(_ encoded: ArraySlice<UInt8>?, _ deviations: inout EncodingDeviations) throws(PKIXError) {
        guard let encoded else { return }
        do throws(PKIXError) {
            var outer = DERReader(encoded)
            var list = try outer.enter(DERTag.sequence)
            guard !list.isAtEnd else { throw .valueMalformed(at: list.position) }
            var count = 0
            while !list.isAtEnd {
                guard count < Self.maximumExtensions else { throw .limitExceeded(at: list.position) }
                count += 1
                try read(list.readElement(), &deviations)
            }
            try outer.finish()
        } catch .indirectCRL {
            // This error and the next one refuse the whole CRL. Any other fault is a gap.
            throw .indirectCRL
        } catch .crlOfOtherScope {
            throw .crlOfOtherScope
        } catch {
            gaps.append(.crlPartUnreadable(.extensions, error))
        }
    }

    /// Reads one extension. A fault of the extension is recorded as a gap. The whole CRL is refused if the
    /// extension says that the entries belong to other issuers or to attribute certificates.
    private mutating func read(
        _ element: DERElement, _ deviations: inout EncodingDeviations
    ) throws(PKIXError) {
        let known: CertificateExtension
        do throws(PKIXError) {
            var reader = DERReader(element.encoding)
            known = try reader.readExtension(&deviations)
        } catch {
            let oid = CertificateExtension.identifier(of: element)
            gaps.append(.crlPartUnreadable(CRLPart(oid), error))
            guard let oid, let value = CertificateExtension.value(of: element) else { return }
            // The value is interpreted even though the rest of the extension is faulty, because it may say
            // that the entries belong to other issuers. The extension counts as critical, because its flag
            // may be the faulty part.
            known = CertificateExtension(oid: oid, isCritical: true, value: value)
        }
        if !identifiers.insert(known.oid).inserted {
            gaps.append(.duplicateExtension(at: element.encoding.startIndex))
        }
        do throws(PKIXError) {
            try interpret(known)
        } catch .indirectCRL {
            // This error and the next one refuse the whole CRL. Any other fault is a gap.
            throw .indirectCRL
        } catch .crlOfOtherScope {
            throw .crlOfOtherScope
        } catch {
            gaps.append(.crlPartUnreadable(CRLPart(known.oid), error))
        }
    }

    /// Records the value of a known extension. An unknown extension is a gap if it is critical.
    private mutating func interpret(_ known: CertificateExtension) throws(PKIXError) {
        var reader = DERReader(known.value)
        switch known.oid {
        case .authorityKeyIdentifier: authorityKeyIdentifier = try reader.readAuthorityKeyIdentifier()
        case .crlNumber: number = try reader.readUnsignedInteger()
        // The extension's value is the number of the complete CRL, which is not needed.
        case .deltaCRLIndicator: return gaps.append(.deltaCRL)
        case .issuingDistributionPoint:
            scope = known.value
            try readIssuingDistributionPoint(&reader)
        default:
            if known.isCritical { gaps.append(.unknownCriticalExtension(known.oid)) }
            return
        }
        try reader.finish()
    }

    /// Reads the extension that limits the certificates or reasons that the CRL covers.
    private mutating func readIssuingDistributionPoint(_ reader: inout DERReader) throws(PKIXError) {
        var point = IssuingDistributionPoint()
        // The URIs that were read are recorded even if a later field is faulty.
        defer { distributionPointURIs = point.uris }
        try point.read(&reader)
        if point.leavesOut { gaps.append(.crlOfOtherScope) }
        if let fault = point.fault { throw fault }
    }
}

extension CertificateExtension {
    /// Returns the identifier of an extension that is otherwise unreadable.
    fileprivate static func identifier(of element: DERElement) -> ObjectIdentifier? {
        var fields = DERReader(element.contents)
        return try? fields.readObjectIdentifier()
    }

    /// Returns the value of an extension that is otherwise unreadable.
    fileprivate static func value(of element: DERElement) -> ArraySlice<UInt8>? {
        var fields = DERReader(element.contents)
        while let field = try? fields.readElement() {
            if field.tag == DERTag.octetString { return field.contents }
        }
        return nil
    }
}

/// An IssuingDistributionPoint (RFC 5280 5.2.5), each field read separately.
private struct IssuingDistributionPoint {
    private enum Field {
        static let name = DERTag.constructed(0)
        static let onlyEndCertificates = DERTag.primitive(1)
        static let onlyAuthorities = DERTag.primitive(2)
        static let someReasons = DERTag.primitive(3)
        static let indirect = DERTag.primitive(4)
        static let onlyAttributes = DERTag.primitive(5)
    }

    /// The URIs of the distribution point's name; `nil` if the name is missing or unreadable.
    private(set) var uris: [String]?
    /// Whether the list omits some document signers or reasons of this distribution point.
    private(set) var leavesOut = false
    /// The first fault in a field; `nil` if all could be read.
    private(set) var fault: PKIXError?

    /// Reads the fields.
    ///
    /// - Throws: `indirectCRL` or `crlOfOtherScope` if the entries may be certificates of other issuers, or
    ///   attribute certificates; other errors if the remaining fields cannot be found.
    mutating func read(_ reader: inout DERReader) throws(PKIXError) {
        var fields = try reader.enter(DERTag.sequence)
        var last: UInt8 = 0
        while !fields.isAtEnd {
            let start = fields.position
            let field = try fields.readElement()
            // Fields out of order or repeated are a fault, but their flags still count, because a flag such
            // as `indirect` must not be missed.
            if field.tag & 0x1f < last { fault = fault ?? .unexpectedTag(at: start) }
            // The next field must have a greater tag number. `&` binds tighter than `+`.
            last = field.tag & 0x1f + 1
            switch field.tag {
            case Field.name: readName(field)
            case Field.someReasons: leavesOut = true
            // Document signers are end-entity certificates, so this flag leaves none of them out. It is read
            // only to record a fault in it.
            case Field.onlyEndCertificates: _ = isSet(field, at: start)
            case Field.onlyAuthorities: if isSet(field, at: start) { leavesOut = true }
            case Field.indirect: if isSet(field, at: start) { throw .indirectCRL }
            case Field.onlyAttributes: if isSet(field, at: start) { throw .crlOfOtherScope }
            default: fault = fault ?? .unexpectedTag(at: start)
            }
        }
    }

    /// Reads the name of the distribution point. A name without a URI matches no certificate.
    private mutating func readName(_ field: DERElement) {
        do throws(PKIXError) {
            var reader = DERReader(field.encoding)
            let found = try reader.readUniformResourceIdentifiers()
            uris = found
            if found.isEmpty { leavesOut = true }
        } catch {
            fault = fault ?? error
        }
    }

    /// Returns whether a BOOLEAN is true. A byte other than 00 and FF is read as true and recorded as a fault
    /// (X.690 8.2.2 and 11.1).
    private mutating func isSet(_ field: DERElement, at start: Int) -> Bool {
        let byte = field.contents.first ?? 0
        if field.contents.count != 1 || byte != 0x00 && byte != 0xff {
            fault = fault ?? .valueMalformed(at: start)
        }
        return field.contents.contains { $0 != 0 }
    }
}

extension DERReader {
    /// Reads the URIs of a DistributionPointName's full name (RFC 5280 4.2.1.13). Other forms of the name
    /// contain no URIs.
    mutating func readUniformResourceIdentifiers() throws(PKIXError) -> [String] {
        var name = try enter(DERTag.constructed(0))
        guard name.nextTag == DERTag.constructed(0) else {
            _ = try name.readElement()
            try name.finish()
            return []
        }
        var names = try name.enter(DERTag.constructed(0))
        try name.finish()
        var uris: [String] = []
        while !names.isAtEnd {
            let next = try names.readElement()
            guard next.tag == DERTag.primitive(6), let uri = next.contents.asASCII else { continue }
            uris.append(uri)
        }
        return uris
    }
}

extension ArraySlice where Element == UInt8 {
    /// These bytes as a text. `nil` if a byte is not printable ASCII, or if there are more than 2048 bytes.
    fileprivate var asASCII: String? {
        guard count <= 2048, allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return String(decoding: self, as: UTF8.self)
    }
}

extension Certificate {
    /// The URIs of all readable CRL distribution points (RFC 5280 4.2.1.13), each read separately.
    package var crlDistributionPointURIs: [String] {
        guard let value = firstExtension(.crlDistributionPoints)?.value else { return [] }
        var outer = DERReader(value)
        guard var points = try? outer.enter(DERTag.sequence) else { return [] }
        var uris: [String] = []
        while let element = try? points.readElement() {
            var point = DERReader(element.contents)
            guard element.tag == DERTag.sequence, point.nextTag == DERTag.constructed(0) else { continue }
            uris += (try? point.readUniformResourceIdentifiers()) ?? []
        }
        return uris
    }
}
