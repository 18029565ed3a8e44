internal import ConfigurationForms
internal import Fleet
internal import JSON
internal import MdocModel
internal import PKIX
internal import PresentationService
internal import ReaderAPI
internal import ReaderStore
internal import ReaderTokens
internal import Transport
internal import WalletPresentation

/// The formats of texts that need other parts of the daemon.
extension TextFormat {
    static let tokenName = ConfigurationFormat<String>(
        "a name",
        requirement:
            "must not begin with uid: (reserved for users of the socket) or lane: (reserved for standing orders)",
        pattern: "^(?!uid:|lane:)", examples: ["till", "desk"],
        holds: { !$0.hasPrefix("uid:") && !$0.hasPrefix("lane:") })

    /// The format of the name of a user of this computer. The value is the user's number.
    static let systemUser = ConfigurationFormat<UInt32>(
        "the name of a user of this computer",
        requirement: "must be the name of a user of this computer, as getent passwd lists it",
        pattern: "^[A-Za-z_][A-Za-z0-9_.-]*$", examples: ["root", "daemon"]
    ) { SystemUsers.number(of: $0) }

    static let merchant = ConfigurationFormat<String>(
        "1 to 255 printable ASCII characters, no space",
        requirement: WalletPresentationError.identifierMalformed.explanation, pattern: "^[!-~]{1,255}$",
        examples: ["merchant.example", "merchant.other"],
        holds: { (try? MerchantIdentity(merchantIdentifier: $0, teamIdentifier: $0)) != nil })

    static let furtherDocumentType = ConfigurationFormat<String>(
        "a document type",
        requirement:
            "the name must be a document type that begins neither with org.iso. nor with eu.europa.ec.",
        pattern: "^(?!org\\.iso\\.|eu\\.europa\\.ec\\.)",
        examples: ["org.example.card", "org.example.pass"],
        holds: { !$0.hasPrefix("org.iso.") && !$0.hasPrefix("eu.europa.ec.") })

    static let hub = ConfigurationFormat<String>(
        "`https://HOST[:PORT]`", requirement: "must be https:// and a host, without a path",
        pattern: "^https://[^/?#@\\\\ ]+$",
        examples: ["https://hub.example", "https://hub.example:8443"],
        holds: { WebhookOrigin($0) != nil && $0.hasPrefix("https://") })

    static let pageText = ConfigurationFormat<String>(
        "a key of the customer's page",
        requirement:
            "cannot be replaced: Documentation/configuration.md lists the keys that can be replaced, at lanes[].page.texts",
        pattern: "^(\(PageTexts.keys.sorted().joined(separator: "|").replacing(".", with: "\\.")))$",
        examples: ["customer.idle.text", "customer.idle.head"], holds: { PageTexts.keys.contains($0) })

    static let retention = ConfigurationFormat<RetentionProfile>(
        "`none`, `receipt`, `days(N)`, `age+id-number(N)` or `consented(N)`",
        requirement: "must be \"none\", \"receipt\", \"days(N)\", \"age+id-number(N)\" or \"consented(N)\"",
        pattern: "^(none|receipt|days\\([0-9]+\\)|(age\\+id-number|consented)(\\([0-9]+\\))?)$",
        examples: ["none", "receipt"]
    ) { RetentionProfile($0) }

    static let tokenDigest = digest(of: "the token")
    static let rootDigest = digest(of: "the root")

    /// Returns the format of a SHA-256 digest. The text of the fault contains `whose`, which describes the
    /// hashed data.
    private static func digest(of whose: String) -> ConfigurationFormat<[UInt8]> {
        ConfigurationFormat(
            "a SHA-256 in hexadecimal",
            requirement: "must be the SHA-256 of \(whose) in 64 hexadecimal digits",
            pattern: "^[0-9A-Fa-f]{64}$", examples: ["1", "2"].map { String(repeating: "0", count: 63) + $0 }
        ) { text in text.utf8.bytesOfHexadecimal.flatMap { $0.count == 32 ? $0 : nil } }
    }

