internal import MdocModel
internal import OpenSSLCrypto

/// The profile of a document signer's certificate (ISO/IEC 18013-5 Annex B.1.4): what it must be, and what is only reported.
enum DocumentSignerProfile {
    private static let documentSigning = ObjectIdentifier("1.0.18013.5.1.2")
    private static let keyUsage = ObjectIdentifier("2.5.29.15")
    private static let extendedKeyUsage = ObjectIdentifier("2.5.29.37")
    private static let longestValidity: Int64 = 457 * 86_400

    /// Extensions that are read here, or that may be critical without changing what the certificate is believed for.
    private static let understood: Set<ObjectIdentifier> = [
        ObjectIdentifier("2.5.29.14"), ObjectIdentifier("2.5.29.15"), ObjectIdentifier("2.5.29.17"),
        ObjectIdentifier("2.5.29.18"), ObjectIdentifier("2.5.29.19"), ObjectIdentifier("2.5.29.31"),
        ObjectIdentifier("2.5.29.32"), ObjectIdentifier("2.5.29.35"), ObjectIdentifier("2.5.29.37"),
    ]
    /// policyMappings, nameConstraints, policyConstraints, inhibitAnyPolicy, freshestCRL.
    private static let forbidden: Set<ObjectIdentifier> = [
        ObjectIdentifier("2.5.29.33"), ObjectIdentifier("2.5.29.30"), ObjectIdentifier("2.5.29.36"),
        ObjectIdentifier("2.5.29.54"), ObjectIdentifier("2.5.29.46"),
    ]

    static func deviations(
        of leaf: Certificate, issuedBy anchor: Certificate
    ) throws(IssuerCertificateError) -> [Deviation] {
        var deviations: [Deviation] = []
        guard leaf.deviations.isEmpty else { throw .encodingIrregular }
        try checkExtensions(of: leaf)
        try checkKeyUsage(of: leaf, noting: &deviations)
        try checkExtendedKeyUsage(of: leaf, noting: &deviations)
        try checkNames(of: leaf, issuedBy: anchor, noting: &deviations)
        if !leaf.namesContactOfIssuer { deviations.append(.dsIssuerAlternativeName) }
        if !leaf.hasDistributionPointsByURI { deviations.append(.dsDistributionPoint) }
        if leaf.notAfter - leaf.notBefore > longestValidity { deviations.append(.dsLongValidity) }
        if leaf.subjectKeyIdentifier == nil { deviations.append(.dsSubjectKeyIdentifierMissing) }
        return deviations
    }

    private static func checkExtensions(of leaf: Certificate) throws(IssuerCertificateError) {
        for entry in leaf.extensions {
            guard !forbidden.contains(entry.oid) else { throw .forbiddenExtension(entry.oid) }
            guard !entry.isCritical || understood.contains(entry.oid) else {
                throw .unknownCriticalExtension(entry.oid)
            }
        }
        guard leaf.basicConstraints?.isCA != true else { throw .isCertificateAuthority }
    }

    private static func checkKeyUsage(
        of leaf: Certificate, noting deviations: inout [Deviation]
    ) throws(IssuerCertificateError) {
        guard let usage = leaf.keyUsage, usage.contains(.digitalSignature) else { throw .keyUsageWrong }
        guard usage.isDisjoint(with: [.keyCertSign, .cRLSign]) else { throw .isCertificateAuthority }
        if usage != .digitalSignature { deviations.append(.dsFurtherKeyUsage) }
        if !leaf.isCritical(keyUsage) { deviations.append(.dsKeyUsageNotCritical) }
    }

    private static func checkExtendedKeyUsage(
        of leaf: Certificate, noting deviations: inout [Deviation]
    ) throws(IssuerCertificateError) {
        guard let usages = leaf.extendedKeyUsage, usages.contains(documentSigning) else {
            throw .extendedKeyUsageWrong
        }
        if usages.count > 1 { deviations.append(.dsFurtherExtendedKeyUsage) }
        if !leaf.isCritical(extendedKeyUsage) {
            deviations.append(.dsExtendedKeyUsageNotCritical)
        }
    }

    private static func checkNames(
        of leaf: Certificate, issuedBy anchor: Certificate, noting deviations: inout [Deviation]
    ) throws(IssuerCertificateError) {
        guard let country = leaf.subject.countryName else { throw .countryMissing }
        if let expected = anchor.subject.countryName {
            guard country.utf8.elementsEqual(expected.utf8) else { throw .countryMismatch }
        } else {
            deviations.append(.anchorCountryMissing)
        }
        if leaf.subject.commonName == nil { deviations.append(.dsCommonNameMissing) }
        if let state = anchor.subject.stateOrProvinceName {
            let isSame = leaf.subject.stateOrProvinceName?.utf8.elementsEqual(state.utf8) == true
            if !isSame { deviations.append(.dsState) }
        }
    }
}

extension Certificate {
    fileprivate func isCritical(_ oid: ObjectIdentifier) -> Bool {
        extensions.contains { $0.oid == oid && $0.isCritical }
    }

    private static var rfc822Name: UInt8 { DERTag.primitive(1) }
    private static var uniformResourceIdentifier: UInt8 { DERTag.primitive(6) }

    /// Whether issuerAltName has an rfc822Name or a URI.
    fileprivate var namesContactOfIssuer: Bool {
        guard let value = firstExtension(.issuerAlternativeName)?.value,
            let tags = try? Self.tags(in: value, DERTag.sequence)
        else { return false }
        return tags.contains(Self.rfc822Name) || tags.contains(Self.uniformResourceIdentifier)
    }

    /// Whether there are CRL distribution points, each a full name with a URI, without reasons and cRLIssuer.
    fileprivate var hasDistributionPointsByURI: Bool {
        guard let value = firstExtension(.crlDistributionPoints)?.value else { return false }
        do throws(OpenSSLCryptoError) {
            var points = DERReader(value)
            var list = try points.enter(DERTag.sequence)
            guard !list.isAtEnd else { return false }
            while !list.isAtEnd {
                var point = try list.enter(DERTag.sequence)
                let name = try point.read(DERTag.constructed(0))
                let tags = try Self.tags(in: name, DERTag.constructed(0))
                guard point.isAtEnd, tags.contains(Self.uniformResourceIdentifier) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    /// The tags of the elements inside the one element of `value`, which bears `tag`.
    private static func tags(in value: ArraySlice<UInt8>, _ tag: UInt8) throws(OpenSSLCryptoError) -> [UInt8]
    {
        var outer = DERReader(value)
        var elements = try outer.enter(tag)
        var tags: [UInt8] = []
        while !elements.isAtEnd { tags.append(try elements.readElement().tag) }
        return tags
    }
}
