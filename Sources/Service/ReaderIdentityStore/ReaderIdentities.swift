internal import COSE
internal import ErrorMapping
package import MdocModel
package import MdocTrust
package import OpenSSLCrypto
package import PKIX

/// The identities that sign requests, read and checked: those that the rules choose. If there are no rules, it is the
/// only identity.
package struct ReaderIdentities: Sendable {
    /// Who asks in which situation. A request whose identity cannot be used goes out unsigned, and not in another's
    /// name.
    package let choice: ReaderIdentityChoice
    /// The chosen identities that cannot be used, each with the reason, to be reported.
    package let unusable: [(name: String, error: IdentityStoreError)]

    /// Throws if the folder or its rules cannot be read; a folder that is not there has no identities.
    package init(in folder: IdentityFolder, at now: Timestamp) throws(IdentityStoreError) {
        let rules = try folder.rulesInEffect()
        var loaded: [IdentityName: Result<ReaderIdentity, IdentityStoreError>] = [:]
        var unusable: [(name: String, error: IdentityStoreError)] = []
        for rule in rules.rules where loaded[rule.identity] == nil {
            let identity = Self.load(rule.identity, in: folder, at: now)
            loaded[rule.identity] = identity
            if case .failure(let error) = identity { unusable.append((rule.identity.text, error)) }
        }
        choice = ReaderIdentityChoice(
            rules.rules.map { rule in
                ReaderIdentityChoice.Rule(
                    wallet: rule.wallet, brand: rule.brand, docType: rule.docType,
                    identity: try? loaded[rule.identity]?.get())
            })
        self.unusable = unusable
    }

    /// The identity of this name, whatever the rules say.
    package static func identity(
        named name: String, in folder: IdentityFolder, at now: Timestamp
    ) throws(IdentityStoreError) -> ReaderIdentity {
        guard let name = IdentityName(name) else { throw .unknown(name) }
        return try StoredIdentity(name, in: folder).readerIdentity(at: now)
    }

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
    /// The rules of the file; without a file, a rule for the only identity.
    package func rulesInEffect() throws(IdentityStoreError) -> IdentityRules {
        if let rules = try rules() { return rules }
        let names = try names()
        guard names.count == 1, let only = names.first else { return IdentityRules() }
        return IdentityRules([.init(identity: only)])
    }
}

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

extension CertificateChain {
    /// The chain of `key` among the certificates that an authority returned, in whatever order they came, with or
    /// without their root.
    ///
    /// - Returns: the chain, and how many certificates belong to none.
    package static func arranged(
        _ certificates: [Certificate], for key: borrowing PrivateKey
    ) throws(IdentityStoreError) -> (chain: CertificateChain, leftOver: Int) {
        guard certificates.count <= maximumCount else {
            throw .chainUnusable(.tooLong(limit: maximumCount))
        }
        var rest = certificates
        // A renewed certificate beside the old one: the one that holds longer.
        let own = rest.indices.filter { rest[$0].isFor(key) }.max { rest[$0].notAfter < rest[$1].notAfter }
        guard let own else { throw .keyNotCertified }
        var chain = [rest.remove(at: own)]
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
        guard let own = try? publicKey() else { return false }
        return own.curve == key.curve && own.encodedPoint == key.encodedPoint
    }
}
