/// The extensions of a CRL whose meaning this target knows (RFC 5280, 5.2), each read on its own.
///
/// An extension that cannot be read, that makes the list less than the complete list of its issuer, or that is critical and not
/// known, is a gap: it leaves the entries as they are, but a certificate that is not listed may then be revoked all the same
/// (ITU-T X.509, 7.3; Q241).
struct KnownRevocationExtensions {
    /// How many extensions a CRL may have here.
    private static let maximumExtensions = 64

    private(set) var authorityKeyIdentifier: ArraySlice<UInt8>?
    private(set) var number: ArraySlice<UInt8>?
    private(set) var distributionPointURIs: [String]?
    /// The value of the issuing distribution point.
    private(set) var scope: ArraySlice<UInt8>?
    /// Why the list may leave out certificates that are revoked.
    private(set) var gaps: [PKIXError] = []
    private var identifiers: Set<ObjectIdentifier> = []

    /// - Parameter encoded: the contents of the element around the list of extensions; nil if the CRL has none.
    /// - Throws: where the entries may belong to other issuers, or are of attribute certificates.
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
            throw .indirectCRL
        } catch .crlOfOtherScope {
            throw .crlOfOtherScope
        } catch {
            gaps.append(.crlPartUnreadable(.extensions, error))
        }
    }

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
            // Whatever is wrong around the value, it may say that the entries belong to others.
            known = CertificateExtension(oid: oid, isCritical: true, value: value)
        }
        if !identifiers.insert(known.oid).inserted {
            gaps.append(.duplicateExtension(at: element.encoding.startIndex))
        }
        do throws(PKIXError) {
            try interpret(known)
        } catch .indirectCRL {
            throw .indirectCRL
        } catch .crlOfOtherScope {
            throw .crlOfOtherScope
        } catch {
            gaps.append(.crlPartUnreadable(CRLPart(known.oid), error))
        }
    }

    private mutating func interpret(_ known: CertificateExtension) throws(PKIXError) {
        var reader = DERReader(known.value)
        switch known.oid {
        case .authorityKeyIdentifier: authorityKeyIdentifier = try reader.readAuthorityKeyIdentifier()
        case .crlNumber: number = try reader.readUnsignedInteger()
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

    private mutating func readIssuingDistributionPoint(_ reader: inout DERReader) throws(PKIXError) {
        var point = IssuingDistributionPoint()
        defer { distributionPointURIs = point.uris }
        try point.read(&reader)
        if point.leavesOut { gaps.append(.crlOfOtherScope) }
        if let fault = point.fault { throw fault }
    }
}

extension CertificateExtension {
    /// The identifier of an extension of which something else cannot be read.
    fileprivate static func identifier(of element: DERElement) -> ObjectIdentifier? {
        var fields = DERReader(element.contents)
        return try? fields.readObjectIdentifier()
    }

    /// The value of an extension of which something else cannot be read.
    fileprivate static func value(of element: DERElement) -> ArraySlice<UInt8>? {
        var fields = DERReader(element.contents)
        while let field = try? fields.readElement() {
            if field.tag == DERTag.octetString { return field.contents }
        }
        return nil
    }
}

/// IssuingDistributionPoint (RFC 5280, 5.2.5), each field read on its own.
private struct IssuingDistributionPoint {
    private enum Field {
        static let name = DERTag.constructed(0)
        static let onlyEndCertificates = DERTag.primitive(1)
        static let onlyAuthorities = DERTag.primitive(2)
        static let someReasons = DERTag.primitive(3)
        static let indirect = DERTag.primitive(4)
        static let onlyAttributes = DERTag.primitive(5)
    }

    /// The URIs of the name; nil if there is no name that can be read.
    private(set) var uris: [String]?
    /// Whether the list leaves out document signers or reasons of this point.
    private(set) var leavesOut = false
    /// The first fault of a field.
    private(set) var fault: PKIXError?

    /// - Throws: `indirectCRL` or `crlOfOtherScope` for entries that are not certificates of the issuer, which have other
    ///   serial numbers; else where no further field can be found.
    mutating func read(_ reader: inout DERReader) throws(PKIXError) {
        var fields = try reader.enter(DERTag.sequence)
        var last: UInt8 = 0
        while !fields.isAtEnd {
            let start = fields.position
            let field = try fields.readElement()
            if field.tag & 0x1f < last { fault = fault ?? .unexpectedTag(at: start) }
            last = field.tag & 0x1f + 1
            switch field.tag {
            case Field.name: readName(field)
            case Field.someReasons: leavesOut = true
            case Field.onlyEndCertificates: _ = isSet(field, at: start)
            case Field.onlyAuthorities: if isSet(field, at: start) { leavesOut = true }
            case Field.indirect: if isSet(field, at: start) { throw .indirectCRL }
            case Field.onlyAttributes: if isSet(field, at: start) { throw .crlOfOtherScope }
            default: fault = fault ?? .unexpectedTag(at: start)
            }
        }
    }

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

    /// Whether a BOOLEAN is true. A byte other than 00 and FF is true and a fault (X.690, 8.2.2 and 11.1).
    private mutating func isSet(_ field: DERElement, at start: Int) -> Bool {
        let byte = field.contents.first ?? 0
        if field.contents.count != 1 || byte != 0x00 && byte != 0xff {
            fault = fault ?? .valueMalformed(at: start)
        }
        return field.contents.contains { $0 != 0 }
    }
}

extension DERReader {
    /// The URIs of a DistributionPointName's full name; none where it has another form (RFC 5280, 4.2.1.13).
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
    /// The printable ASCII text; nil for anything else, and for more than 2048 bytes.
    fileprivate var asASCII: String? {
        guard count <= 2048, allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return String(decoding: self, as: UTF8.self)
    }
}

extension Certificate {
    /// The URIs of all CRL distribution points (RFC 5280, 4.2.1.13) that can be read, each on its own.
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
