internal import CBOR
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

extension Certificate {
    /// The kind of certificate, recognised by its extensions, with its size.
    var kind: String { "\(role) (X.509 v\(version)), \(der.count) bytes" }

    private var role: String {
        if basicConstraints?.isCA == true {
            return isSelfIssued ? "root certificate" : "authority's certificate"
        }
        let purposes = (extendedKeyUsage ?? []).compactMap { Self.purposes["\($0)"] }
        return purposes.isEmpty ? "certificate" : "certificate for " + purposes.joined(separator: ", ")
    }

    /// Returns the fields of the certificate, each on its own line. Nothing is verified.
    func text(_ notation: DiagnosticNotation) -> String {
        var lines = [
            "  subject: \(Terminal.safe(subject.description, limit: 400))",
            "  issuer: \(Terminal.safe(issuer.description, limit: 400))",
            "  serial number: \(serialNumber.hexadecimal)",
            "  valid: \(Timestamp(secondsSince1970: notBefore)) to \(Timestamp(secondsSince1970: notAfter))",
            "  key: \(subjectPublicKeyInfo.curve.map { "\($0)" } ?? "unsupported kind")",
            "  signed with: \(signatureAlgorithm?.name ?? "an unsupported algorithm")",
            "  SHA-256: \(Digest(.sha256, of: der).bytes.hexadecimal)",
        ]
        for (role, name) in [("subject", subject), ("issuer", issuer)] {
            guard let type = name.countryStringType else { continue }
            lines.append("  country of the \(role): a \(type), not a PrintableString")
        }
        for entry in extensions {
            let name = Self.extensionNames["\(entry.oid)"].map { " \($0)" } ?? ""
            let critical = entry.isCritical ? " critical" : ""
            lines.append("  extension \(entry.oid)\(name)\(critical): \(value(of: entry, notation))")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the value of an extension as text. Extensions that are not parsed are shown in hexadecimal.
    private func value(of entry: CertificateExtension, _ notation: DiagnosticNotation) -> String {
        switch entry.oid {
        case .basicConstraints:
            let path = basicConstraints?.pathLength.map { ", path length \($0)" } ?? ""
            return basicConstraints?.isCA == true ? "an authority\(path)" : "not an authority\(path)"
        case .keyUsage: return keyUsage?.names.joined(separator: ", ") ?? ""
        case .extendedKeyUsage:
            return (extendedKeyUsage ?? []).map { oid in
                Self.purposes["\(oid)"].map { "\(oid) \($0)" } ?? "\(oid)"
            }.joined(separator: ", ")
        case .subjectKeyIdentifier: return subjectKeyIdentifier?.hexadecimal ?? ""
        // The default case shows an extension without a key identifier in full.
        case .authorityKeyIdentifier where authorityKeyIdentifier != nil:
            return authorityKeyIdentifier?.hexadecimal ?? ""
        default:
            let shown = entry.value.prefix(notation.longestByteString)
            return shown.hexadecimal
                + (shown.count < entry.value.count ? "… (\(entry.value.count) bytes)" : "")
        }
    }

    /// Extended key usages of ISO/IEC 18013-5 Annex B, and two of RFC 5280.
    private static let purposes = [
        "1.0.18013.5.1.2": "mdoc document signing", "1.0.18013.5.1.3": "mdoc JWS signing",
        "1.0.18013.5.1.6": "mdoc reader authentication", "1.0.18013.5.1.8": "VICAL signing",
        "1.3.6.1.5.5.7.3.1": "TLS servers", "1.3.6.1.5.5.7.3.2": "TLS clients",
    ]

    /// The names of the extensions of RFC 5280 4.2.
    private static let extensionNames = [
        "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage", "2.5.29.17": "subjectAltName",
        "2.5.29.18": "issuerAltName", "2.5.29.19": "basicConstraints", "2.5.29.30": "nameConstraints",
        "2.5.29.31": "cRLDistributionPoints", "2.5.29.32": "certificatePolicies",
        "2.5.29.33": "policyMappings",
        "2.5.29.35": "authorityKeyIdentifier", "2.5.29.36": "policyConstraints", "2.5.29.37": "extKeyUsage",
        "2.5.29.46": "freshestCRL", "2.5.29.54": "inhibitAnyPolicy",
        "1.3.6.1.5.5.7.1.1": "authorityInfoAccess",
    ]
}

extension SignatureAlgorithm {
    fileprivate var name: String {
        switch self {
        case .ecdsa(.sha256): "ECDSA with SHA-256"
        case .ecdsa(.sha384): "ECDSA with SHA-384"
        case .ecdsa(.sha512): "ECDSA with SHA-512"
        case .eddsa: "EdDSA"
        }
    }
}

extension KeyUsage {
    fileprivate var names: [String] {
        let all: [(KeyUsage, String)] = [
            (.digitalSignature, "digitalSignature"), (.contentCommitment, "contentCommitment"),
            (.keyEncipherment, "keyEncipherment"), (.dataEncipherment, "dataEncipherment"),
            (.keyAgreement, "keyAgreement"), (.keyCertSign, "keyCertSign"), (.cRLSign, "cRLSign"),
            (.encipherOnly, "encipherOnly"), (.decipherOnly, "decipherOnly"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
