internal import MdocModel
internal import PKIX

// Faults of the certificates. The root signs these certificates correctly, but the certificates do not
// conform to Annex B.
extension IssuerFault {
    /// Applies the fault to the root before it is signed.
    func edit(root: inout CertificateTemplate, now: Timestamp) {
        switch self {
        case .rootExpired: root.notAfter = now.secondsSince1970 - TestValidity.day
        // A root is self-signed, so its issuer is the changed subject.
        case .rootWithoutCountry:
            root.subject = DistinguishedName(
                certificateName(country: nil, state: nil, commonName: "Countersign Test IACA"))
            root.issuer = root.subject
        default: break
        }
    }

    /// Applies the fault to the document signer's certificate before the root signs it.
    func edit(signer: inout CertificateTemplate, now: Timestamp) {
        edit(namesOf: &signer)
        edit(identifiersOf: &signer)
        edit(extendedKeyUsageOf: &signer)
        edit(keyUsageOf: &signer)
        edit(distributionPointsOf: &signer)
        let day = TestValidity.day
        switch self {
        // This validity is one day longer than the 457 days that Annex B allows.
        case .longValidity: signer.notAfter = signer.notBefore + 458 * day
        case .certificateExpired: signer.notAfter = now.secondsSince1970 - day
        case .certificateNotYetValid: signer.notBefore = now.secondsSince1970 + day
        // An object identifier for examples (RFC 5612).
        case .unknownCriticalExtension:
            signer.extensions.append(
                CertificateExtension(ObjectIdentifier("1.3.6.1.4.1.32473.1"), isCritical: true) {
                    $0.writeBoolean(true)
                })
        // Annex B forbids this extension, so its content does not matter.
        case .nameConstraints:
            signer.extensions.append(
                CertificateExtension(.nameConstraints) { $0.write(DERTag.sequence) { _ in } })
        default: break
        }
    }

    /// Applies the faults in the subject's and issuer's names.
    private func edit(namesOf signer: inout CertificateTemplate) {
        func subject(
            country: String?, state: String?, commonName: String? = "Countersign Test DS"
        ) -> DistinguishedName {
            DistinguishedName(certificateName(country: country, state: state, commonName: commonName))
        }
        switch self {
        case .otherCountry: signer.subject = subject(country: "XX", state: nil)
        case .countryMissing: signer.subject = subject(country: nil, state: nil)
        case .otherState: signer.subject = subject(country: "UT", state: "Elsewhere")
        case .commonNameMissing: signer.subject = subject(country: "UT", state: nil, commonName: nil)
        case .issuerContactMissing: signer.remove(.issuerAlternativeName)
        case .otherIssuerName:
            signer.issuer = DistinguishedName(
                certificateName(country: "UT", state: nil, commonName: "Another IACA"))
        default: break
        }
    }

    /// Applies the faults of the key identifiers and of the serial number. A wrong key identifier is the byte
    /// 5A repeated, which no key has as its identifier.
    private func edit(identifiersOf signer: inout CertificateTemplate) {
        switch self {
        case .authorityKeyIdentifierDiffers:
            signer.replace(.authorityKeyIdentifier([UInt8](repeating: 0x5a, count: 20)))
        case .authorityKeyIdentifierMissing: signer.remove(.authorityKeyIdentifier)
        case .subjectKeyIdentifierMissing: signer.remove(.subjectKeyIdentifier)
        case .subjectKeyIdentifierNoDigest:
            signer.replace(.subjectKeyIdentifier([UInt8](repeating: 0x5a, count: 20)))
        // Annex B requires at least 63 random bits, and 4 bytes have 32.
        case .shortSerialNumber: signer.serialNumber = Array(signer.serialNumber.prefix(4))
        default: break
        }
    }

    /// Applies the faults of the extended key usage.
    private func edit(extendedKeyUsageOf signer: inout CertificateTemplate) {
        // These are the extended key usages for document signers and for readers.
        let (signing, reading) = (ObjectIdentifier("1.0.18013.5.1.2"), ObjectIdentifier("1.0.18013.5.1.6"))
        switch self {
        case .readerKeyUsage: signer.replace(.extendedKeyUsage([reading]))
        case .extendedKeyUsageMissing: signer.remove(.extendedKeyUsage)
        case .extendedKeyUsageNotCritical: signer.replace(.extendedKeyUsage([signing], isCritical: false))
        case .furtherExtendedKeyUsage: signer.replace(.extendedKeyUsage([signing, reading]))
        default: break
        }
    }

    /// Applies the faults of the key usage, and the fault that the signer is an authority.
    private func edit(keyUsageOf signer: inout CertificateTemplate) {
        switch self {
        case .noDigitalSignature: signer.replace(.keyUsage(.contentCommitment))
        case .keyUsageMissing: signer.remove(.keyUsage)
        case .keyUsageNotCritical:
            let usage = CertificateExtension.keyUsage(.digitalSignature)
            signer.replace(CertificateExtension(oid: usage.oid, isCritical: false, value: usage.value))
        case .furtherKeyUsage: signer.replace(.keyUsage([.digitalSignature, .contentCommitment]))
        case .signerMaySignCertificates: signer.replace(.keyUsage([.digitalSignature, .keyCertSign]))
        case .signerIsAuthority:
            signer.extensions.append(.basicConstraints(BasicConstraints(isCA: true, pathLength: 0)))
        default: break
        }
    }

    /// Applies the faults of the CRL distribution points.
    private func edit(distributionPointsOf signer: inout CertificateTemplate) {
        switch self {
        case .distributionPointMissing: signer.remove(.crlDistributionPoints)
        case .distributionPointByName:
            // The tags of the nested structures, from the outermost to the innermost: CRLDistributionPoints,
            // DistributionPoint, distributionPoint, fullName, directoryName (RFC 5280 4.2.1.13). The encoding
            // is built from the innermost.
            let tags = [
                DERTag.sequence, DERTag.sequence, DERTag.constructed(0), DERTag.constructed(0),
                DERTag.constructed(4),
            ]
            let value = tags.reversed().reduce(Array(signer.issuer.encoded)) { contents, tag in
                DERWriter.encode { $0.write(tag, contents: contents) }
            }
            signer.replace(
                CertificateExtension(oid: .crlDistributionPoints, isCritical: false, value: value[...]))
        default: break
        }
    }
}

extension CertificateTemplate {
    /// Replaces the extension with the same object identifier.
    fileprivate mutating func replace(_ replacement: CertificateExtension) {
        for index in extensions.indices where extensions[index].oid == replacement.oid {
            extensions[index] = replacement
        }
    }

    fileprivate mutating func remove(_ oid: ObjectIdentifier) {
        extensions.removeAll { $0.oid == oid }
    }
}
