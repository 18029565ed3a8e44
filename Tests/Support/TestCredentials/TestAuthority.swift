package import MdocTrust
package import OpenSSLCrypto
package import PKIX

/// An IACA made for a test: its key, its certificate, and what it signs.
package struct TestAuthority: Sendable {
    /// 2026-11-01T12:00:00Z, the "now" of the tests.
    package static let now: Int64 = 1_793_534_400
    package static let day: Int64 = 86_400

    package let pair: TestKey
    package let name: DistinguishedName
    package let keyIdentifier: [UInt8]
    package let der: [UInt8]
    /// What `der` was made from.
    package let template: CertificateTemplate
    /// That of the certificates of its signers, unless they are given names.
    private let signerCountry: String

    package typealias Names = [(type: ObjectIdentifier, value: String)]

    /// - Parameters:
    ///   - key: given where several certificates are to have one key.
    ///   - hasKeyIdentifier: whether the certificate has a subject key identifier.
    package init(
        _ names: Names = [(.countryName, "UT"), (.commonName, "Utopia IACA")], key: TestKey? = nil,
        curve: Curve = .p256, notBefore: Int64 = now - 900 * day, notAfter: Int64 = now + 900 * day,
        hasKeyIdentifier: Bool = true, signerCountry: String = "UT"
    ) throws {
        self.signerCountry = signerCountry
        pair = try key ?? TestKey(curve)
        name = DistinguishedName(names)
        let publicKey = try pair.privateKey.publicKey()
        keyIdentifier = try publicKey.subjectKeyIdentifier()
        var extensions: [CertificateExtension] = [
            .keyUsage([.keyCertSign, .cRLSign]),
            .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)),
            .issuerAlternativeName(uri: "https://utopia.example"),
        ]
        if hasKeyIdentifier { extensions.append(.subjectKeyIdentifier(keyIdentifier)) }
        template = CertificateTemplate(
            serialNumber: [0x41, 1, 2, 3, 4, 5, 6, 7, 8], issuer: name, subject: name, notBefore: notBefore,
            notAfter: notAfter, publicKey: publicKey, extensions: extensions)
        der = try template.sign(with: pair.privateKey)
    }

    /// An authority whose documents are no test's to a reader, unlike those of `UT`.
    package static func ofACountry(
        notBefore: Int64 = now - 900 * day, notAfter: Int64 = now + 900 * day
    ) throws -> TestAuthority {
        try TestAuthority(
            [(.countryName, "XX"), (.commonName, "Utopia IACA")], notBefore: notBefore, notAfter: notAfter,
            signerCountry: "XX")
    }

    package func anchor() throws -> TrustAnchor {
        try TrustAnchor(Certificate(der: der[...]))
    }

    package func store(remembering capacity: Int = 64) throws -> TrustStore {
        TrustStore(anchors: [try anchor()], remembering: capacity)
    }

    /// A document signer's certificate that fits the profile in every point.
    package func signer(
        for key: TestKey, _ names: Names? = nil
    ) throws -> CertificateTemplate {
        let names = names ?? [(.countryName, signerCountry), (.commonName, "Utopia DS")]
        let publicKey = try key.privateKey.publicKey()
        return CertificateTemplate(
            serialNumber: [0x42, 1, 2, 3, 4, 5, 6, 7, 8], issuer: name, subject: DistinguishedName(names),
            notBefore: Self.now - 30 * Self.day, notAfter: Self.now + 300 * Self.day, publicKey: publicKey,
            extensions: [
                .authorityKeyIdentifier(keyIdentifier),
                .subjectKeyIdentifier(try publicKey.subjectKeyIdentifier()),
                .issuerAlternativeName(uri: "https://utopia.example"),
                .crlDistributionPoint(uri: "https://utopia.example/crl"), .keyUsage(.digitalSignature),
                .extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")]),
            ])
    }

    /// The certificate of a signer of European person identification data that fits its profile in every point.
    package func personIDSigner(for key: TestKey) throws -> CertificateTemplate {
        try signer(for: key, [(.countryName, "UT"), (.commonName, "Utopia PID")])
            .with(.extendedKeyUsage([ObjectIdentifier("1.3.130.2.0.0.1.2")]))
            .without(.issuerAlternativeName)
    }

    /// A reader's certificate that fits its profile in every point.
    package func reader(for key: TestKey) throws -> CertificateTemplate {
        try signer(for: key, [(.commonName, "Utopia reader")])
            .with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.6")]))
            .without(.issuerAlternativeName)
    }

    /// A VICAL signer's certificate that fits its profile in every point.
    package func vicalSigner(for key: TestKey) throws -> CertificateTemplate {
        try signer(for: key, [(.countryName, signerCountry), (.commonName, "Utopia VICAL")])
            .with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.8")])).with(
                .keyUsage(.contentCommitment)
            )
            .without(.issuerAlternativeName)
    }

    /// A status list signer's certificate that fits its profile in every point.
    package func statusSigner(for key: TestKey) throws -> CertificateTemplate {
        try signer(for: key, [(.countryName, signerCountry), (.commonName, "Utopia status")])
            .with(.extendedKeyUsage([ObjectIdentifier("1.3.6.1.5.5.7.3.30")]))
            .without(.issuerAlternativeName)
    }

    package func sign(_ template: CertificateTemplate) throws -> [UInt8] {
        try template.sign(with: pair.privateKey)
    }

    /// As `sign(_:)`, with other bytes in place of those that the signed part has somewhere.
    package func sign(
        _ template: CertificateTemplate, replacing old: [UInt8], with new: [UInt8]
    ) throws -> [UInt8] {
        var outer = DERReader(try sign(template)[...])
        var parts = try outer.enter(DERTag.sequence)
        var signed = Array(try parts.readElement().encoding)
        let algorithm = try parts.readElement().encoding
        guard let place = signed.firstRange(of: old), old.count == new.count else {
            throw BytesNotFound(bytes: old)
        }
        signed.replaceSubrange(place, with: new)
        let signature = try pair.privateKey.sign([signed[...]], algorithm: .ecdsa(.sha256), form: .der)
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(encoded: signed)
                $0.write(encoded: algorithm)
                $0.writeBitString(signature)
            }
        }
    }

    package struct BytesNotFound: Error { let bytes: [UInt8] }
}

/// A private key that several values of a test can hold.
package final class TestKey: Sendable {
    package let privateKey: PrivateKey

    package init(_ curve: Curve = .p256) throws {
        privateKey = try PrivateKey.generate(curve)
    }

    package init(_ key: consuming PrivateKey) {
        privateKey = key
    }

    /// The same key every time.
    package init(_ curve: Curve = .p256, scalar: [UInt8]) throws {
        privateKey = try PrivateKey(curve: curve, scalar: scalar[...])
    }
}

extension CertificateTemplate {
    /// The same with another extension in place of the one with its identifier, or behind all.
    package func with(_ replacement: CertificateExtension) -> CertificateTemplate {
        var copy = self
        if let index = extensions.firstIndex(where: { $0.oid == replacement.oid }) {
            copy.extensions[index] = replacement
        } else {
            copy.extensions.append(replacement)
        }
        return copy
    }

    /// The same without the extension of this identifier.
    package func without(_ oid: ObjectIdentifier) -> CertificateTemplate {
        var copy = self
        copy.extensions.removeAll { $0.oid == oid }
        return copy
    }
}
