/// The extensions of a CRL whose meaning this target knows (RFC 5280, 5.2). An extension that makes the list less than the
/// complete list of its issuer, or that is critical and not known, leaves the entries as they are, but a certificate that is
/// not listed may then be revoked all the same (ITU-T X.509, 7.3).
struct KnownRevocationExtensions {
    private(set) var authorityKeyIdentifier: ArraySlice<UInt8>?
    private(set) var number: ArraySlice<UInt8>?
    private(set) var distributionPointURIs: [String]?
    /// Why the list may leave out certificates that are revoked; nil if nothing says so.
    private(set) var incompleteness: PKIXError?

    /// - Throws: where an extension is malformed, or the entries may belong to other issuers.
    init(_ extensions: [CertificateExtension]) throws(PKIXError) {
        for known in extensions {
            var reader = DERReader(known.value)
            switch known.oid {
            case .authorityKeyIdentifier: authorityKeyIdentifier = try reader.readAuthorityKeyIdentifier()
            case .crlNumber: number = try reader.readUnsignedInteger()
            case .deltaCRLIndicator:
                incompleteness = incompleteness ?? .deltaCRL
                continue
            case .issuingDistributionPoint:
                let point = try reader.readIssuingDistributionPoint()
                distributionPointURIs = point.uris
                if !point.isComplete { incompleteness = incompleteness ?? .crlOfOtherScope }
            default:
                if known.isCritical {
                    incompleteness = incompleteness ?? .unknownCriticalExtension(known.oid)
                }
                continue
            }
            try reader.finish()
        }
    }
}

extension DERReader {
    /// IssuingDistributionPoint (RFC 5280, 5.2.5): the URIs of its name, if it has one, and whether the list is for all
    /// document signers and reasons of this point.
    fileprivate mutating func readIssuingDistributionPoint() throws(PKIXError) -> (
        uris: [String]?, isComplete: Bool
    ) {
        var fields = try enter(DERTag.sequence)
        var uris: [String]?
        var isComplete = true
        if fields.nextTag == DERTag.constructed(0) {
            uris = try fields.readUniformResourceIdentifiers()
            isComplete = uris?.isEmpty == false
        }
        let (onlyEndCertificates, onlyAuthorities, someReasons, onlyAttributes) =
            (1, 2, 3, 5)
            as (
                UInt8, UInt8, UInt8, UInt8
            )
        _ = try fields.readFlag(onlyEndCertificates)
        if try fields.readFlag(onlyAuthorities) { isComplete = false }
        if try fields.readOptional(DERTag.primitive(someReasons)) != nil { isComplete = false }
        // The entries may be of certificates of other issuers, which have other serial numbers.
        if try fields.readFlag(4) { throw .indirectCRL }
        if try fields.readFlag(onlyAttributes) { throw .crlOfOtherScope }
        try fields.finish()
        return (uris, isComplete)
    }

    private mutating func readFlag(_ number: UInt8) throws(PKIXError) -> Bool {
        let start = position
        guard let contents = try readOptional(DERTag.primitive(number)) else { return false }
        guard contents.count == 1, let byte = contents.first, byte == 0x00 || byte == 0xff else {
            throw .valueMalformed(at: start)
        }
        return byte == 0xff
    }

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
