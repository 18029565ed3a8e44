internal import ArgumentParser
internal import ConfigurationForms
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PresentationService
internal import ReaderAPI

/// The command `countersignd token`, for the tokens with which programs use the daemon's HTTP API.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make tokens for programs that use the daemon over HTTP.",
        subcommands: [TokenNewCommand.self])
}

/// The command `countersignd token new`. It prints a new token once, and an entry for the configuration's
/// list `tokens`.
struct TokenNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a token, and its entry for the configuration.",
        discussion: """
            The token is printed once: give it to its program. Add the entry to the list "tokens" of the configuration. \
            The entry has only the token's SHA-256. No file is written.

              countersignd token new --scope app --name till
            """)

    @Option(
        help: ArgumentHelp("What the token's owner may do. Repeatable.", valueName: "scope"))
    var scope: [Scope] = []

    @Option(
        help: ArgumentHelp(
            "The token's name in logs and grants (default: the first scope).", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "A lane to which the token is limited (default: all lanes). Repeatable.",
            valueName: "lane"))
    var lane: [String] = []

    @Flag(help: "Print JSON: the token, and the entry for the list \"tokens\" of the configuration.")
    var json = false

    func validate() throws {
        guard !scope.isEmpty else {
            throw ValidationError("Give at least one scope, such as --scope app.")
        }
        guard (1...64).contains(ownName.utf8.count), TextFormat.tokenName.parse(ownName) != nil
        else {
            throw ValidationError(
                "--name must be a text of 1 to 64 bytes that begins with neither uid: nor lane:.")
        }
    }

    /// The value of `--name`, or the first scope.
    private var ownName: String { name ?? scope.first?.rawValue ?? "" }

    func run() throws {
        let token = try NewToken()
        let member = token.member(name: ownName, scopes: scope, lanes: lane)
        if json {
            print(JSONValue.object([("token", .string(token.text)), ("member", member)]).line)
        } else {
            print(
                "\(token.text)\n\nThis token is not shown again. For \"tokens\" in countersignd.json:\n\n\(member.line)"
            )
        }
    }
}

extension Scope: ExpressibleByArgument {}

/// A new random token. Only its digest is kept.
struct NewToken {
    /// The number of random bytes, which is the size of a SHA-256 digest.
    private static let size = 32

    let text: String
    private let digest: Digest

    init() throws(OpenSSLCryptoError) {
        text = Base64URL.encode(try randomBytes(Self.size))
        digest = Digest(.sha256, of: Array(text.utf8)[...])
    }

    /// Returns the token's entry for the list `tokens` of the configuration. The entry has a digest of the
    /// token.
    func member(name: String, scopes: [Scope], lanes: [String]) -> JSONValue {
        let words = { (words: [String]) in JSONValue.array(words.map(JSONValue.string)) }
        return .object(
            [
                ("name", .string(name)), ("sha256", .string(digest.bytes.hexadecimal)),
                ("scopes", words(scopes.map(\.rawValue))),
            ] + (lanes.isEmpty ? [] : [("lanes", words(lanes))]))
    }
}
