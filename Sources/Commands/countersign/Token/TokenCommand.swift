internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderStore
internal import ReaderTokens

/// `countersign token`: makes and checks reader tokens. A token allows a reader to send requests in a brand's
/// name.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make and check the tokens that prepare a reader for a brand.",
        discussion: """
            A reader token is a JWT (ES256) that a brand signs for one reader. The token must be used for \
            the first time within five minutes, and then prepares the reader for 48 hours. Run the first \
            command on the reader and the second at the brand:

              countersign token instance
              countersign token sign --brand utopia --kid 2026-11 --key utopia.pem \\
                  --instance 09c5f9f8d64ba23215609a8a18ba16bf
            """,
        subcommands: [TokenInstanceCommand.self, TokenSignCommand.self, TokenVerifyCommand.self])
}

/// `--audience`: the audience of a reader token, which the signer and the reader must agree on.
struct AudienceArguments: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The audience of the token (aud).", valueName: "name"))
    var audience = ReaderToken.defaultAudience
}

extension TokenText: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package var defaultValueDescription: String { text }
}

extension ReaderInstance: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension StoreArguments {
    var brands: BrandFolder { BrandFolder(store: path) }

    fileprivate func readerInstance() throws(CommandFailure) -> ReaderInstance {
        // The store is opened for changes, because the first use creates this reader's identifier.
        try TrustStoreAccess.changing(path).using { store throws(ReaderStoreError) in
            try store.readerInstance()
        }
    }
}

