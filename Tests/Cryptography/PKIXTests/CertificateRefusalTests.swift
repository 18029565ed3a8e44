import Testing
import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("Certificates that are refused or reported")
struct CertificateRefusalTests {
    typealias Change = @Sendable (inout CertificateParts) -> Void

    @Test("The parts these tests change are good as they stand")
    func baseline() throws {
        let certificate = try CertificateParts().parse()
        #expect(certificate.deviations == [])
        #expect(certificate.serialNumber == [1, 0x23])
        #expect(certificate.extensions.isEmpty)
        _ = try certificate.publicKey()
    }

    private static func value(_ oid: ObjectIdentifier, _ hex: String) -> Change {
        { $0.extensions = [CertificateParts.encodedExtension(oid, hex)] }
    }

    static let refused: [(String, PKIXError, Change)] = [
        ("version 4", .certificateVersionWrong, { $0.version = "a003020103".bytes }),
        ("a negative version", .valueMalformed(at: 8), { $0.version = "a0030201ff".bytes }),
        ("two versions", .trailingBytes(at: 11), { $0.version = "a006020102020102".bytes }),
        ("an empty serial number", .valueMalformed(at: 11), { $0.serialNumber = "0200".bytes }),
        ("a padded serial number", .valueMalformed(at: 11), { $0.serialNumber = "02020001".bytes }),
        ("no serial number", .unexpectedTag(at: 11), { $0.serialNumber = [] }),
        (
            "another algorithm inside", .signatureAlgorithmsDiffer,
            { $0.innerAlgorithm = "300a06082a8648ce3d040303".bytes }
        ),
        (
            "another algorithm outside", .signatureAlgorithmsDiffer,
            { $0.outerAlgorithm = "300a06082a8648ce3d040303".bytes }
        ),
        (
            "an algorithm without identifier", .truncated(at: 207),
            {
                $0.innerAlgorithm = "3000".bytes
                $0.outerAlgorithm = "3000".bytes
            }
        ),
        ("an issuer with an empty relative name", .valueMalformed(at: 31), { $0.issuer = "30023100".bytes }),
        (
            "an issuer attribute without value", .truncated(at: 38),
            { $0.issuer = "3009310730050603550403".bytes }
        ),
        (
            "an issuer attribute with two values", .trailingBytes(at: 40),
            { $0.issuer = "300d310b300906035504030c000c00".bytes }
        ),
        ("an issuer that is a set", .unexpectedTag(at: 27), { $0.issuer = "3100".bytes }),
        (
            "a validity of one time", .truncated(at: 76),
            {
                $0.validity = DERWriter.encode {
                    $0.write(DERTag.sequence) { $0.writeTime(secondsSince1970: 0) }
                }
            }
        ),
        (
            "a validity of three times", .trailingBytes(at: 91),
            {
                $0.validity = DERWriter.encode {
                    $0.write(DERTag.sequence) {
                        for day: Int64 in 0..<3 { $0.writeTime(secondsSince1970: day) }
                    }
                }
            }
        ),
        ("a key with unused bits", .valueMalformed(at: 147), { $0.publicKey[$0.publicKey.count - 66] = 1 }),
        (
            "a key without bits", .valueMalformed(at: 147),
            { $0.publicKey = "3017301306072a8648ce3d020106082a8648ce3d0301070300".bytes }
        ),
        (
            "unique identifiers in version 1", .certificateVersionWrong,
            {
                $0.version = []
                $0.uniqueIdentifiers = "81020000".bytes
            }
        ),
        (
            "unique identifiers out of order", .trailingBytes(at: 219),
            { $0.uniqueIdentifiers = "8202000081020000".bytes }
        ),
        (
            "extensions in version 1", .certificateVersionWrong,
            {
                $0.version = []
                $0.extensions = [CertificateParts.encodedExtension(.keyUsage, "03020780")]
            }
        ),
        (
            "extensions in version 2", .certificateVersionWrong,
            {
                $0.version = "a003020101".bytes
                $0.extensions = [CertificateParts.encodedExtension(.keyUsage, "03020780")]
            }
        ),
        ("an empty list of extensions", .valueMalformed(at: 219), { $0.afterExtensions = "a3023000".bytes }),
        (
            "two lists of extensions", .trailingBytes(at: 233),
            {
                $0.extensions = [CertificateParts.encodedExtension(.keyUsage, "03020780")]
                $0.afterExtensions = "a3023000".bytes
            }
        ),
        ("something after the extensions", .trailingBytes(at: 215), { $0.afterExtensions = "0500".bytes }),
        ("a signature with unused bits", .valueMalformed(at: 227), { $0.signature[2] = 1 }),
        ("something after the signature", .trailingBytes(at: 238), { $0.signature += "0500".bytes }),
        (
            "an extension twice", .duplicateExtension(at: 233),
            {
                $0.extensions = Array(
                    repeating: CertificateParts.encodedExtension(.keyUsage, "03020780"), count: 2)
            }
        ),
        (
            "an unknown extension twice", .duplicateExtension(at: 243),
            {
                let unknown = CertificateParts.encodedExtension(ObjectIdentifier("1.2.3"), "0500")
                $0.extensions = [unknown, CertificateParts.encodedExtension(.keyUsage, "03020780"), unknown]
            }
        ),
        (
            "65 extensions", .limitExceeded(at: 737),
            {
                $0.extensions = (0..<65).map {
                    CertificateParts.encodedExtension(ObjectIdentifier(encoded: [0x2a, $0]) ?? .keyUsage, "")
                }
            }
        ),
        (
            "a critical flag that is neither", .valueMalformed(at: 226),
            {
                $0.extensions = [
                    CertificateParts.encodedExtension(.keyUsage, critical: [1, 1, 1], "03020780")
                ]
            }
        ),
        ("key usage of no bits", .valueMalformed(at: 228), value(.keyUsage, "030100")),
        ("key usage of zero bits", .valueMalformed(at: 228), value(.keyUsage, "03020700")),
        ("key usage with unused bits set", .valueMalformed(at: 228), value(.keyUsage, "03020781")),
        ("key usage of a tenth bit", .valueMalformed(at: 228), value(.keyUsage, "0303060040")),
        ("key usage with eight unused bits", .valueMalformed(at: 228), value(.keyUsage, "03020880")),
        ("key usage with a tail", .trailingBytes(at: 232), value(.keyUsage, "030207800500")),
        ("empty key usage", .truncated(at: 228), value(.keyUsage, "")),
        (
            "basic constraints with a negative length", .valueMalformed(at: 234),
            value(.basicConstraints, "30060101ff0201ff")
        ),
        (
            "basic constraints with an immense length", .valueMalformed(at: 234),
            value(.basicConstraints, "300a0101ff02050100000000")
        ),
        (
            "basic constraints with a tail inside", .trailingBytes(at: 237),
            value(.basicConstraints, "30080101ff0201000500")
        ),
        (
            "basic constraints with a tail", .trailingBytes(at: 233),
            value(.basicConstraints, "30030101ff0500")
        ),
        (
            "basic constraints with a boolean of 02", .valueMalformed(at: 230),
            value(.basicConstraints, "3003010102")
        ),
        ("extended key usage of nothing", .valueMalformed(at: 228), value(.extendedKeyUsage, "3000")),
        (
            "extended key usage of something else", .unexpectedTag(at: 230),
            value(.extendedKeyUsage, "30020500")
        ),
        (
            "a subject key identifier that is none", .unexpectedTag(at: 228),
            value(.subjectKeyIdentifier, "0500")
        ),
        (
            "an authority key identifier out of order", .trailingBytes(at: 234),
            value(.authorityKeyIdentifier, "3006820101800101")
        ),
        (
            "an authority key identifier with a foreign field", .trailingBytes(at: 230),
            value(.authorityKeyIdentifier, "3003830101")
        ),
    ]

