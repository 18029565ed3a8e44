import Testing
import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("Certificates")
struct CertificateTests {
    @Test("The document signer of Annex D reads as published")
    func documentSigner() throws {
        let certificate = try AnnexD.certificate("dsCertificate")
        #expect(certificate.version == 3)
        #expect(certificate.issuer.description == "C=US,CN=utopia iaca")
        #expect(certificate.subject.commonName == "utopia ds")
        #expect(certificate.subject.countryName == "US")
        #expect(certificate.subject.stateOrProvinceName == nil)
        #expect(certificate.notBefore == 1_601_510_400)
        #expect(certificate.notAfter == 1_633_046_400)
        #expect(certificate.keyUsage == .digitalSignature)
        #expect(certificate.extendedKeyUsage == [ObjectIdentifier("1.0.18013.5.1.2")])
        #expect(certificate.firstExtension(.extendedKeyUsage)?.isCritical == true)
        #expect(certificate.basicConstraints == nil)
        #expect(certificate.signatureAlgorithm == .ecdsa(.sha256))
        #expect(certificate.subjectPublicKeyInfo.curve == .p256)
        #expect(certificate.deviations == [])
        #expect(!certificate.isSelfIssued)
        let root = try AnnexD.certificate("iacaCertificate")
        #expect(certificate.issuer == root.subject)
        #expect(root.isSelfIssued)
        #expect(root.basicConstraints == BasicConstraints(isCA: true, pathLength: 0))
        #expect(root.keyUsage == [.keyCertSign, .cRLSign])
        #expect(certificate.authorityKeyIdentifier == root.subjectKeyIdentifier)
        #expect(try root.publicKey().subjectKeyIdentifier()[...] == root.subjectKeyIdentifier)
    }

