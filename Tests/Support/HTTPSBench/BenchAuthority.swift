internal import NIOSSL
package import OpenSSLCrypto
internal import PKIX
internal import TestCredentials

/// A CA made for a test, which issues the certificates of servers on this machine.
package struct BenchAuthority: Sendable {
    /// What a server shows for itself.
    package enum Shows: Sendable {
        /// A certificate for 127.0.0.1 and `localhost`, valid.
        case itself
        /// The same, valid until 2001.
        case expired
        /// One for another host.
        case anotherHost
        /// The same as `itself`, over TLS 1.1 at most.
        case itselfOverOldTLS
    }

    /// Long before and long after any day on which a test runs: TLS goes by the machine's clock.
    private static let ages = (from: Int64(0), to: Int64(2_500_000_000))
    private static let endOf2001: Int64 = 1_009_843_199

    private let authority: TestAuthority
    private let certificate: [UInt8]

    package init() throws {
        authority = try TestAuthority(
            [(.countryName, "UT"), (.commonName, "Bench CA")], notBefore: Self.ages.from,
            notAfter: Self.ages.to)
        certificate = authority.der
    }

    /// A CA that another one certifies.
    package init(below other: BenchAuthority) throws {
        authority = try TestAuthority(
            [(.countryName, "UT"), (.commonName, "Bench CA below")], notBefore: Self.ages.from,
            notAfter: Self.ages.to)
        var template = authority.template
        template.issuer = other.authority.name
        certificate = try other.authority.sign(
            template.with(.authorityKeyIdentifier(other.authority.keyIdentifier)))
    }

    /// The CA's certificate, for a client to verify servers by.
    package var pem: [UInt8] { PEM.encode(certificate[...], label: "CERTIFICATE") }

    func serverConfiguration(showing shows: Shows) throws -> TLSConfiguration {
        let key = try TestKey()
        let names = Self.alternativeNames(shows)
        let template = CertificateTemplate(
            serialNumber: [0x43, 1, 2, 3, 4, 5, 6, 7, 8], issuer: authority.name,
            subject: DistinguishedName([(.commonName, "Bench server")]), notBefore: Self.ages.from,
            notAfter: shows == .expired ? Self.endOf2001 : Self.ages.to,
            publicKey: try key.privateKey.publicKey(),
            extensions: [
                .authorityKeyIdentifier(authority.keyIdentifier), .keyUsage(.digitalSignature),
                .extendedKeyUsage([ObjectIdentifier("1.3.6.1.5.5.7.3.1")]), names,
            ])
        let certificate = try NIOSSLCertificate(bytes: authority.sign(template), format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)],
            privateKey: .privateKey(
                try NIOSSLPrivateKey(
                    bytes: key.privateKey.unprotectedPEM().withUnprotectedBytes(Array.init), format: .pem)))
        if shows == .itselfOverOldTLS { configuration.maximumTLSVersion = .tlsv11 }
        return configuration
    }

    /// A client's certificate for a key, in PEM, valid between two times in seconds since 1970.
    package func clientCertificate(
        for key: borrowing PublicKey, from notBefore: Int64, to notAfter: Int64
    ) throws -> [UInt8] {
        let template = CertificateTemplate(
            serialNumber: [0x44, 1, 2, 3, 4, 5, 6, 7, 8], issuer: authority.name,
            subject: DistinguishedName([(.commonName, "Bench client")]), notBefore: notBefore,
            notAfter: notAfter, publicKey: key,
            extensions: [
                .authorityKeyIdentifier(authority.keyIdentifier), .keyUsage(.digitalSignature),
                .extendedKeyUsage([.clientAuthentication]),
            ])
        return PEM.encode(try authority.sign(template)[...], label: "CERTIFICATE")
    }

    private static func alternativeNames(_ shows: Shows) -> CertificateExtension {
        CertificateExtension(.subjectAlternativeName) {
            $0.write(DERTag.sequence) {
                if shows == .anotherHost {
                    $0.write(DERTag.primitive(2), contents: Array("elsewhere.example".utf8))
                } else {
                    $0.write(DERTag.primitive(2), contents: Array("localhost".utf8))
                    $0.write(DERTag.primitive(7), contents: [127, 0, 0, 1])
                }
            }
        }
    }
}