    @Test("A certificate is refused for", arguments: refused)
    func refusal(fault: String, error: PKIXError, change: Change) {
        var parts = CertificateParts()
        change(&parts)
        #expect(throws: error) { _ = try parts.parse() }
    }

    static let reported: [(EncodingDeviations, Change)] = [
        (
            .defaultValueWritten,
            {
                $0.version = "a003020100".bytes
            }
        ),
        (
            .defaultValueWritten,
            {
                $0.extensions = [
                    CertificateParts.encodedExtension(.keyUsage, critical: [1, 1, 0], "03020780")
                ]
            }
        ),
        (.defaultValueWritten, value(.basicConstraints, "3003010100")),
        (.pathLengthWithoutCA, value(.basicConstraints, "3003020100")),
        (.trailingZeroBits, value(.keyUsage, "03020080")),
        (.trailingZeroBits, value(.keyUsage, "0303078000")),
        (.serialNumberNotPositive, { $0.serialNumber = "020100".bytes }),
        (.serialNumberNotPositive, { $0.serialNumber = "0201ff".bytes }),
        (.serialNumberTooLong, { $0.serialNumber = [2, 21] + [UInt8](repeating: 1, count: 21) }),
        (
            .generalizedTimeBefore2050,
            {
                $0.validity = "3022180f31393730303130313030303030305a180f32303439313233313233353935395a".bytes
            }
        ),
    ]

    @Test("Q179 What leaves RFC 5280 without becoming ambiguous is read and reported", arguments: reported)
    func deviation(expected: EncodingDeviations, change: Change) throws {
        var parts = CertificateParts()
        change(&parts)
        #expect(try parts.parse().deviations == expected)
    }

