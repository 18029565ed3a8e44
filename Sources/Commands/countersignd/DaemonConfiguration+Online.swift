internal import ConfigurationForms
internal import Fleet
internal import JSON
internal import PresentationService
internal import ReaderAPI
internal import ReaderStore
internal import WalletPresentation

extension DaemonConfiguration {
    /// The settings for presentations from apps and web pages.
    struct Online: Equatable, Sendable {
        /// A merchant of Verify with Wallet.
        struct Merchant: Equatable, Sendable {
            let name: String
            let identity: MerchantIdentity
            /// The files of the merchant's private keys, the newest key first.
            let keys: [String]
        }

        /// The settings for web pages that request documents, and for apps that use the same API (Digital
        /// Credentials).
        struct Web: Equatable, Sendable {
            let origins: [WebOrigin]
            /// The files of the private keys that decrypt answers, the newest key first.
            let keys: [String]
            /// The reader identity that signs the requests. Nil for the identity that the rules in the store
            /// select.
            let identity: String?
        }

        /// The store of nonces, with the lifetime and the maximum number of nonces.
        struct Nonces: Equatable, Sendable {
            enum Store: Equatable, Sendable {
                case sqlite, memory
                /// A PostgreSQL database. The named file has libpq's connection string.
                case postgresql(connection: String)
            }

            var store = Store.sqlite
            var terms = NonceTerms()
        }

        var merchants: [Merchant] = []
        var web: Web?
        var nonces = Nonces()
    }

    /// The chain of shops that this kiosk belongs to.
    struct Fleet: Equatable, Sendable {
        let membership: FleetMembership
        /// The addresses of the chain's hubs.
        let hubs: [String]
        /// The file with the root certificates for the hubs and the broker.
        let authority: String
        /// The files of the public fleet keys that verify documents, in order of precedence.
        let keys: [String]
        /// The file with the code for the enrolment. Nil for a kiosk that is enrolled already.
        let codeFile: String?
        /// The interval at which the kiosk queries the hub for changes.
        let pollInterval: Duration
    }
}

extension DaemonConfiguration.Online {
    static let table = ConfigurationTable<Self>(
        [
            "merchants": .value(
                "merchants whose apps use Verify with Wallet",
                as: .list(
                    upTo: 64, of: OnlineForms.merchant,
                    conflict: { merchant, others in
                        others.contains { $0.name == merchant.name }
                            ? "another merchant has this name" : nil
                    }), at: \.merchants, faults: "`must have merchants or web` (at `online`)"),
            "web": .optional(
                "web pages that use the Digital Credentials API", as: OnlineForms.web, at: \.web),
            "nonces": .value(
                "where nonces are kept, how long each is valid, and how many there may be",
                as: OnlineForms.nonces, at: \.nonces),
        ],
        rules: [
            .init(of: "merchants", "web") { object, online throws(JSONFault) in
                guard online.merchants.isEmpty, online.web == nil else { return }
                throw object.text.wrong("must have merchants or web")
            }
        ])
}

/// The forms of the members `online` and `fleet` of the file.
enum OnlineForms {
    static let recipientKeys = ConfigurationPart<[String]>.required(
        "keys", "files with private keys on P-256, the newest first, mode 0600",
        as: .list(upTo: 8, of: .path, empty: "must contain at least one file"),
        faults: "see [Files that it names](#files-that-it-names)")

    static let merchant = ConfigurationForm<DaemonConfiguration.Online.Merchant>.made(
        of: .required(
            "name", "the merchant's name in requests to the daemon", as: .text(upTo: 64),
            faults: "`another merchant has this name` (at `online.merchants[N]`)"),
        .required(
            "merchantIdentifier", "Apple's merchant identifier", as: .text(upTo: 1024, TextFormat.merchant)),
        .required("teamIdentifier", "Apple's team identifier", as: .text(upTo: 1024, TextFormat.merchant)),
        OnlineForms.recipientKeys,
        by: { text, name, merchant, team, keys throws(JSONFault) in
            let identity = try? MerchantIdentity(merchantIdentifier: merchant, teamIdentifier: team)
            guard let identity else {
                throw text.wrong(WalletPresentationError.identifierMalformed.explanation)
            }
            return DaemonConfiguration.Online.Merchant(name: name, identity: identity, keys: keys)
        })

