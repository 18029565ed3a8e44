internal import COSE
internal import ErrorMapping
package import MdocModel
package import MdocTrust
package import OpenSSLCrypto
package import PKIX

/// The identities that sign requests, read and checked.
///
/// `init(in:at:)` reads `choice.json`. Without that file, a single identity signs every request, and several
/// identities sign none. Each identity that a rule names is loaded once: its key and its chain are read, and
/// the validity of the chain at the given time is checked. An identity that cannot be used is listed in
/// `unusable`, and its rules stay in `choice` without an identity. A request under such a rule is sent
/// unsigned: it is never signed in another identity's name.
///
/// The daemon creates a new value when a file in the folder has changed, or the last value is too old.
/// Commands create a value for each run. A value never changes. Creating it accesses the TPM if the TPM
/// wrapped one of the keys.
package struct ReaderIdentities: Sendable {
    /// The rules with their identities. A request under a rule whose identity cannot be used is unsigned.
    package let choice: ReaderIdentityChoice
    /// The chosen identities that cannot be used, each with the reason.
    package let unusable: [(name: String, error: IdentityStoreError)]

    /// Loads the identities. Throws if the folder or its rules cannot be read. If the folder does not exist,
    /// there are no identities.
    package init(in folder: IdentityFolder, at now: Timestamp) throws(IdentityStoreError) {
        let rules = try folder.rulesInEffect()
        var loaded: [IdentityName: Result<ReaderIdentity, IdentityStoreError>] = [:]
        var unusable: [(name: String, error: IdentityStoreError)] = []
        for rule in rules.rules where loaded[rule.identity] == nil {
            let identity = Self.load(rule.identity, in: folder, at: now)
            loaded[rule.identity] = identity
            if case .failure(let error) = identity { unusable.append((rule.identity.text, error)) }
        }
        // An identity that cannot be used becomes `nil`. Requests under its rules are then unsigned.
        choice = ReaderIdentityChoice(
            rules.rules.map { rule in
                ReaderIdentityChoice.Rule(
                    wallet: rule.wallet, brand: rule.brand, docType: rule.docType,
                    identity: try? loaded[rule.identity]?.get())
            })
        self.unusable = unusable
    }

    /// Returns the identity with this name, regardless of the rules.
    package static func identity(
        named name: String, in folder: IdentityFolder, at now: Timestamp
    ) throws(IdentityStoreError) -> ReaderIdentity {
        guard let name = IdentityName(name) else { throw .unknown(name) }
        return try StoredIdentity(name, in: folder).readerIdentity(at: now)
    }

    /// Reads and checks one identity.
    private static func load(
        _ name: IdentityName, in folder: IdentityFolder, at now: Timestamp
    ) -> Result<ReaderIdentity, IdentityStoreError> {
        do throws(IdentityStoreError) {
            return .success(try StoredIdentity(name, in: folder).readerIdentity(at: now))
        } catch {
            return .failure(error)
        }
    }
}

extension IdentityFolder {
    /// Returns the rules of `choice.json`. Without this file, returns one rule if there is a single identity,
    /// and no rules if there are several: no request may be signed by an identity that nobody chose.
    package func rulesInEffect() throws(IdentityStoreError) -> IdentityRules {
        if let rules = try rules() { return rules }
        let names = try names()
        guard names.count == 1, let only = names.first else { return IdentityRules() }
        return IdentityRules([.init(identity: only)])
    }
}

/// An identity in the folder: its name, its imported certificates, and whether its key is used in memory or
/// in the TPM. The key itself is read only when it is needed.
package struct StoredIdentity: Sendable {
    /// The number of days before the expiry of an identity's certificates at which warnings begin.
    package static let warningDays: Int64 = 30

    package let name: IdentityName
    package let residence: PrivateKey.Residence
    /// The certificate chain; `nil` until certificates are imported.
    package let chain: CertificateChain?
    private let folder: IdentityFolder

    /// Reads an identity and checks who may read and write its files. Uses no key and does not access the
    /// TPM.
    package init(_ name: IdentityName, in folder: IdentityFolder) throws(IdentityStoreError) {
        try folder.check(name)
        self.name = name
        self.folder = folder
        residence = try PrivateFile.withSecret(folder.keyPath(name)) { pem in
            PrivateFile.isWrappedKey(pem) ? .tpm : .memory
        }
        chain = try Self.chain(at: folder.certificatesPath(name))
    }

    /// Reads the certificate chain in a file, or returns `nil` if there is no file.
    private static func chain(at path: String) throws(IdentityStoreError) -> CertificateChain? {
        let text: [UInt8]
        do throws(IdentityStoreError) {
            // `PrivateFile.read` is also for public files: it refuses a file that another user may change.
            text = try PrivateFile.read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        }
        let certificates = try mapping(
            PKIX.certificates(fromPEMOrDER: text[...]), IdentityStoreError.certificatesUnreadable)
        return try mapping(CertificateChain(certificates), IdentityStoreError.chainUnusable)
    }

    /// The earliest expiry among the certificates that requests carry; `nil` without certificates.
    package var expires: Timestamp? {
        chain?.withoutRoots.map(\.notAfter).min().map { Timestamp(secondsSince1970: $0) }
    }

    /// Returns the private key of an identity, regardless of its certificates.
    package static func key(
        of name: IdentityName, in folder: IdentityFolder
    ) throws(IdentityStoreError) -> PrivateKey {
        try folder.check(name)
        return try PrivateFile.key(folder.keyPath(name))
    }

    /// Returns the identity for signing requests, if the leaf certificate contains its public key, the chain
    /// is valid at `now`, and no enforced rule of the profile is broken. Other broken rules were reported
    /// when the certificates were imported.
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
    /// The rules of the reader's profile that the leaf certificate breaks.
    package var profileFindings: [ProfileFinding] {
        CertificateProfile.reader.findings(of: leaf, issuedBy: issuers.first)
    }

    /// Checks the validity of the certificates that requests carry (Q173). Throws `notYetValid` or `expired`
    /// for the first certificate that is not valid.
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

extension CertificateChain {
    /// Arranges the certificates that an authority returned into the chain of `key`. The certificates may
    /// come in any order, with or without their root.
    ///
    /// - Returns: the chain, and the number of certificates that do not belong to it.
    package static func arranged(
        _ certificates: [Certificate], for key: borrowing PrivateKey
    ) throws(IdentityStoreError) -> (chain: CertificateChain, leftOver: Int) {
        guard certificates.count <= maximumCount else {
            throw .chainUnusable(.tooLong(limit: maximumCount))
        }
        var rest = certificates
        // If a renewed certificate comes with the old one, the certificate that expires later is used.
        let leaf = rest.indices.filter { rest[$0].isFor(key) }.max { rest[$0].notAfter < rest[$1].notAfter }
        guard let leaf else { throw .keyNotCertified }
        var chain = [rest.remove(at: leaf)]
        // The chain ends at a root, which signed itself, or at a certificate whose issuer is missing.
        while let last = chain.last, !last.isSigned(by: last),
            let issuer = rest.firstIndex(where: last.isSigned(by:))
        {
            chain.append(rest.remove(at: issuer))
        }
        return try mapping((try CertificateChain(chain), rest.count), IdentityStoreError.chainUnusable)
    }
}

extension Certificate {
    fileprivate func isFor(_ key: borrowing PrivateKey) -> Bool {
        guard let certified = try? publicKey() else { return false }
        return certified.curve == key.curve && certified.encodedPoint == key.encodedPoint
    }
}
