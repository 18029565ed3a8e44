internal import ErrorMapping
package import MdocModel
internal import MdocTrust
package import OpenSSLCrypto
package import PKIX

/// A certificate authority for readers in a laboratory. Its root is in the store and certifies this
/// computer's identities. Only wallets that were given the root accept these readers.
package struct ReaderAuthority: ~Copyable {
    package static let rootValidity: Int64 = 3650 * day
    private static let readerValidity: Int64 = 365 * day
    private static let day: Int64 = 86_400
    /// The number of seconds by which a certificate's validity begins before its creation, because the clocks
    /// of wallets may be behind.
    private static let backdating: Int64 = 3600

    /// The file with the root's certificate in PEM.
    package let rootPath: String
    package let root: Certificate
    private let key: PrivateKey

    /// Opens the authority in the folder `authority` of the store, or creates it. The authority's root has
    /// the profile of ISO/IEC 18013-5 Annex B.1.2, without the parts for issuers of documents.
    package init(
        in store: String, named subject: DistinguishedName, at now: Timestamp
    ) throws(IdentityStoreError) {
        let folder = "\(store)/authority"
        try PrivateFile.makeFolder(folder)
        let path = "\(folder)/root.pem"
        let key = try Self.key("\(folder)/key.pem")
        root = try Self.root(path, of: subject, with: key, at: now)
        rootPath = path
        self.key = key
    }

    /// Certifies a reader by ISO/IEC 18013-5 Annex B.1.7, and returns its certificate followed by the root.
    ///
    /// - Parameter revocationList: the URI of the CRL, which the profile requires.
    /// - Throws: `profileBroken` if the new certificate breaks any rule of the profile.
    package borrowing func certify(
        _ reader: borrowing PrivateKey, as subject: DistinguishedName, revocationList: String,
        at now: Timestamp
    ) throws(IdentityStoreError) -> CertificateChain {
        let leaf = try Self.certificate(
            try Self.template(
                subject, reader, issuer: root.subject, from: now,
                until: min(now.secondsSince1970 + Self.readerValidity, root.notAfter),
                extensions: [
                    .authorityKeyIdentifier(try Self.keyIdentifier(key)),
                    .crlDistributionPoint(uri: revocationList),
                    .keyUsage(CertificateProfile.reader.keyUsage),
                    .extendedKeyUsage(CertificateProfile.reader.extendedKeyUsages),
                ]
            ).signed(by: key))
        // The second member, the number of certificates outside the chain, is 0 here: the root has signed the
        // leaf.
        let chain = try CertificateChain.arranged([leaf, root], for: reader).0
        try chain.requireValidity(at: now)
        let findings = chain.profileFindings
        guard findings.isEmpty else { throw .profileBroken(findings.map(ProfileRule.init)) }
        return chain
    }

    /// Returns the authority's private key, created if absent.
    private static func key(_ path: String) throws(IdentityStoreError) -> PrivateKey {
        do throws(IdentityStoreError) {
            return try PrivateFile.key(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            let key = try mapping(PrivateKey.generate(.p256), IdentityStoreError.keyUnusable)
            try PrivateFile.create(path, key)
            return key
        }
    }

    /// Returns the root's certificate, created if absent.
    private static func root(
        _ path: String, of subject: DistinguishedName, with key: borrowing PrivateKey, at now: Timestamp
    ) throws(IdentityStoreError) -> Certificate {
        do throws(IdentityStoreError) {
            // `PrivateFile.read` is also for public files: it refuses a file that another user may change.
            return try certificate(PrivateFile.read(path))
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return try makeRoot(path, of: subject, with: key, at: now)
        }
    }

    /// Creates the root's certificate, which the root's own key signs, and writes it to `path`.
    private static func makeRoot(
        _ path: String, of subject: DistinguishedName, with key: borrowing PrivateKey, at now: Timestamp
    ) throws(IdentityStoreError) -> Certificate {
        let root = try template(
            subject, key, issuer: subject, from: now, until: now.secondsSince1970 + rootValidity,
            extensions: [
                .keyUsage([.keyCertSign, .cRLSign]),
                // The root certifies readers directly. It certifies no other authority.
                .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)),
            ]
        ).signed(by: key)
        try PrivateFile.create(path, PEM.encode(root[...], label: "CERTIFICATE")[...])
        return try certificate(root)
    }

    /// Returns a certificate that is not signed yet, with a new serial number.
    private static func template(
        _ subject: DistinguishedName, _ key: borrowing PrivateKey, issuer: DistinguishedName,
        from now: Timestamp, until notAfter: Int64, extensions: [CertificateExtension]
    ) throws(IdentityStoreError) -> CertificateTemplate {
        let identifier = try keyIdentifier(key)
        // The serial number is positive and has more than 63 random bits (Annex B.1): the first byte is 40 to
        // 7F.
        var serialNumber = try mapping(randomBytes(16), IdentityStoreError.keyUnusable)
        serialNumber[0] = serialNumber[0] & 0x3f | 0x40
        return CertificateTemplate(
            serialNumber: serialNumber, issuer: issuer, subject: subject,
            notBefore: now.secondsSince1970 - backdating, notAfter: notAfter,
            publicKey: try mapping(key.publicKey(), IdentityStoreError.keyUnusable),
            extensions: [.subjectKeyIdentifier(identifier)] + extensions)
    }

    private static func keyIdentifier(_ key: borrowing PrivateKey) throws(IdentityStoreError) -> [UInt8] {
        try mapping(key.publicKey().subjectKeyIdentifier(), IdentityStoreError.keyUnusable)
    }

    /// Returns the first certificate in PEM or DER.
    private static func certificate(_ bytes: [UInt8]) throws(IdentityStoreError) -> Certificate {
        try mapping(PKIX.certificates(fromPEMOrDER: bytes[...])[0], IdentityStoreError.certificatesUnreadable)
    }
}

extension CertificateTemplate {
    fileprivate func signed(by key: borrowing PrivateKey) throws(IdentityStoreError) -> [UInt8] {
        try mapping(sign(with: key), IdentityStoreError.keyUnusable)
    }
}
