internal import COSE
internal import ErrorMapping
internal import JSON
internal import OpenSSLCrypto
internal import PresentationService
internal import ReaderAPI
internal import ReaderIdentityStore
internal import ReaderStore
internal import WalletPresentation

extension DaemonConfiguration.Online {
    private static let mostKeys = 8
    enum StoreWord: String, CaseIterable { case sqlite, memory, postgresql }

    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        for entry in try members["merchants"]?.array(upTo: 64) ?? [] {
            let merchant = try Merchant(entry)
            guard !merchants.contains(where: { $0.name == merchant.name }) else {
                throw entry.wrong("another merchant has this name")
            }
            merchants.append(merchant)
        }
        web = try members["web"].map { value throws(JSONFault) in try Web(value) }
        guard !merchants.isEmpty || web != nil else { throw text.wrong("must have merchants or web") }
        if let nonces = members["nonces"] { try take(nonces) }
    }

    private mutating func take(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        terms.lifetime = try members["lifetimeSeconds"]?.integer(in: 30...3600) ?? terms.lifetime
        terms.capacity = Int(try members["atMost"]?.integer(in: 100...10_000_000) ?? Int64(terms.capacity))
        let word: StoreWord = try members["store"]?.word() ?? .sqlite
        switch word {
        case .postgresql:
            store = .postgresql(connection: try members.required("connection").absolutePath())
        case .sqlite, .memory:
            if let connection = members["connection"] {
                throw connection.wrong("is allowed only with \"store\": \"postgresql\"")
            }
            store = word == .memory ? .memory : .sqlite
        }
    }

    fileprivate static func keys(_ members: JSONTextMembers) throws(JSONFault) -> [String] {
        try members.required("keys").array(upTo: mostKeys).map { entry throws(JSONFault) in
            try entry.absolutePath()
        }
    }
}

extension DaemonConfiguration.Online.Merchant {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        name = try members.required("name").string(upTo: 64)
        let merchant = try members.required("merchantIdentifier").string()
        let team = try members.required("teamIdentifier").string()
        identity = try mapping(MerchantIdentity(merchantIdentifier: merchant, teamIdentifier: team)) {
            (error: WalletPresentationError) in text.wrong(error.explanation)
        }
        keys = try DaemonConfiguration.Online.keys(members)
    }
}

extension DaemonConfiguration.Online.Web {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        origins = try members.required("origins").array(upTo: 64).map { entry throws(JSONFault) in
            let origin = try entry.string(upTo: 300)
            return try mapping(WebOrigin(origin)) { (error: WalletPresentationError) in
                entry.wrong(error.explanation)
            }
        }
        keys = try DaemonConfiguration.Online.keys(members)
        identity = try members["identity"]?.string(upTo: 64)
    }
}

extension DaemonConfiguration.Online {
    /// Reads the keys.
    func settings() throws(AssemblyFault) -> OnlineSettings {
        var settings = OnlineSettings()
        for merchant in merchants {
            settings.merchants.append(
                .init(
                    name: merchant.name, identity: merchant.identity, keys: try Self.read(merchant.keys)))
        }
        if let web {
            settings.web = .init(
                origins: web.origins, keys: try Self.read(web.keys), identity: web.identity)
        }
        return settings
    }

    private static func read(_ files: [String]) throws(AssemblyFault) -> [RecipientKey] {
        try files.map { file throws(AssemblyFault) in
            do {
                return try RecipientKey(COSEKeyPair(PrivateFile.key(file)))
            } catch let error as IdentityStoreError {
                throw AssemblyFault("online", file: file, error)
            } catch {
                throw AssemblyFault("online", "\(Terminal.safe(file)): the key is not on P-256")
            }
        }
    }

    func nonces(in folder: String) throws(AssemblyFault) -> any NonceStore {
        if let connection = try connection() { return PostgreSQLNonces(connection, terms) }
        if store == .memory { return MemoryNonces(terms) }
        return try mapping(SQLiteNonces(in: folder, terms)) { (error: ReaderStoreError) in
            AssemblyFault(store: folder, error)
        }
    }

    /// How libpq connects, from a file that is its owner's alone; nil if the nonces are not in PostgreSQL.
    func connection() throws(AssemblyFault) -> String? {
        guard case .postgresql(let file) = store else { return nil }
        return try mapping(
            PrivateFile.withSecret(file) { bytes throws(IdentityStoreError) in
                String(decoding: bytes, as: UTF8.self)
            }
        ) { (error: IdentityStoreError) in AssemblyFault("online.nonces.connection", file: file, error) }
    }
}
