import MQTTClient
import OpenSSLCrypto
import OtherPrograms
import PKIX
import TestCredentials

/// Certificates and keys of a broker and its client, in PEM files that are removed with the value.
final class BrokerFiles {
    /// Long before and long after any day on which a test runs: TLS uses the computer's clock.
    private static let validity = (from: Int64(0), to: Int64(2_500_000_000))

    let path: String
    private let folder: ScriptFolder

    init() throws {
        let (authority, other) = (try Self.authority("Broker CA"), try Self.authority("Other CA"))
        var files = [
            "root.pem": PEM.encode(authority.der[...], label: "CERTIFICATE"),
            "other-root.pem": PEM.encode(other.der[...], label: "CERTIFICATE"),
        ]
        for (name, host) in [
            ("broker", "localhost"), ("elsewhere", "elsewhere.example"), ("client", "client"),
        ] {
            let key = try TestKey()
            let addresses: [[UInt8]] = name == "broker" ? [[127, 0, 0, 1]] : []
            let certificate = try authority.sign(
                Self.template(name, host, addresses, key.privateKey.publicKey(), authority))
            files["\(name).pem"] = PEM.encode(certificate[...], label: "CERTIFICATE")
            files["\(name)-key.pem"] = try key.privateKey.unprotectedPEM().withUnprotectedBytes(Array.init)
        }
        folder = try ScriptFolder(files)
        path = folder.path
    }

    private static func authority(_ name: String) throws -> TestAuthority {
        try TestAuthority(
            [(.countryName, "UT"), (.commonName, name)], notBefore: validity.from, notAfter: validity.to)
    }

    private static func template(
        _ name: String, _ host: String, _ addresses: [[UInt8]], _ key: borrowing PublicKey,
        _ authority: TestAuthority
    ) -> CertificateTemplate {
        CertificateTemplate(
            serialNumber: [0x45, 1, 2, 3, 4, 5, 6, 7, UInt8(name.utf8.count)], issuer: authority.name,
            subject: DistinguishedName([(.commonName, name)]), notBefore: validity.from,
            notAfter: validity.to, publicKey: key,
            extensions: [
                .authorityKeyIdentifier(authority.keyIdentifier), .keyUsage(.digitalSignature),
                .extendedKeyUsage([.serverAuthentication, .clientAuthentication], isCritical: false),
                .subjectAlternativeNames(dns: [host], addresses: addresses),
            ])
    }

    /// TLS that verifies the broker by `root`, and presents the client's certificate if `isClient` is true.
    func protection(_ root: String = "root.pem", isClient: Bool = false) -> BrokerProtection {
        .tls(
            roots: .file("\(path)/\(root)"),
            certificate: isClient
                ? BrokerClientCertificate(certificate: "\(path)/client.pem", key: "\(path)/client-key.pem")
                : nil)
    }
}