    static let benchLink = ConfigurationFormat<DaemonConfiguration.Lane.BenchLink>(
        "`tcp://HOST:PORT`",
        requirement: "must be tcp://host:port, with a port from 1 to 65535", pattern: "^tcp://.*:[0-9]+$",
        examples: ["tcp://127.0.0.1:7000", "tcp://127.0.0.1:7001"]
    ) { address in
        guard address.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
            let port = UInt16(address[address.index(after: colon)...]), port > 0
        else { return nil }
        return DaemonConfiguration.Lane.BenchLink(
            host: String(address[..<colon].dropFirst("tcp://".count)), port: port)
    }

    static let webhookOrigin = ConfigurationFormat<WebhookOrigin>(
        "`https://HOST[:PORT]`, or `http://` with `127.0.0.1`, `localhost` or `[::1]`",
        requirement:
            "must be an origin without a path: https://HOST, or http:// with 127.0.0.1, localhost or [::1]",
        pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\\\ ]+$",
        examples: ["https://shop.example", "https://other.example"]
    ) { WebhookOrigin($0) }

    static let webOrigin = ConfigurationFormat<WebOrigin>(
        "`https://HOST[:PORT]`, or `http://` with `localhost` or `127.0.0.1`; an Android app's `android:apk-key-hash:HASH`",
        requirement: WalletPresentationError.originMalformed.explanation,
        pattern: "^(https?://[a-z0-9.-]+(:[0-9]+)?|android:apk-key-hash:[A-Za-z0-9_-]{43})$",
        examples: ["https://shop.example", "https://other.example"]
    ) { try? WebOrigin($0) }

    static let tokenText = ConfigurationFormat<TokenText>(
        "letters, digits, `-`, `_`, `.` and `:`, first a letter or digit",
        requirement:
            "must consist of letters, digits, -, _, . and :, and begin with a letter or digit",
        pattern: "^[A-Za-z0-9][A-Za-z0-9_.:-]*$", examples: ["utopia", "other"]
    ) { TokenText($0) }

    static let readerInstance = ConfigurationFormat<ReaderInstance>(
        "32 hexadecimal digits in lower case",
        requirement: "must be the 32 hexadecimal digits that `countersign token instance` shows",
        pattern: "^[0-9a-f]{32}$",
        examples: ["0123456789abcdef0123456789abcdef", "00000000000000000000000000000001"]
    ) { ReaderInstance($0) }

    static let objectIdentifier = ConfigurationFormat<PKIX.ObjectIdentifier>(
        "an object identifier", requirement: "must be an object identifier such as 1.0.18013.5.1.2",
        pattern: "^[0-9]+(\\.[0-9]+)+$", examples: ["1.0.18013.5.1.2", "1.2.3"]
    ) { PKIX.ObjectIdentifier(dotted: $0) }

    static let fleetName = ConfigurationFormat<FleetName>(
        "small letters, digits and `-`", requirement: FleetName.requirement,
        pattern: "^[a-z0-9][a-z0-9-]{0,47}$", examples: ["harbour", "till-7"]
    ) { FleetName($0) }

    static let groundColour = colour(["#10243e", "#7a1f3d"])
    static let wordColour = colour(["#ffffff", "#fff6e0"])

    /// Returns the format of a colour. `examples` are valid values for its use, as a background or for text.
    private static func colour(_ examples: [String]) -> ConfigurationFormat<PageColour> {
        ConfigurationFormat(
            "`#rrggbb`", requirement: "must be a colour such as \"#7a1f3d\"", pattern: "^#[0-9A-Fa-f]{6}$",
            examples: examples
        ) { PageColour($0) }
    }

    private static let languages = PageTexts.Language.allCases.map(\.rawValue)
    static let pageLanguage = ConfigurationFormat<PageTexts.Language>(
        "a language of the pages",
        requirement: "the name must be a language of the pages: \(languages.joined(separator: ", "))",
        pattern: "^(\(languages.joined(separator: "|")))$", examples: ["en", "de"]
    ) { PageTexts.Language(rawValue: $0) }
}
