internal import Fleet
internal import PKIX
internal import PresentationService
internal import ReaderAPI
internal import ReaderTokens
internal import Transport
internal import WalletPresentation

/// What a text of the file has to look like beyond its length.
struct ConfigurationFormat: Sendable {
    /// What the fault says: "must be …".
    let requirement: String
    /// For the reference, in Markdown.
    let words: String
    /// A regular expression of ECMA 262 that every such text matches, for editors.
    let pattern: String?
    /// Two texts of this kind.
    let examples: [String]
    let holds: @Sendable (String) -> Bool

    init(
        _ words: String, _ requirement: String, pattern: String? = nil, examples: [String],
        _ holds: @escaping @Sendable (String) -> Bool
    ) {
        self.words = words
        self.requirement = requirement
        self.pattern = pattern
        self.examples = examples
        self.holds = holds
    }
}

extension ConfigurationFormat {
    static let path = Self(
        "a path", "must be a path that begins with /", pattern: "^/",
        examples: ["/srv/example", "/srv/other"]
    ) { $0.hasPrefix("/") }

    static let laneName = Self(
        "letters, digits, `-` and `_`", "must consist of letters, digits, - and _",
        pattern: "^[A-Za-z0-9_-]+$", examples: ["counter-1", "counter-2"]
    ) {
        $0.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                    || "-_".unicodeScalars.contains($0))
        }
    }

    static let fileMode = Self(
        "octal, `\"0\"` to `\"0777\"`", "must be a file mode such as \"0660\"", pattern: "^[+0-7]+$",
        examples: ["0600", "0640"]
    ) { UInt32($0, radix: 8).map { $0 <= 0o777 } ?? false }

    static let tokenDigest = digest(of: "the token")
    static let rootDigest = digest(of: "the root")

    private static func digest(of what: String) -> Self {
        Self(
            "a SHA-256 in hexadecimal", "must be the SHA-256 of \(what) in 64 hexadecimal digits",
            pattern: "^[0-9A-Fa-f]{64}$", examples: ["1", "2"].map { String(repeating: "0", count: 63) + $0 }
        ) { $0.utf8.count == 64 && $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
    }

    static let tokenName = Self(
        "a name",
        "must not begin with uid:, which is for users, nor with lane:, which is for standing orders",
        pattern: "^(?!uid:|lane:)",
        examples: ["till", "desk"]
    ) { !$0.hasPrefix("uid:") && !$0.hasPrefix("lane:") }

    static let benchLink = Self(
        "`tcp://HOST:PORT`", "must be tcp://host:port", pattern: "^tcp://.*:[0-9]+$",
        examples: ["tcp://127.0.0.1:7000", "tcp://127.0.0.1:7001"]
    ) { address in
        guard address.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":") else { return false }
        return UInt16(address[address.index(after: colon)...]).map { $0 > 0 } ?? false
    }

    static let webhookOrigin = Self(
        "`https://HOST[:PORT]`, or `http://` with `127.0.0.1`, `localhost` or `[::1]`",
        "must be an origin without a path: https://host, or http:// of this computer",
        pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\\\ ]+$",
        examples: ["https://shop.example", "https://other.example"]
    ) { WebhookOrigin($0) != nil }

    static let webOrigin = Self(
        "`https://HOST[:PORT]`, or `http://` with `localhost` or `127.0.0.1`; an Android app's `android:apk-key-hash:HASH`",
        WalletPresentationError.originMalformed.explanation,
        pattern: "^(https?://[a-z0-9.-]+(:[0-9]+)?|android:apk-key-hash:[A-Za-z0-9_-]{43})$",
        examples: ["https://shop.example", "https://other.example"]
    ) { (try? WebOrigin($0)) != nil }

    static let merchant = Self(
        "1 to 255 printable ASCII characters, no space",
        WalletPresentationError.identifierMalformed.explanation, pattern: "^[!-~]{1,255}$",
        examples: ["merchant.example", "merchant.other"]
    ) { (try? MerchantIdentity(merchantIdentifier: $0, teamIdentifier: $0)) != nil }

    static let tokenText = Self(
        "a letter or digit, then those and `-`, `_`, `.`, `:`",
        "must consist of letters, digits, -, _, . and :, and begin with a letter or digit",
        pattern: "^[A-Za-z0-9][A-Za-z0-9_.:-]*$", examples: ["utopia", "other"]
    ) { TokenText($0) != nil }

    static let readerInstance = Self(
        "32 hexadecimal digits, small letters",
        "must be the 32 hexadecimal digits of `countersign token instance`", pattern: "^[0-9a-f]{32}$",
        examples: ["0123456789abcdef0123456789abcdef", "00000000000000000000000000000001"]
    ) { ReaderInstance($0) != nil }

    static let objectIdentifier = Self(
        "an object identifier", "must be an object identifier such as 1.0.18013.5.1.2",
        pattern: "^[0-9]+(\\.[0-9]+)+$", examples: ["1.0.18013.5.1.2", "1.2.3"]
    ) { ObjectIdentifier(dotted: $0) != nil }

    static let furtherDocumentType = Self(
        "a document type",
        "must be of a document type that begins neither with org.iso. nor with eu.europa.ec.",
        pattern: "^(?!org\\.iso\\.|eu\\.europa\\.ec\\.)", examples: ["org.example.card", "org.example.pass"]
    ) { !$0.hasPrefix("org.iso.") && !$0.hasPrefix("eu.europa.ec.") }

    static let fleetName = Self(
        "small letters, digits and `-`", FleetName.requirement, pattern: "^[a-z0-9][a-z0-9-]{0,47}$",
        examples: ["harbour", "till-7"]
    ) { FleetName($0) != nil }

    static let hub = Self(
        "`https://HOST[:PORT]`", "must be https:// and a host, without a path",
        pattern: "^https://[^/?#@\\\\ ]+$", examples: ["https://hub.example", "https://hub.example:8443"]
    ) { WebhookOrigin($0) != nil && $0.hasPrefix("https://") }

    static let groundColour = colour(["#10243e", "#7a1f3d"])
    static let wordColour = colour(["#ffffff", "#fff6e0"])

    private static func colour(_ examples: [String]) -> Self {
        Self(
            "`#rrggbb`", "must be a colour such as \"#7a1f3d\"", pattern: "^#[0-9A-Fa-f]{6}$",
            examples: examples
        ) { PageColour($0) != nil }
    }

    static let pageLanguage: Self = {
        let known = PageTexts.Language.allCases.map(\.rawValue)
        return Self(
            "a language of the pages",
            "must be of a language of the pages: \(known.joined(separator: ", "))",
            pattern: "^(\(known.joined(separator: "|")))$", examples: ["en", "de"]
        ) { PageTexts.Language(rawValue: $0) != nil }
    }()

    static let pageText: Self = {
        let names = PageTexts.keys.sorted().joined(separator: "|").replacing(".", with: "\\.")
        return Self(
            "a key of the customer's page",
            "cannot be replaced: only the texts of the customer's page and idle.head can",
            pattern: "^(\(names))$", examples: ["customer.idle.text", "customer.idle.head"]
        ) { PageTexts.keys.contains($0) }
    }()
}
