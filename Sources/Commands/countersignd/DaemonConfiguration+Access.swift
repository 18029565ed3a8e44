internal import ConfigurationForms
internal import HTTPServing
internal import PresentationService
internal import JSON
internal import ReaderAPI
internal import ReaderTokens

extension DaemonConfiguration {
    /// The Unix socket, and the users that may use the socket, by user number. The number of a user who has a
    /// name in the file is looked up when the file is read.
    struct Socket: Equatable, Sendable {
        var path = "/run/countersign/countersignd.sock"
        var mode: UInt32 = 0o660
        var users: [UInt32: AccessRules.User] = [:]
    }

    /// The TCP listener for HTTP.
    struct HTTP: Equatable, Sendable {
        var host = "127.0.0.1"
        var port = 8411
        /// Further host names under which browsers reach the daemon, such as the name of a proxy.
        var names: [String] = []
        /// The certificate of the listener. Nil for plain HTTP, which is allowed on loopback only.
        var tls: TLS?
    }

    /// The certificate files of the TCP listener for HTTP.
    struct TLS: Equatable, Sendable {
        let certificate: String
        let key: String
        /// The file with the roots of client certificates. Nil if clients need no certificate.
        let clientAuthority: String?
    }

    /// The servers that are notified of the end of a presentation.
    struct Webhooks: Equatable, Sendable {
        let origins: [WebhookOrigin]
        /// The file with the secret that signs webhooks.
        let secretFile: String
    }

    /// The keys that sign reader tokens, and the callers who may request reader tokens.
    struct TokenIssuing: Equatable, Sendable {
        /// Whether the hub of the fleet makes the tokens. If so, the configuration file contains no paths of
        /// signing keys.
        var isFromHub = false
        var keys: [TokenKeyFile] = []
        var grants: [TokenGrant] = []
    }
}

extension DaemonConfiguration.Socket {
    static let table = ConfigurationTable<Self>([
        "path": .value(
            "the path of the socket. The file `PATH.lock` is made beside it", as: .path(upTo: 107), at: \.path
        ),
        "mode": .value(
            "the file mode of the socket",
            as: .text(upTo: 8, TextFormat.fileMode).map(json: { .string("0\(String($0, radix: 8))") }) {
                mode, _, _ in
                mode
            }, at: \.mode),
        "users": .value("the users that may use the socket", as: userList, at: \.users),
    ])

    private static let userList = ConfigurationForm<[(number: UInt32, rights: AccessRules.User)]>.list(
        upTo: 256,
        of: .made(
            of: .optional(
                // The largest 32-bit number is not a valid user number (chown(2)).
                "uid", "number of the user (`id -u NAME`)", as: .whole(0...Int(UInt32.max) - 1),
                without: "**required** without `user`",
                faults:
                    "`must have exactly one of \"uid\", \"user\"`; `this user is listed twice` (both at `socket.users[N]`)"
            ),
            .optional(
                "user",
                "name of the user, such as `countersign-accessories`. The daemon looks its number up when it reads the file",
                as: .text(upTo: 64, TextFormat.systemUser), without: "**required** without `uid`",
                faults: "as for `uid`"),
            .required("scopes", "what this user may do", as: AccessForms.scopes), AccessForms.pageLanes,
            oneOf: ["uid", "user"],
            by: {
                (
                    text: JSONText, number: Int?, named: UInt32?, scopes: Set<Scope>, lanes: Set<String>?
                ) throws(JSONFault) in
                // The form has refused an object with neither `uid` nor `user` already.
                guard let number = number.map(UInt32.init) ?? named else { throw text.missing("uid") }
                return (number: number, rights: AccessRules.User(scopes: scopes, lanes: lanes))
            }),
        conflict: { user, others in
            others.contains { $0.number == user.number } ? "this user is listed twice" : nil
        }
    ).map { users, _, _ in Dictionary(uniqueKeysWithValues: users.map { ($0.number, $0.rights) }) }
}

extension DaemonConfiguration.HTTP {
    static let table = ConfigurationTable<Self>(
        [
            "host": .value(
                "address to listen at: `\"127.0.0.1\"` or `\"::1\"`; with `http.tls` any address of this computer",
                as: .text(upTo: 64), at: \.host, faults: "`\(loopback)`"),
            "port": .value("TCP port", as: .whole(1...65535), at: \.port),
            "names": .value(
                "further host names under which the daemon is reached, such as the name of a proxy: `shop.example`, or `shop.example:8443` if its port is not 443",
                as: .list(upTo: 16, of: .text(upTo: 253)), at: \.names),
            "tls": .optional(
                "the certificate for TLS 1.2 and 1.3. With TLS, tablets and tills on other computers need no proxy. A reload of the configuration also reads a renewed certificate",
                as: AccessForms.tls, at: \.tls, without: "none: plain HTTP"),
        ],
        rules: [
            .init(of: "host", "tls") { object, http throws(JSONFault) in
                guard http.tls == nil, !["127.0.0.1", "::1"].contains(http.host) else { return }
                throw try object.member("host").wrong(loopback)
            }
        ])

    private static let loopback =
        "must be \"127.0.0.1\" or \"::1\" unless tls is set: tokens must not cross a network unencrypted"
}

/// The fault of a token whose digest is the SHA-256 of an empty text or of a newline.
private let ofNoText =
    "is the SHA-256 of an empty text or a newline, which anybody could send: make a token with countersignd token new"

extension DaemonConfiguration.TokenIssuing {
    /// The allowed values of the member `from`.
    private enum Source: String, CaseIterable { case hub }

