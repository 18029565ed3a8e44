internal import COSE
internal import ErrorMapping
package import MdocModel
package import MdocTrust
package import OpenSSLCrypto
package import PKIX

/// An identity as it is kept: a key that is not read before it is needed, and the certificates that were imported for it.
package struct StoredIdentity: Sendable {
    /// The days before its expiry from which an identity is reported.
    package static let warningDays: Int64 = 30

    package let name: IdentityName
    package let residence: PrivateKey.Residence
    /// Nil before `import`.
    package let chain: CertificateChain?
    private let folder: IdentityFolder

    /// Reads what there is of an identity and checks who may read and write it. No key is used, and no TPM is accessed.
    package init(_ name: IdentityName, in folder: IdentityFolder) throws(IdentityStoreError) {
        try folder.check(name)
        self.name = name
        self.folder = folder
        residence = try PrivateFile.withSecret(folder.keyPath(name)) { pem in
            PrivateFile.isWrappedKey(pem) ? .tpm : .memory
        }
        chain = try Self.chain(at: folder.certificatesPath(name))
    }

    private static func chain(at path: String) throws(IdentityStoreError) -> CertificateChain? {
        let text: [UInt8]
        do throws(IdentityStoreError) {
            text = try PrivateFile.read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        }
        let certificates = try mapping(
            PKIX.certificates(fromPEMOrDER: text[...]), IdentityStoreError.certificatesUnreadable)
        return try mapping(CertificateChain(certificates), IdentityStoreError.chainUnusable)
    }

    /// When the first of the certificates that are sent is over; nil without any certificate.
    package var expires: Timestamp? {
        chain?.withoutRoots.map(\.notAfter).min().map { Timestamp(secondsSince1970: $0) }
    }

    /// The private key of an identity, whatever its certificates are.
    package static func key(
        of name: IdentityName, in folder: IdentityFolder
    ) throws(IdentityStoreError) -> PrivateKey {
        try folder.check(name)
        return try PrivateFile.key(folder.keyPath(name))
    }

    /// The identity as requests use it: a key that its certificate is for, valid at `now`, in a chain that wallets can
    /// follow. What else breaks the profile was weighed when it was imported.
    package func readerIdentity(at now: Timestamp) throws(IdentityStoreError) -> ReaderIdentity {
        guard let chain else { throw .noCertificates }
        try chain.requireValidity(at: now)
        let refusals = CertificateProfile.reader.refusals(among: chain.profileFindings, .lenient)
        guard refusals.isEmpty else { throw .profileBroken(refusals.map(ProfileRule.init)) }
        let key = try Self.key(of: name, in: folder)
        do throws(CertificateChainError) {
            return ReaderIdentity(name: name.text, key: try COSECertifiedKey(key, chain: chain))
        } catch {
            throw error == .keyNotOfLeaf ? .keyNotCertified : .chainUnusable(error)
        }
    }
}

extension CertificateChain {
    /// The rules of the reader's profile that the leaf breaks.
    package var profileFindings: [ProfileFinding] {
        CertificateProfile.reader.findings(of: leaf, issuedBy: issuers.first)
    }

    /// Throws `notYetValid` and `expired` for the first certificate that is sent and not valid (Q173).
    package func requireValidity(at now: Timestamp) throws(IdentityStoreError) {
        for certificate in withoutRoots {
            let subject = certificate.subject.description
            guard certificate.notBefore <= now.secondsSince1970 else {
                throw .notYetValid(subject: subject, from: certificate.notBefore)
            }
            guard now.secondsSince1970 <= certificate.notAfter else {
                throw .expired(subject: subject, since: certificate.notAfter)
            }
        }
    }
}
