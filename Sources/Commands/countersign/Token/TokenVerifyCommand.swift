internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import ReaderTokens

struct TokenVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check whether a token would prepare a reader, and say why not.",
        discussion: """
            Judges as if it were used now for the first time; nothing remembers that it was. The keys are those of the \
            brands in the store.

            EXAMPLE:
              countersign token verify token.txt

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(
        help: ArgumentHelp(
            "The file with the token; white space around it is ignored.", valueName: "file"))
    var token: String

    @Option(name: .long, help: ArgumentHelp("The reader, if it is not this one.", valueName: "id"))
    var instance: ReaderInstance?

    @OptionGroup var audience: AudienceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let now = try clock.now()
        let registry = try mapping(store.brands.registry(), \BrandRegistryError.failure)
        let verifier = ReaderTokenVerifier(
            registry: registry, instance: try instance ?? store.readerInstance(), audience: audience.audience,
            firstUses: TokenFirstUsesInMemory())
        let text = String(decoding: try InputFile.read(token), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
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
            prepares reader \(reader.instance.text.text) for \(Terminal.safe(reader.brand.name.text)) \
            (\(reader.brand.identifier.text))
              until: \(reader.until)
            """
        case .failure(let error): "prepares no reader: \(error.explanation)"
        }
    }

    fileprivate var colour: TerminalColour {
        if case .success = self { .green } else { .red }
    }

    /// Every member at every time.
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