    static let table = ConfigurationTable<Self>(
        [
            "from": .value(
                "`hub` if the fleet's hub makes the tokens. In that case, too, `grants` names the callers that may have tokens",
                // `hub` is the only allowed value, so a valid value always means that the hub makes the
                // tokens.
                as: ConfigurationForm<Source>.word().map { _, _, _ in true }, at: \.isFromHub,
                without: "none: the keys in `keys` sign the tokens",
                faults: "`is allowed only with fleet, which names the hub`"),
            "keys": .value(
                "the signing keys, one for each brand",
                as: .list(
                    upTo: 256, of: AccessForms.key,
                    conflict: { key, others in
                        others.contains { $0.brand == key.brand } ? listed : nil
                    }), at: \.keys, without: "**required** without `from`",
                faults: "`\(listed)` (at `readerTokens.keys[N]`); `\(keysOfHub)`"),
            "grants": .required(
                "the callers that may have tokens", as: .list(upTo: 256, of: AccessForms.grant), at: \.grants),
        ],
        rules: [
            .init { object, _ throws(JSONFault) in
                let keys = object.members["keys"]
                if object.members["from"] == nil {
                    guard keys != nil else { throw object.text.missing("keys") }
                } else if let keys {
                    throw keys.wrong(keysOfHub)
                }
            }
        ])

    private static let listed =
        "this brand is in the list already: give one key for each brand"
    private static let keysOfHub = "is allowed only without \"from\": the hub has the keys"
}

/// The forms of callers, tokens and keys in the file.
enum AccessForms {
    static let tls = ConfigurationForm<DaemonConfiguration.TLS>.made(
        of: .required(
            "certificate", "PEM file with the certificate chain, the server's own certificate first",
            as: .path,
            faults: "`http.tls: REASON`"),
        .required(
            "key", "PEM file with the private key of the certificate, mode 0600, owned by the daemon's user",
            as: .path,
            faults: "`http.tls: REASON`"),
        .optional(
            "clientAuthority",
            "PEM file with the roots of client certificates. Clients then need a certificate and a token",
            as: .path,
            without: "none: clients need no certificate", faults: "`http.tls: REASON`"),
        as: DaemonConfiguration.TLS.init(certificate:key:clientAuthority:))

    static let token = ConfigurationForm<AccessRules.Token>.made(
        of: .required(
            "name",
            "the token's name in logs and in `readerTokens.grants`. Give each caller a different name: a presentation belongs to the name that ordered it",
            as: .text(upTo: 64, TextFormat.tokenName)),
        .required(
            "sha256",
            "SHA-256 of the token's text without a newline. `countersignd token new` makes a token and this digest",
            as: AccessForms.tokenDigest,
            faults:
                "`\(ofNoText)`; `another token has this SHA-256: give each caller another token`"),
        .required("scopes", "what the token's owner may do", as: AccessForms.scopes), AccessForms.pageLanes,
        as: AccessRules.Token.init(name:sha256:scopes:lanes:))

    /// The form of the SHA-256 of a token. The digests of an empty text and of a newline are refused. A
    /// script with an unset variable computes such a digest by mistake, and anybody could then send an empty
    /// token.
    static let tokenDigest = ConfigurationForm<[UInt8]>.text(upTo: 64, TextFormat.tokenDigest).map {
        digest, text, _ throws(JSONFault) in
        guard !TokenDigest.isOfNoText(digest) else { throw text.wrong(ofNoText) }
        return digest
    }

    static let scopes = ConfigurationForm<Set<Scope>>.set(
        upTo: Scope.allCases.count, of: .word(), empty: "must contain at least one scope")

    static let pageLanes = ConfigurationPart<Set<String>?>.optional(
        "lanes",
        "the lanes to which the scopes `app`, `screen`, `clerk`, `order`, `desk` and `accessory` apply. The caller sees nothing of other lanes",
        as: .set(upTo: 32, of: .text(upTo: 64)), without: "all",
        faults: "not checked: an unknown lane has no presentations")

    static let webhooks = ConfigurationForm<DaemonConfiguration.Webhooks>.made(
        of: .required(
            "origins", "the origins to which the `webhook` of an order may point",
            as: .list(upTo: 32, of: .text(upTo: 300, TextFormat.webhookOrigin))),
        .required(
            "secretFile",
            "file with the secret that signs webhooks (HMAC-SHA-256), 16 bytes or more, mode 0600",
            as: .path, faults: "see [Files that it names](#files-that-it-names)"),
        as: DaemonConfiguration.Webhooks.init(origins:secretFile:))

    static let key = ConfigurationForm<TokenKeyFile>.made(
        of: .required(
            "brand", "the brand, as in `countersign brand list`",
            as: .text(upTo: TokenText.longest, TextFormat.tokenText)),
        .required(
            "kid", "the key's id, as in `countersign brand list`",
            as: .text(upTo: TokenText.longest, TextFormat.tokenText)),
        .required(
            "keyFile",
            "file with a private key on P-256, as PEM or wrapped by this computer's TPM, mode 0600",
            as: .path, faults: "see [Files that it names](#files-that-it-names)"),
        as: TokenKeyFile.init(brand:identifier:path:))

    static let grant = ConfigurationForm<TokenGrant>.made(
        of: .required(
            "caller",
            "name of a token, or `uid:NUMBER` of a user of the socket, with the scope `readerTokens`",
            as: .text(upTo: 64),
            faults:
                "`must be the name of a token, or uid:NUMBER for a user; the token or user needs the scope readerTokens`"
        ),
        .required(
            "brand",
            "the brand for which the caller may have tokens. The daemon does not check whether `keys` has a key of this brand",
            as: .text(upTo: TokenText.longest, TextFormat.tokenText)),
        .required(
            "instances", "the readers for which the caller may have tokens",
            as: .set(upTo: 4096, of: .text(upTo: 64, TextFormat.readerInstance))),
        as: TokenGrant.init(caller:brand:instances:))
}
