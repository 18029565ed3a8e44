package import MdocModel

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