    static let web = ConfigurationForm<DaemonConfiguration.Online.Web>.made(
        of: .required(
            "origins", "origins of the web pages, and of Android apps that use the same API",
            as: .list(upTo: 64, of: .text(upTo: 300, TextFormat.webOrigin))),
        OnlineForms.recipientKeys,
        .optional(
            "identity", "reader identity that signs the requests", as: .text(upTo: 64),
            without: "the identity that `countersign identity choose` selects",
            faults: "not checked at the start"),
        as: DaemonConfiguration.Online.Web.init(origins:keys:identity:))

    static let fleet = ConfigurationForm<DaemonConfiguration.Fleet>.made(
        of: .required("chain", "the chain's name", as: .text(upTo: 48, TextFormat.fleetName)),
        .required(
            "kiosk", "this kiosk's name, as in `countersign-hub kiosk invite`",
            as: .text(upTo: 48, TextFormat.fleetName)),
        .optional(
            "site", "the site of this kiosk", as: .text(upTo: 48, TextFormat.fleetName)),
        .optional(
            "group", "the group of this kiosk", as: .text(upTo: 48, TextFormat.fleetName),
            without: "none"),
        .required(
            "hubs", "the addresses of the chain's hubs, or the one address that they share",
            as: .list(upTo: 8, of: .text(upTo: 300, TextFormat.hub), empty: "must contain at least one hub")),
        .required(
            "authority", "PEM file with the roots of the certificates of the hubs and the broker", as: .path,
            faults: "`fleet: REASON`"),
        .required(
            "keys",
            "PEM files with the public keys that verify the fleet's documents. A key can withdraw the keys after it in the list, so the key that is kept in a safe comes first",
            as: .list(upTo: 8, of: .path, empty: "must contain at least one file"),
            faults: "`fleet: REASON`"),
        .optional(
            "codeFile", "file with the code of `countersign-hub kiosk invite`, mode 0600", as: .path,
            without: "none: needed only until the kiosk is enrolled", faults: "`fleet: REASON`"),
        .value(
            "pollSeconds", "how often the kiosk asks the hub for changes if the broker sends no notice",
            as: .seconds(5...86_400), standard: .seconds(300)),
        as: {
            (
                chain: FleetName, kiosk: FleetName, site: FleetName?, group: FleetName?, hubs: [String],
                authority: String, keys: [String], codeFile: String?, pollInterval: Duration
            ) in
            DaemonConfiguration.Fleet(
                membership: FleetMembership(chain: chain, site: site, group: group, kiosk: kiosk),
                hubs: hubs, authority: authority, keys: keys, codeFile: codeFile,
                pollInterval: pollInterval)
        })
    fileprivate static let nonces = ConfigurationForm<DaemonConfiguration.Online.Nonces>.made(
        of: .value(
            "store",
            "where nonces are kept: `sqlite` in a file in the store's folder, `memory` until the daemon ends, `postgresql` in a database that several servers share",
            as: .word(of: StoreWord.self), standard: .sqlite),
        .optional(
            "connection", "file with libpq's connection string, mode 0600", as: .path,
            without: "**required** with `postgresql`", faults: "`\(onlyWithDatabase)`"),
        .value(
            "lifetimeSeconds", "how long a nonce may be used", as: .whole(30...3600, unit: "seconds"),
            standard: NonceTerms().lifetime),
        .value(
            "atMost", "the maximum number of nonces at a time", as: .whole(100...10_000_000),
            standard: NonceTerms().capacity),
        by: {
            (text: JSONText, word: StoreWord, connection: String?, lifetime: Int64, capacity: Int)
                throws(JSONFault) in
            var nonces = DaemonConfiguration.Online.Nonces()
            (nonces.terms.lifetime, nonces.terms.capacity) = (lifetime, capacity)
            switch (word, connection) {
            case (.postgresql, let connection?): nonces.store = .postgresql(connection: connection)
            case (.postgresql, nil): throw text.missing("connection")
            case (_, .some):
                throw try text.members().required("connection").wrong(onlyWithDatabase)
            case (.sqlite, nil): nonces.store = .sqlite
            case (.memory, nil): nonces.store = .memory
            }
            return nonces
        })
    private static let onlyWithDatabase = "is allowed only with \"store\": \"postgresql\""

    private enum StoreWord: String, CaseIterable { case sqlite, memory, postgresql }
}
