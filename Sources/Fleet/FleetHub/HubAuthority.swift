internal import ErrorMapping
package import Fleet
package import MdocModel
internal import OpenSSLCrypto
package import PKIX
package import ReaderIdentityStore

/// The fleet chain's own certificate authority. It certifies the chain's kiosks, hubs and broker, and nothing
/// else. All hubs have copies of the same certificate and key.
package struct HubAuthority: Sendable {
    /// The validity of an authority's certificate: ten years, in seconds.
    private static let rootValidity: Int64 = 3650 * 86_400
    /// The validity of a hub's or broker's certificate: one year, in seconds.
    private static let serverValidity: Int64 = 365 * 86_400
    /// The time by which certificates are backdated, in seconds, for kiosks whose clocks are slow.
    private static let backdating: Int64 = 3600

    package let root: Certificate
    private let keyPath: String
    /// The validity of a kiosk's certificate, in seconds.
    private let lifetime: Int64

    /// Reads the authority's certificate and key, and checks that they belong together.
    ///
    /// - Parameter days: The validity of a kiosk's certificate, in days.
    package init(certificate: String, key: String, days: Int64) throws(IdentityStoreError) {
        root = try Self.certificate(PrivateFile.read(certificate))
        let own = try PrivateFile.key(key)
        let info = try mapping(own.publicKey().subjectPublicKeyInfo, IdentityStoreError.keyUnusable)
        guard root.subjectPublicKeyInfo.encoding.elementsEqual(info) else { throw .keyNotCertified }
        keyPath = key
        lifetime = days * 86_400
    }

    /// Makes a kiosk's certificate for the key in the kiosk's request, and returns the certificate in PEM.
    func certify(
        _ request: VerifiedCertificationRequest, as kiosk: FleetName, of chain: FleetName, at now: Timestamp
    ) throws(IdentityStoreError) -> [UInt8] {
        let subject = DistinguishedName([(.organizationName, chain.text), (.commonName, kiosk.text)])
        let key = try PrivateFile.key(keyPath)
        let publicKey = try mapping(request.subjectPublicKeyInfo.publicKey(), IdentityStoreError.keyUnusable)
        // The certificate must not be valid for longer than the authority's certificate.
        let der = try Self.certificate(
            of: subject, for: publicKey, issuedBy: root.subject, with: key, from: now,
            until: min(now.secondsSince1970 + lifetime, root.notAfter),
            extensions: [
                // A kiosk's certificate is recognised by exactly this extended key usage
                // (`HubRoutes.kiosk(in:)`).
                .keyUsage(.digitalSignature), .extendedKeyUsage([.clientAuthentication], isCritical: false),
            ])
        return PEM.encode(der[...], label: "CERTIFICATE")
    }

    /// Creates an authority: `authority.pem` and `authority-key.pem` in a folder, which is created if it does
    /// not exist.
    package static func create(
        in folder: String, for chain: FleetName, at now: Timestamp
    ) throws(IdentityStoreError) {
        try PrivateFile.makeFolder(folder)
        let key = try newKey()
        let publicKey = try mapping(key.publicKey(), IdentityStoreError.keyUnusable)
        let subject = DistinguishedName([(.organizationName, chain.text), (.commonName, "fleet authority")])
        // With path length 0, the authority can certify kiosks and servers, but no further authority.
        let der = try certificate(
            of: subject, for: publicKey, issuedBy: subject, with: key, from: now,
            until: now.secondsSince1970 + rootValidity,
            extensions: [
                .keyUsage([.keyCertSign, .cRLSign]),
                .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)),
            ])
        try PrivateFile.create("\(folder)/authority-key.pem", key)
        // The certificate is not secret, but no other user may change it.
        try PrivateFile.create("\(folder)/authority.pem", PEM.encode(der[...], label: "CERTIFICATE")[...])
    }

    /// Creates the key and certificate of a server or of a hub's client: `NAME.pem` and `NAME-key.pem` beside
    /// the authority's files.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether to make a new certificate for the existing key, and to replace the former
    ///     certificate's file in one step.
    ///   - dns: The DNS names in the certificate.
    ///   - addresses: The IP addresses in the certificate, of 4 or 16 bytes each.
    package static func certifyServer(
        _ name: FleetName, dns: [String], addresses: [[UInt8]], in folder: String, isReplacing: Bool = false,
        at now: Timestamp
    ) throws(IdentityStoreError) {
        let (path, keyPath) = ("\(folder)/\(name).pem", "\(folder)/\(name)-key.pem")
        let root = try certificate(PrivateFile.read("\(folder)/authority.pem"))
        let authorityKey = try PrivateFile.key("\(folder)/authority-key.pem")
        let key = try isReplacing ? PrivateFile.key(keyPath) : newKey()
        let publicKey = try mapping(key.publicKey(), IdentityStoreError.keyUnusable)
        // A hub shows this certificate to kiosks as a server, and to the broker as a client.
        let der = try certificate(
            of: DistinguishedName([(.commonName, name.text)]), for: publicKey, issuedBy: root.subject,
            with: authorityKey, from: now, until: min(now.secondsSince1970 + serverValidity, root.notAfter),
            extensions: [
                .keyUsage(.digitalSignature),
                .extendedKeyUsage([.serverAuthentication, .clientAuthentication], isCritical: false),
                .subjectAlternativeNames(dns: dns, addresses: addresses),
            ])
        let pem = PEM.encode(der[...], label: "CERTIFICATE")
        // The existing key stays, so only the certificate is written.
        guard !isReplacing else { return try PrivateFile.replace(path, with: pem[...]) }
        try PrivateFile.create(keyPath, key)
        try PrivateFile.create(path, pem[...])
    }

    private static func newKey() throws(IdentityStoreError) -> PrivateKey {
        try mapping(PrivateKey.generate(.p256), IdentityStoreError.keyUnusable)
    }

    /// Makes and signs a certificate, and returns it in DER.
    private static func certificate(
        of subject: DistinguishedName, for publicKey: borrowing PublicKey, issuedBy issuer: DistinguishedName,
        with key: borrowing PrivateKey, from now: Timestamp, until notAfter: Int64,
        extensions: [CertificateExtension]
    ) throws(IdentityStoreError) -> [UInt8] {
        do throws(OpenSSLCryptoError) {
            var serialNumber = try randomBytes(16)
            // The first byte is 0x40 to 0x7f, because a serial number must be positive and is encoded in DER
            // without leading zeros (RFC 5280 4.1.2.2).
            serialNumber[0] = serialNumber[0] & 0x3f | 0x40
            let template = CertificateTemplate(
                serialNumber: serialNumber, issuer: issuer, subject: subject,
                notBefore: now.secondsSince1970 - backdating, notAfter: notAfter, publicKey: publicKey,
                extensions: [
                    .subjectKeyIdentifier(try publicKey.subjectKeyIdentifier()),
                    .authorityKeyIdentifier(try key.publicKey().subjectKeyIdentifier()),
                ] + extensions)
            return try template.sign(with: key)
        } catch {
            throw .keyUnusable(error)
        }
    }

    /// Returns the first certificate of a file's bytes. Throws if the file contains none.
    private static func certificate(_ bytes: [UInt8]) throws(IdentityStoreError) -> Certificate {
        try mapping(certificates(fromPEMOrDER: bytes[...])[0], IdentityStoreError.certificatesUnreadable)
    }
}
