internal import CBOR
internal import COSE
internal import OpenSSLCrypto
package import PKIX

/// A RICAL made for a test (ISO/IEC 18013-5, second edition, draft, Annex F), conforming unless a member is changed.
package struct TestRICAL {
    package struct Entry {
        package var certificate: [UInt8]
        package var serialNumber: [UInt8]
        package var keyIdentifier: [UInt8]
        /// Further members, with their encoded values.
        package var more: [(String, [UInt8])]

        package init(_ certificate: [UInt8], _ more: [(String, [UInt8])] = []) throws {
            let parsed = try Certificate(der: certificate[...])
            self.certificate = certificate
            self.more = more
            serialNumber = Array(parsed.serialNumber)
            keyIdentifier = Array(parsed.subjectKeyIdentifier ?? [])
        }
    }

    package var version = "1.0"
    package var type = "org.iso.18013.5.1.reader_authentication"
    package var date = "2026-10-20T00:00:00Z"
    package var nextUpdate: String? = "2026-11-20T00:00:00Z"
    package var notAfter: String?
    package var entries: [Entry]
    /// Whether the signer's certificate is in the protected header, where it belongs.
    package var protectsSigner = true
    package let provider: TestAuthority
    package let key: TestKey
    package let certificate: [UInt8]

    package init(
        _ entries: [Entry], provider: TestAuthority,
        _ change: (CertificateTemplate) -> CertificateTemplate = { $0 }
    ) throws {
        self.entries = entries
        self.provider = provider
        key = try TestKey()
        certificate = try provider.sign(
            change(provider.signer(for: key, [(.countryName, "UT"), (.commonName, "Utopia RICAL")])))
    }

    private var payload: [UInt8] {
        var members = [
            ("version", Encoded.text(version)), ("provider", Encoded.text("Utopia")),
            ("date", Encoded.instant(date)), ("type", Encoded.text(type)), ("id", Encoded.unsigned(3)),
            ("certificateInfos", Encoded.array(entries.map(Self.encoded))),
        ]
        if let nextUpdate { members.append(("nextUpdate", Encoded.instant(nextUpdate))) }
        if let notAfter { members.append(("notAfter", Encoded.instant(notAfter))) }
        return Encoded.map(members)
    }

    private static func encoded(_ entry: Entry) -> [UInt8] {
        Encoded.map(
            [
                ("certificate", Encoded.bytes(entry.certificate)),
                ("serialNumber", Encoded.tagged(2, Encoded.bytes(entry.serialNumber))),
                ("ski", Encoded.bytes(entry.keyIdentifier)),
            ] + entry.more)
    }

    package func encoded(signedBy other: TestKey? = nil) throws -> [UInt8] {
        var signer = COSESigner(algorithm: .es256, x5chain: protectsSigner ? [] : [certificate[...]])
        if protectsSigner {
            signer.protected = CBOREncoder.encode { encoder in
                encoder.map(count: 2)
                encoder.integer(1)
                encoder.integer(COSEAlgorithm.es256.identifier)
                encoder.integer(33)
                encoder.byteString(certificate)
            }
        }
        return try signer.sign1(
            payload, detached: false, with: (other ?? key).privateKey, algorithm: .ecdsa(.sha256))
    }
}
