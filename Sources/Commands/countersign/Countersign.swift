internal import ArgumentParser
internal import CommandLineInterface
internal import Glibc
internal import JSON

/// The program `countersign`. Each command is a type; commands with several files have a folder.
@main
struct Countersign: RootCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Request a driving licence from a phone and verify the answer.",
        discussion: """
            Reads ISO/IEC 18013-5 mobile documents (mdoc) over NFC. A value is reported only if the issuer \
            signed it, the phone proved that it holds the document, and you trust the issuer's root.

            Results go to standard output, progress and errors to standard error. With --json every result is \
            JSON.

            \(ExitStatus.table())
            """,
        subcommands: [
            DemoCommand.self, SetupCommand.self, DoctorCommand.self, ReadersCommand.self, RequestCommand.self,
            VerifyCommand.self, InspectCommand.self, TrustCommand.self, IdentityCommand.self,
            BrandCommand.self, TokenCommand.self, ReceiptCommand.self, RetainedCommand.self,
            PageCodeCommand.self, StatusCommand.self, AccessoryCommand.self, FieldTestCommand.self,
        ])

    /// The commands that are in `countersign-lab`, because they need a software wallet. A shop's computer
    /// does not have that program, so it cannot make test documents.
    static let moved = [
        "wallet": "countersign-lab", "replay": "countersign-lab", "bench": "countersign-lab",
    ]

    @Flag(name: .long, help: "Show the version, the commit and the versions of the libraries.")
    var version = false

    @OptionGroup var output: OutputArguments

    static func main() async {
        // libtss2 logs its errors on standard error. The command's own error already reports these errors.
        // The argument 0 keeps a value that the user has set.
        unsafe setenv("TSS2_LOG", "all+none", 0)
        await runNamedCommand()
    }

    /// The prefix of ArgumentParser's own error messages, which is also the prefix of a `CommandFailure`'s
    /// message.
    static var _errorPrefix: String { Terminal.errorPrefix }

    func run() async throws {
        guard version else { throw CleanExit.helpRequest(self) }
        let version = ProgramVersion(of: "countersign")
        Terminal.result(output.json ? version.json.text : version.text)
    }
}