    @Test("Each certificate of Annex D is signed by its root and not by the other")
    func signatures() throws {
        let (iaca, reader) = (
            try AnnexD.certificate("iacaCertificate"), try AnnexD.certificate("readerRootCertificate")
        )
        let (iacaKey, readerKey) = (iaca.subjectPublicKeyInfo, reader.subjectPublicKeyInfo)
        let signed = [
            (iaca, iacaKey, readerKey), (try AnnexD.certificate("dsCertificate"), iacaKey, readerKey),
            (reader, readerKey, iacaKey), (try AnnexD.certificate("readerCertificate"), readerKey, iacaKey),
        ]
        for (certificate, own, other) in signed {
            try certificate.verifySignature(with: own.publicKey())
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try certificate.verifySignature(with: other.publicKey())
            }
        }
    }

    private static let ofSignature: [OpenSSLCryptoError] = [
        .signatureMalformed, .signatureInvalid, .unsupportedSignatureAlgorithm,
    ]

    @Test(
        "No byte of a certificate can be changed without notice",
        arguments: ["dsCertificate", "readerCertificate"])
    func everyByteCounts(name: String) throws {
        let der = try VectorFiles.annexD(name)
        let root = try AnnexD.certificate(
            name == "dsCertificate" ? "iacaCertificate" : "readerRootCertificate")
        let key = try root.publicKey()
        for index in der.indices {
            for mask: UInt8 in [0x01, 0x80, 0xff] {
                var other = der
                other[index] ^= mask
                let error = #expect(throws: (any Error).self, "byte \(index)") {
                    try Certificate(der: other[...]).verifySignature(with: key)
                }
                let isNoticed =
                    error is PKIXError || Self.ofSignature.contains { $0 == error as? OpenSSLCryptoError }
                #expect(isNoticed, "byte \(index): \(String(describing: error))")
            }
        }
        for count in 0..<der.count {
            let error = #expect(throws: PKIXError.self) { try Certificate(der: der.prefix(count)) }
            #expect(error?.isTruncation == true, "\(count) bytes: \(String(describing: error))")
        }
    }

    @Test("Random damage is refused or read, and never stops the program")
    func mutations() throws {
        let originals = try [
            "dsCertificate", "iacaCertificate", "readerCertificate", "readerRootCertificate",
        ]
        .map(VectorFiles.annexD)
        var generator = SplitMix64(seed: 0x18013)
        var read = 0
        for _ in 0..<20_000 {
            var der = originals.randomElement(using: &generator) ?? []
            for _ in 0...Int.random(in: 0..<4, using: &generator) { Self.damage(&der, &generator) }
            guard let certificate = try? Certificate(der: der[...]) else { continue }
            read += 1
            _ = certificate.subject.description + certificate.issuer.description
            _ = certificate.extensions.map(\.oid.description)
            _ = certificate.isSelfIssued
            _ = try? certificate.verifySignature(with: certificate.publicKey())
        }
        #expect(read > 100)
    }

    private static func damage(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: index)
        default: bytes.insert(bytes[Int.random(in: bytes.indices, using: &generator)], at: index)
        }
    }

    @Test(
        "A certificate reads back as its template says, on every curve that signs",
        arguments: Curve.allCases.filter { $0.family != .montgomery })
    func template(curve: Curve) throws {
        let (root, subject) = (CertificateTests.rootName, CertificateTests.leafName)
        let issuer = try PrivateKey.generate(curve)
        let key = try PrivateKey.generate(.p384).publicKey()
        let issuerKey = try issuer.publicKey()
        let template = CertificateTemplate(
            serialNumber: [0, 0xff, 1], issuer: root, subject: subject, notBefore: 1_700_000_000,
            notAfter: 4_000_000_000, publicKey: key,
            extensions: [
                .basicConstraints(BasicConstraints(isCA: true, pathLength: 3)),
                .keyUsage([.keyCertSign, .decipherOnly]),
                .extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.6"), ObjectIdentifier("2.5.29.37.0")]),
                .subjectKeyIdentifier(try key.subjectKeyIdentifier()), .authorityKeyIdentifier([1, 2, 3]),
                .issuerAlternativeName(uri: "https://issuer.example"),
                .crlDistributionPoint(uri: "https://issuer.example/crl"),
            ])
        let certificate = try Certificate(der: template.sign(with: issuer)[...])
        try certificate.verifySignature(with: issuerKey)
        let error: OpenSSLCryptoError =
            switch curve {
            // Algorithms of EdDSA belong to one curve.
            case .ed25519, .ed448: .algorithmDoesNotFitKey
            // Longer than a signature of the other key's curve.
            case .p521, .brainpoolP512r1: .signatureMalformed
            default: .signatureInvalid
            }
        #expect(throws: error) { try certificate.verifySignature(with: key) }
        #expect(certificate.serialNumber == [0, 0xff, 1])
        #expect(certificate.issuer == root && certificate.subject == subject)
        #expect(certificate.notBefore == 1_700_000_000 && certificate.notAfter == 4_000_000_000)
        #expect(try certificate.publicKey().encodedPoint == key.encodedPoint)
        #expect(certificate.basicConstraints == BasicConstraints(isCA: true, pathLength: 3))
        #expect(certificate.keyUsage == [.keyCertSign, .decipherOnly])
        #expect(certificate.extendedKeyUsage?.map(\.description) == ["1.0.18013.5.1.6", "2.5.29.37.0"])
        #expect(certificate.subjectKeyIdentifier == (try key.subjectKeyIdentifier()[...]))
        #expect(certificate.authorityKeyIdentifier == [1, 2, 3])
        #expect(certificate.deviations == [])
    }

    static let rootName = DistinguishedName([(.countryName, "UT"), (.commonName, "Root")])
    static let leafName = DistinguishedName([
        (.countryName, "UT"), (.organizationName, "Ä"), (.commonName, "Leaf"),
    ])

    @Test(
        "Keys of every curve go through SubjectPublicKeyInfo, compressed ones too", arguments: Curve.allCases)
    func subjectPublicKeys(curve: Curve) throws {
        let key = try PrivateKey.generate(curve).publicKey()
        var parts = CertificateParts()
        parts.publicKey = key.subjectPublicKeyInfo
        #expect(try parts.parse().publicKey().encodedPoint == key.encodedPoint)
        guard curve.family == .weierstrass else { return }
        let compressed = [(key.y.last ?? 0) & 1 | 2] + key.x
        parts.publicKey = DERWriter.encode {
            $0.write(DERTag.sequence) {
                $0.write(DERTag.sequence) {
                    $0.write(ObjectIdentifier("1.2.840.10045.2.1"))
                    $0.write(curve.objectIdentifier)
                }
                $0.writeBitString(compressed)
            }
        }
        #expect(try parts.parse().publicKey().encodedPoint == key.encodedPoint)
    }
}

extension PKIXError {
    /// Whether bytes end too soon, wherever the item began that lacks some.
    var isTruncation: Bool {
        if case .truncated = self { true } else { false }
    }
}
