internal import Fleet
internal import MdocTrust
internal import MdocVerification
internal import PCSCTransport
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import ReaderStore
internal import ReaderTokens
internal import WalletPresentation

package struct DaemonConfiguration: Equatable, Sendable {
    struct Socket: Equatable, Sendable {
        var path = "/run/countersign/countersignd.sock"
        var mode: UInt32 = 0o660
    }

    struct HTTP: Equatable, Sendable {
        var host = "127.0.0.1"
        var port = 8411
        /// Further names under which browsers reach the daemon.
        var names: [String] = []
        /// Nil for plain HTTP, at loopback alone.
        var tls: TLS?
    }

    /// The files of the certificate of `http`.
    struct TLS: Equatable, Sendable {
        var certificate: String
        var key: String
        /// The roots of the certificates that clients must have.
        var clientAuthority: String?
    }

    struct Lane: Equatable, Sendable {
        enum Device: Equatable, Sendable {
            /// A reader by part of its name or by USB id, and an adapter; `usesBluetooth` false leaves that out.
            case contactless(reader: String, adapter: String?, usesBluetooth: Bool)
            case benchLink(host: String, port: UInt16)
        }

        var name: String
        var device: Device
        /// What the reader is asked to do itself.
        var readerCommands: Set<ReaderWish> = []
        var settings = LaneSettings()
        var page = LanePage()
        /// What the buttons of its clerk's page ask.
        var presets: [Preset] = []
        /// What it asks the next phone by itself; nil if it waits for orders.
        var standing: Preset?
        /// Nil for no field trace.
        var fieldTrace: FieldTraceSettings?

        /// Where a lane's field trace goes, and how many bytes it has with the one before.
        struct FieldTraceSettings: Equatable, Sendable {
            var file: String
            var bytes: Int
        }
    }

    struct Webhooks: Equatable, Sendable {
        /// `https://host[:port]`.
        var origins: [String] = []
        /// The file with the secret that signs them.
        var secretFile = ""
    }

    /// Whom reader tokens are made for, and with which keys.
    struct TokenIssuing: Equatable, Sendable {
        /// Whether the hub of the fleet makes them: there are no keys here then.
        var isFromHub = false
        var keys: [TokenKeyFile] = []
        var grants: [TokenGrant] = []
    }

    /// The channels of apps and pages.
    struct Online: Equatable, Sendable {
        struct Merchant: Equatable, Sendable {
            var name: String
            var identity: MerchantIdentity
            /// Files, the newest first.
            var keys: [String]
        }

        struct Web: Equatable, Sendable {
            var origins: [WebOrigin]
            /// Files, the newest first.
            var keys: [String]
            var identity: String?
        }

        enum Store: Equatable, Sendable {
            case sqlite, memory
            /// The file says how libpq connects.
            case postgresql(connection: String)
        }

        var merchants: [Merchant] = []
        var web: Web?
        var store = Store.sqlite
        var terms = NonceTerms()
    }

    /// The chain that this kiosk belongs to.
    struct Fleet: Equatable, Sendable {
        var membership: FleetMembership
        var hubs: [String]
        var authority: String
        /// Files, in order of precedence.
        var keys: [String]
        var codeFile: String?
        var pollInterval = Duration.seconds(300)
    }

    /// The folder of the store, with trust and identities.
    var store = "/var/lib/countersign"
    /// The folder of the keys of retained data, never inside the store's folder. Nil means the folder beside the
    /// store.
    var keys: String?
    /// Nil if no socket is wanted.
    var socket: Socket? = Socket()
    /// Nil if no TCP is wanted.
    var http: HTTP?
    var access = AccessRules()
    var readerTokens = TokenIssuing()
    /// What a button, or a lane by itself, can ask.
    var presets: [Preset] = []
    var lanes: [Lane] = []
    /// How everything is judged but revocation, whose policy each purpose chooses.
    var policy = VerificationPolicy()
    var policies = PurposePolicies()
    var limits = CoordinatorLimits()
    var connections = 512
    /// The folder with the files of the page. Nil means the folder beside the program.
    var page: String?
    var webhooks: Webhooks?
    var online: Online?
    var fleet: Fleet?
    var logLevel = "info"
    /// How long the daemon's end may take.
    var end = Duration.seconds(10)
}
