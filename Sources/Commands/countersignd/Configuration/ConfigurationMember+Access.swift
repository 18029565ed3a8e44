internal import PresentationService
internal import ReaderAPI

extension ConfigurationMember {
    static let socket: [Self] = [
        .init(
            "path", .text(upTo: 107, .path), "/run/countersign/countersignd.sock",
            "the socket; `PATH.lock` stands beside it"),
        .init("mode", .text(upTo: 8, .fileMode), "0660", "the file mode of the socket"),
        .init(
            "users", .list(upTo: 256, of: .object(user)), .emptyList, "which users may do what"),
    ]

    private static let user: [Self] = [
        .init(
            "uid", .whole(0...Int64(UInt32.max) - 1), .required, "number of the user (`id -u NAME`)",
            faults: "`this user is listed twice` (at `socket.users[N]`)"),
        .init("scopes", scopes, .required, "what this user may do"),
        pageLanes,
    ]

    static let http: [Self] = [
        .init(
            "host", .text(upTo: 64), "127.0.0.1",
            "address to listen at: `\"127.0.0.1\"` or `\"::1\"`; with `http.tls` any address of this computer",
            faults:
                "`must be \"127.0.0.1\" or \"::1\" unless tls is set: tokens must not cross a network unencrypted`"
        ),
        .init("port", .whole(1...65535), 8411, "TCP port"),
        .init(
            "names", .list(upTo: 16, of: .text(upTo: 253)), .emptyList,
            "the names of a proxy in front: `shop.example`, or `shop.example:8443` where its port is not 443"),
        .init(
            "tls", .object(tls), .absent("none: plain HTTP"),
            "a certificate, so that a tablet or a till elsewhere needs no proxy. TLS 1.2 or 1.3. A renewed certificate is taken at a reload"
        ),
    ]

    private static let tls: [Self] = [
        .init(
            "certificate", .path, .required, "the chain as PEM, the server's own certificate first",
            faults: "`http.tls:` and why"),
        .init(
            "key", .path, .required, "its private key as PEM, mode 0600 and of the daemon's user",
            faults: "`http.tls:` and why"),
        .init(
            "clientAuthority", .path, .absent("none: clients need no certificate"),
            "the roots, as PEM, of the certificates that clients must have beside a token",
            faults: "`http.tls:` and why"),
    ]

    static let token: [Self] = [
        .init(
            "name", .text(upTo: 64, .tokenName), .required,
            "name in logs and grants. Give each caller its own: what is ordered belongs to it"),
        .init(
            "sha256", .text(upTo: 64, .tokenDigest), .required,
            "SHA-256 of the token's text, without a newline. `countersignd token new` makes both",
            faults:
                "`is the SHA-256 of no text: anybody could use it. Make a token with countersignd token new`; `another token has this SHA-256: give each caller another token`"
        ),
        .init("scopes", scopes, .required, "what its owner may do"),
        pageLanes,
    ]

    private static let scopes = ConfigurationValue.list(
        upTo: 8, of: .word(Scope.self), empty: "must contain at least one scope")
    private static let pageLanes = Self(
        "lanes", .list(upTo: 32, of: .text(upTo: 64)), .absent("all"),
        "the lanes that `app`, `screen`, `clerk` and `order` are for: of other lanes the caller sees nothing",
        faults: "not checked: an unknown one has no presentations")

    static let webhooks: [Self] = [
        .init(
            "origins", .list(upTo: 32, of: .text(upTo: 300, .webhookOrigin)), .required,
            "where the `webhook` of an order may lead"),
        .init(
            "secretFile", .path, .required,
            "file with the secret that signs webhooks (HMAC-SHA-256), 16 bytes or more, mode 0600",
            faults: "see [Files that it names](#files-that-it-names)"),
    ]

    static let readerTokens: [Self] = [
        .init(
            "from", .word(DaemonConfiguration.TokenIssuing.SourceWord.self),
            .absent("none: `keys` of this file sign"),
            "the hub of the fleet makes the tokens; `grants` still says for whom",
            faults: "`is allowed only with fleet, which names the hub`"),
        .init(
            "keys", .list(upTo: 256, of: .object(key)), .absent("**required** without `from`"),
            "of each brand the one key that signs",
            faults:
                "`this brand is in the list already: name only the one key that signs for it` (at `readerTokens.keys[N]`); `is allowed only without \"from\": the hub has the keys`"
        ),
        .init("grants", .list(upTo: 256, of: .object(grant)), .required, "who may have tokens"),
    ]

    private static let key: [Self] = [
        .init(
            "brand", .text(upTo: 128, .tokenText), .required, "the brand, as in `countersign brand list`"),
        .init(
            "kid", .text(upTo: 128, .tokenText), .required, "the key's id, as in `countersign brand list`"),
        .init(
            "keyFile", .path, .required,
            "private key on P-256 in PEM, or wrapped by this computer's TPM, mode 0600",
            faults: "see [Files that it names](#files-that-it-names)"),
    ]

    private static let grant: [Self] = [
        .init(
            "caller", .text(upTo: 64), .required,
            "name of a token, or `uid:NUMBER` of a user of the socket, with the scope `readerTokens`",
            faults:
                "`must be the name of a token with the scope readerTokens, or uid: and the number of such a user`"
        ),
        .init(
            "brand", .text(upTo: 128, .tokenText), .required,
            "for which brand. It is not compared with `keys`"),
        .init(
            "instances", .list(upTo: 4096, of: .text(upTo: 64, .readerInstance)), .required,
            "for which readers"),
    ]
}