    @Test(
        "Q214, Q215 Zero bits behind the key usage and 01 for TRUE in basicConstraints are read and reported")
    func harmless() throws {
        let vicalSigner = CertificateParts.encodedExtension(.keyUsage, "03020040")
        let flag = CertificateParts.encodedExtension(.basicConstraints, critical: [1, 1, 1], "3000")
        let authority = CertificateParts.encodedExtension(.basicConstraints, "3003010101")
        for (found, expected) in [
            (vicalSigner, .trailingZeroBits), (flag, .booleanTrueNotFF), (authority, .booleanTrueNotFF),
        ] as [([UInt8], EncodingDeviations)] {
            var parts = CertificateParts()
            parts.extensions = [found]
            let certificate = try parts.parse()
            #expect(certificate.deviations == expected)
            #expect(expected.isSubset(of: .harmless) && expected.descriptions.count == 1)
        }
        var parts = CertificateParts()
        parts.extensions = [vicalSigner, authority]
        #expect(try parts.parse().keyUsage == .contentCommitment)
        #expect(try parts.parse().basicConstraints == BasicConstraints(isCA: true))
        parts.extensions = [flag]
        #expect(try parts.parse().extensions.map(\.isCritical) == [true])
        // The twins: another byte, and another extension, are refused.
        for encoded in [
            CertificateParts.encodedExtension(.basicConstraints, critical: [1, 1, 2], "3000"),
            CertificateParts.encodedExtension(.basicConstraints, "3003010102"),
            CertificateParts.encodedExtension(.keyUsage, critical: [1, 1, 1], "03020640"),
        ] {
            parts.extensions = [encoded]
            let error = #expect(throws: PKIXError.self) { _ = try parts.parse() }
            guard case .valueMalformed = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("Unknown algorithms and keys are read, and cannot be used")
    func unsupported() throws {
        var parts = CertificateParts()
        parts.innerAlgorithm = "300d06092a864886f70d01010b0500".bytes
        parts.outerAlgorithm = parts.innerAlgorithm
        parts.publicKey = "301d300d06092a864886f70d0101010500030c003009020400aabbcc020103".bytes
        let certificate = try parts.parse()
        #expect(certificate.signatureAlgorithm == nil)
        #expect(throws: OpenSSLCryptoError.unsupportedKey) { _ = try certificate.publicKey() }
        #expect(throws: OpenSSLCryptoError.unsupportedKey) {
            _ = try certificate.subjectPublicKeyInfo.authorityKey()
        }
        let key = try CertificateParts().parse().publicKey()
        #expect(throws: OpenSSLCryptoError.algorithmDoesNotFitKey) {
            try certificate.verifySignature(with: key)
        }
        parts.innerAlgorithm = "300d06092a864886f70d0101050500".bytes  // RSA with SHA-1
        parts.outerAlgorithm = parts.innerAlgorithm
        let sha1 = try parts.parse()
        #expect(sha1.issuerAlgorithm == nil)
        #expect(throws: OpenSSLCryptoError.unsupportedSignatureAlgorithm) {
            try sha1.verifySignature(with: key)
        }
    }

    @Test("ECDSA with parameters, curves spelled out and points off the curve give no key or algorithm")
    func keysOff() throws {
        var parts = CertificateParts()
        parts.innerAlgorithm = "300c06082a8648ce3d0403020500".bytes
        parts.outerAlgorithm = parts.innerAlgorithm
        parts.publicKey[parts.publicKey.count - 1] ^= 1
        let certificate = try parts.parse()
        #expect(certificate.signatureAlgorithm == nil)
        #expect(throws: OpenSSLCryptoError.pointNotOnCurve) { _ = try certificate.publicKey() }
        parts.publicKey = "3013300b06072a8648ce3d02013000030400040102".bytes
        let spelledOut = try parts.parse()
        #expect(throws: OpenSSLCryptoError.unsupportedKey) { _ = try spelledOut.publicKey() }
    }

    @Test("A signature algorithm of EdDSA fits the key of its own curve only")
    func edwardsCurves() throws {
        let issuer = try PrivateKey.generate(.ed25519)
        let own = issuer.encodedPoint
        let other = try PrivateKey.generate(.ed448).encodedPoint
        let subject = try PrivateKey.generate(.p256).publicKey()
        let template = CertificateTemplate(
            serialNumber: [1], issuer: CertificateTests.rootName, subject: CertificateTests.leafName,
            notBefore: 0,
            notAfter: 1, publicKey: subject)
        let certificate = try Certificate(der: template.sign(with: issuer)[...])
        try certificate.verifySignature(with: PublicKey(curve: .ed25519, raw: own[...]))
        #expect(throws: OpenSSLCryptoError.algorithmDoesNotFitKey) {
            try certificate.verifySignature(with: PublicKey(curve: .ed448, raw: other[...]))
        }
    }

    @Test("A certificate beyond 64 KiB, one with a tail and one at another place in the buffer")
    func size() throws {
        let der = CertificateParts().der
        #expect(throws: PKIXError.trailingBytes(at: der.count)) {
            try Certificate(der: (der + [0])[...])
        }
        let large = [UInt8](repeating: 0, count: Certificate.maximumSize + 1)
        #expect(throws: PKIXError.limitExceeded(at: 0)) { try Certificate(der: large[...]) }
        let buffer = [1, 2, 3] + der + [4]
        #expect(try Certificate(der: buffer[3..<3 + der.count]).subject.commonName == "Subject")
        #expect(throws: PKIXError.trailingBytes(at: 3 + der.count)) {
            try Certificate(der: buffer[3...])
        }
    }
}
