internal import ErrorMapping
internal import Fleet
internal import FleetHub
internal import JSON
internal import MdocModel
internal import ReaderTokens

extension HubConfiguration {
    /// The kiosks that get reader tokens, and the keys that sign the tokens.
    struct TokenIssuing: Equatable {
        /// The folder with `brands.json`.
        var brands: String
        var keys: [TokenKeyFile] = []
        var grants: [TokenGrant] = []
    }
}

extension HubConfiguration.TokenIssuing {
    private static let mostGrants = 1 << 15
    private static let mostInstances = 4096

    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["brands", "keys", "grants"])
        brands = try members.required("brands").absolutePath()
        keys = try TokenKeyFile.list(members.required("keys"))
        grants = try members.required("grants").array(upTo: Self.mostGrants).map {
            entry throws(JSONFault) in try Self.grant(entry)
        }
    }

    /// Reads a grant. A grant allows one kiosk, or all kiosks of a site or of a group, to get reader tokens.
    private static func grant(_ text: JSONText) throws(JSONFault) -> TokenGrant {
        let members = try text.members(["kiosk", "site", "group", "brand", "instances"])
        let levels: [FleetLevel] = [.kiosk, .site, .group]
        let named = levels.filter { members[$0.rawValue] != nil }
        guard let level = named.first, named.count == 1 else {
            throw text.wrong("must have one of kiosk, site and group")
        }
        let list = try members.required("instances")
        var instances: Set<ReaderInstance> = []
        for instance in try list.array(upTo: mostInstances) {
            instances.insert(try instance.readerInstance())
        }
        guard !instances.isEmpty else { throw list.wrong("must contain at least one reader") }
        return TokenGrant(
            caller: HubTokens.caller(level, try members.required(level.rawValue).fleetName()),
            brand: try members.required("brand").tokenText(), instances: instances)
    }

    /// Reads the brands and the private keys. Each key must be the private half of the key in `brands.json`.
    func tokens(_ database: HubDatabase) throws(HubFault) -> HubTokens {
        let folder = BrandFolder(path: brands)
        let registry = try mapping(folder.registry()) { (error: BrandRegistryError) in
            HubFault("readerTokens.brands: \(error.explanation)")
        }
        let signers = try keys.map { key throws(HubFault) in
            guard let (brand, publicKey) = registry.key(key.identifier), brand.identifier == key.brand else {
                throw HubFault(
                    "readerTokens.brands: \(Terminal.safe(folder.registryPath)): the brand \(key.brand.text) has no key \(key.identifier.text) in this file: copy the folder \"brands\" of a store whose brands.json has this key"
                )
            }
            let signer = try mapping(key.signer()) { (error: TokenKeyFileError) in
                HubFault("readerTokens.keys: \(error.explanation)")
            }
            guard signer.isPrivateHalf(of: publicKey) else {
                throw HubFault(
                    "readerTokens.keys: \(Terminal.safe(key.path)): this file is not the private half of \(key.identifier.text) in \(Terminal.safe(folder.registryPath)): name the private key that was made together with \(key.identifier.text)"
                )
            }
            return signer
        }
        return HubTokens(folder, grants: grants, signers: signers, database)
    }

    /// Returns a message for each key that cannot sign tokens because `brands.json` says that it is revoked
    /// or has expired. Such a key does not prevent the start of the hub, because a key may also expire while
    /// a hub runs, and the tokens of other brands do not depend on it.
    func unusableKeys(at now: Timestamp) -> [String] {
        // `tokens(_:)` reports an unreadable registry, or a key that is not in the registry, so neither is
        // reported here.
        guard let registry = try? BrandFolder(path: brands).registry() else { return [] }
        return keys.compactMap { key -> String? in
            guard let (_, known) = registry.key(key.identifier) else { return nil }
            let what: String
            if known.isRevoked {
                what = "was revoked"
            } else if let end = known.notAfter, now > end {
                what = "expired at \(end)"
            } else {
                return nil
            }
            return
                "readerTokens.keys: the key \(key.identifier.text) of the brand \(key.brand.text) \(what), so the hub makes no token with this key. Make another key with countersign brand key add, and name its file in readerTokens.keys"
        }
    }
}
