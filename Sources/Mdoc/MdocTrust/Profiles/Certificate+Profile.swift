internal import OpenSSLCrypto
internal import PKIX

extension Certificate {
    /// Whether the certificate has the extension `oid`, and marks it critical.
    func isCritical(_ oid: ObjectIdentifier) -> Bool {
        extensions.contains { $0.oid == oid && $0.isCritical }
    }

    private static var rfc822Name: UInt8 { DERTag.primitive(1) }
    private static var uniformResourceIdentifier: UInt8 { DERTag.primitive(6) }

    /// Whether issuerAltName has an rfc822Name or a URI.
    var namesContactOfIssuer: Bool {
        guard let value = firstExtension(.issuerAlternativeName)?.value,
            let tags = try? Self.tags(in: value, DERTag.sequence)
        else { return false }
        return tags.contains(Self.rfc822Name) || tags.contains(Self.uniformResourceIdentifier)
    }

    /// Whether there is at least one CRL distribution point, and each is a full name with a URI, without
    /// reasons and cRLIssuer.
    var hasDistributionPointsByURI: Bool {
        guard let value = firstExtension(.crlDistributionPoints)?.value else { return false }
        do throws(PKIXError) {
            var points = DERReader(value)
            var list = try points.enter(DERTag.sequence)
            guard !list.isAtEnd else { return false }
            while !list.isAtEnd {
                var point = try list.enter(DERTag.sequence)
                // The first tag 0 is the name of the point, and the tag 0 inside is the full name. The fields
                // for reasons and cRLIssuer would come after the name (RFC 5280 4.2.1.13).
                let name = try point.read(DERTag.constructed(0))
                let tags = try Self.tags(in: name, DERTag.constructed(0))
                guard point.isAtEnd, tags.contains(Self.uniformResourceIdentifier) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    /// Whether authorityInfoAccess has the URI of an OCSP responder (RFC 5280, 4.2.2.1).
    var namesStatusResponder: Bool {
        guard let value = firstExtension(.authorityInfoAccess)?.value else { return false }
        do throws(PKIXError) {
            var outer = DERReader(value)
            var list = try outer.enter(DERTag.sequence)
            while !list.isAtEnd {
                var access = try list.enter(DERTag.sequence)
                let isResponder = try access.readObjectIdentifier() == .ocsp
                if isResponder, access.nextTag == Self.uniformResourceIdentifier { return true }
            }
            return false
        } catch {
            return false
        }
    }

    /// Returns the tags of the elements inside `value`, which is one element with the tag `tag`.
    private static func tags(in value: ArraySlice<UInt8>, _ tag: UInt8) throws(PKIXError) -> [UInt8] {
        var outer = DERReader(value)
        var elements = try outer.enter(tag)
        var tags: [UInt8] = []
        while !elements.isAtEnd { tags.append(try elements.readElement().tag) }
        return tags
    }
}

extension DistinguishedName {
    /// Whether every country is a PrintableString of two capital letters (ISO 3166-1 alpha-2).
    var hasCountryInCapitals: Bool {
        relativeNames.joined().filter { $0.type == .countryName }.allSatisfy { attribute in
            attribute.tag == DERTag.printableString && attribute.contents.count == 2
                && attribute.contents.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        }
    }
}

extension ObjectIdentifier {
    fileprivate static let authorityInfoAccess = ObjectIdentifier("1.3.6.1.5.5.7.1.1")
    fileprivate static let ocsp = ObjectIdentifier("1.3.6.1.5.5.7.48.1")
}
