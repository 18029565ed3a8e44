internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import ReaderStore
internal import ReaderTokens

/// `countersign token`: what prepares a reader for a brand.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make and check the tokens that prepare a reader for a brand.",
        discussion: """
            A reader token is a JWT, signed by a brand with ES256 for one reader. It must be used first within five \
            minutes, and then prepares that reader for 48 hours. On the reader, then at the brand:

              countersign token instance
              countersign token sign --brand utopia --kid 2026-11 --key utopia.pem \\
                  --instance 09c5f9f8d64ba23215609a8a18ba16bf
            """,
        subcommands: [TokenInstanceCommand.self, TokenSignCommand.self, TokenVerifyCommand.self])
}

/// `--audience`, the same for who signs and who verifies.
struct AudienceArguments: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("What the token is for.", valueName: "name"))
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

    func readerInstance() throws(CommandFailure) -> ReaderInstance {
        try TrustStoreAccess.changing(path).using { store throws(ReaderStoreError) in
            try store.readerInstance()
        }
    }
}

private struct TokenInstanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instance",
        abstract: "Show the identifier of this reader, which its tokens name.",
        discussion: """
            It is drawn at random when it is first asked for, kept in the store, and no secret. A store that was copied \
            to another computer took it along.

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
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