/// `countersign token instance`: shows the identifier of this reader.
private struct TokenInstanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instance",
        abstract: "Show the identifier of this reader, which reader tokens contain.",
        discussion: """
            The identifier is made at random by the first use of this command and stays in the store. It is \
            not secret. If you copy the store to another computer, the copy has the same identifier.

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        // `text` of a `ReaderInstance` is a `TokenText`, whose `text` is the string.
        let instance = try store.readerInstance().text.text
        Terminal.result(output.json ? (["instance": .string(instance)] as JSONValue).text : instance)
    }
}

extension ReaderTokensError {
    var exitStatus: ExitStatus {
        switch self {
        case .tooLong, .notThreeParts, .notBase64URL, .malformed, .valueMalformed, .signatureMalformed:
            .malformed
        case .signingKeyNotP256: .usage
        case .firstUseUnknown, .signingFailed: .unavailable
        default: .rejected
        }
    }

    var failure: CommandFailure { CommandFailure(status: exitStatus, message: explanation) }
}

extension BrandRegistryError {
    var exitStatus: ExitStatus {
        switch self {
        case .file(let error): error.exitStatus
        case .malformed, .faulty, .logo, .logoMissing, .logoUnfit, .logoUnnamed: .malformed
        case .refused: .usage
        }
    }

    var failure: CommandFailure { CommandFailure(status: exitStatus, message: explanation) }
}

/// `countersign token sign`: signs a reader token with a brand's key.
private struct TokenSignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a token for one reader with a brand's key.",
        discussion: """
            Only the token is written to the standard output. Everyone who has the token can prepare that \
            reader, but no other reader.

            EXAMPLE:
              countersign token sign --brand utopia --kid 2026-11 --key utopia.pem \\
                  --instance 09c5f9f8d64ba23215609a8a18ba16bf

            \(ExitStatus.table([.success, .rejected, .usage, .unavailable]))
            """)

    @Option(name: .long, help: ArgumentHelp("The identifier of the brand (iss).", valueName: "id"))
    var brand: TokenText

    @Option(
        name: .long, help: ArgumentHelp("The identifier of the key that signs (kid).", valueName: "id"))
    var kid: TokenText

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The private key on P-256: unencrypted PEM, or encrypted for this computer's TPM. Only its owner may read the file.",
            valueName: "file"))
    var key: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The identifier of the reader, as `countersign token instance` shows it on that reader (sub).",
            valueName: "id"))
    var instance: ReaderInstance

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The token must be used for the first time within this time.", valueName: "seconds"))
    var lifetime = ReaderToken.longestLifetime

    @OptionGroup var audience: AudienceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...ReaderToken.longestLifetime).contains(lifetime) else {
            throw ValidationError(
                "--lifetime needs a number of seconds from 1 to \(ReaderToken.longestLifetime).")
        }
    }

    func run() throws {
        let now = try clock.now()
        let signer = try signer()
        let token = try mapping(
            signer.sign(for: instance, audience: audience.audience, at: now, lifetime: lifetime),
            \ReaderTokensError.failure)
        Terminal.result(output.json ? report(token, now).text : token)
    }

    /// Reads the private key and creates the signer of the brand's tokens.
    private func signer() throws(CommandFailure) -> ReaderTokenSigner {
        let privateKey = try mapping(PrivateFile.key(key), \IdentityStoreError.failure)
        do throws(ReaderTokensError) {
            return try ReaderTokenSigner(privateKey, kid, of: brand)
        } catch {
            throw error.failure
        }
    }

    private func report(_ token: String, _ now: Timestamp) -> JSONValue {
        [
            "token": .string(token), "brand": .string(brand.text), "kid": .string(kid.text),
            "instance": .string(instance.text.text), "audience": .string(audience.audience.text),
            "issued": .string("\(now)"), "expires": .string("\(now.advanced(bySeconds: lifetime))"),
        ]
    }
}

/// `countersign token verify`: checks a reader token without using it up.
private struct TokenVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check whether a token would prepare a reader, and show the reason if it would not.",
        discussion: """
            Checks the token as if it were used now for the first time, with the keys of the brands in the \
            store. The check does not use up the token.

            EXAMPLE:
              countersign token verify token.txt

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(
        help: ArgumentHelp(
            "The file with the token. White space around the token is ignored.", valueName: "file"))
    var token: String

    @Option(
        name: .long,
        help: ArgumentHelp("The identifier of the reader. By default this reader.", valueName: "id"))
    var instance: ReaderInstance?

    @OptionGroup var audience: AudienceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let now = try clock.now()
        let registry = try mapping(store.brands.registry(), \BrandRegistryError.failure)
        // The verifier records used tokens in memory only, so this check does not use up the token.
        let verifier = ReaderTokenVerifier(
            registry: registry, instance: try instance ?? store.readerInstance(), audience: audience.audience,
            firstUses: TokenFirstUsesInMemory())
        let text = String(decoding: try InputFile.read(token), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        // A token has no spaces, so several words are faulty. The whole text goes to the verifier, which
        // reports the fault.
        let outcome: Result<PreparedReader, ReaderTokensError>
        do throws(ReaderTokensError) {
            outcome = .success(
                try await verifier.prepare(words.count == 1 ? String(words[0]) : text, at: now))
        } catch {
            outcome = .failure(error)
        }
        if output.json {
            Terminal.result(outcome.json.text)
        } else {
            Terminal.result(outcome.text, in: outcome.colour)
        }
        if case .failure(let error) = outcome { throw ExitCode(error.exitStatus.rawValue) }
    }
}

extension Result<PreparedReader, ReaderTokensError> {
    fileprivate var text: String {
        switch self {
        case .success(let reader):
            """
            the token prepares reader \(reader.instance.text.text) for \(Terminal.safe(reader.brand.name.text)) \
            (\(reader.brand.identifier.text))
              until: \(reader.until)
            """
        case .failure(let error): "the token prepares no reader: \(error.explanation)"
        }
    }

    fileprivate var colour: TerminalColour {
        if case .success = self { .green } else { .red }
    }

    /// The result as JSON. All members are always present; those without a value are null.
    fileprivate var json: JSONValue {
        switch self {
        case .success(let reader):
            [
                "verdict": "verified", "brand": .string(reader.brand.identifier.text),
                "name": .string(reader.brand.name.text), "instance": .string(reader.instance.text.text),
                "until": .string("\(reader.until)"), "error": .null,
            ]
        case .failure(let error):
            [
                "verdict": "rejected", "brand": .null, "name": .null, "instance": .null, "until": .null,
                "error": ["id": .string(error.id), "detail": .string(error.explanation)],
            ]
        }
    }
}
