internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderTokens

struct TokenSignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a token for one reader with a brand's key.",
        discussion: """
            Only the token is written to the standard output. Whoever has it can prepare that reader, and no other.

            EXAMPLE:
              countersign token sign --brand utopia --kid 2026-11 --key utopia.pem \\
                  --instance 09c5f9f8d64ba23215609a8a18ba16bf

            \(ExitStatus.table([.success, .rejected, .usage, .unavailable]))
            """)

    @Option(name: .long, help: ArgumentHelp("The brand's identifier: iss.", valueName: "id"))
    var brand: TokenText

    @Option(name: .long, help: ArgumentHelp("Which of its keys signs: kid.", valueName: "id"))
    var kid: TokenText

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The private key on P-256, its owner's alone: unencrypted PEM, or wrapped by this computer's TPM.",
            valueName: "file"))
    var key: String

    @Option(
        name: .long,
        help: ArgumentHelp("The reader, as its `countersign token instance` shows it: sub.", valueName: "id"))
    var instance: ReaderInstance

    @Option(
        name: .long,
        help: ArgumentHelp("Within how many seconds it must be used first.", valueName: "seconds"))
    var lifetime = ReaderToken.longestLifetime

    @OptionGroup var audience: AudienceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...ReaderToken.longestLifetime).contains(lifetime) else {
            throw ValidationError("--lifetime takes 1 to \(ReaderToken.longestLifetime) seconds.")
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
