internal import ArgumentParser
internal import Glibc
internal import JSON
internal import Reports

/// The command line; each command has a folder.
@main
struct Countersign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Ask a phone for its driving licence, and judge the answer.",
        discussion: """
            Reads mobile documents of ISO/IEC 18013-5 (mdoc) over NFC, and believes of them what their issuer \
            signed, their phone proves to hold, and an authority that you trust certifies.

            Results go to standard output, progress and errors to standard error. --json makes any result JSON.

            \(ExitStatus.table())
            """,
        subcommands: [
            DemoCommand.self, SetupCommand.self, DoctorCommand.self, ReadersCommand.self, RequestCommand.self,
            VerifyCommand.self, InspectCommand.self, TrustCommand.self, IdentityCommand.self,
            BrandCommand.self, TokenCommand.self, ReceiptCommand.self, RetainedCommand.self,
            PageCodeCommand.self, StatusCommand.self, WalletCommand.self, FieldTestCommand.self,
            ReplayCommand.self,
            BenchCommand.self,
        ])

    @Flag(name: .long, help: "Show the version, the commit and the libraries in use.")
    var version = false

    @OptionGroup var output: OutputArguments

    static func main() async {
        // libtss2 must not log: our errors report the same.
        unsafe setenv("TSS2_LOG", "all+none", 0)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            exit(with: failure)
        } catch {
            let arguments = Array(CommandLine.arguments.dropFirst())
            // Help about a command that is not there is shown as help about all.
            if exitCode(for: error) == .validationFailure || arguments.first == "help",
                let unknown = NamedCommand(in: arguments).failure
            {
                exit(with: unknown)
            }
            exit(withError: error)
        }
    }

    static var _errorPrefix: String { Terminal.errorPrefix }

    private static func exit(with failure: CommandFailure) -> Never {
        Terminal.note(Terminal.errorPrefix + failure.message)
        exit(withError: ExitCode(failure.status.rawValue))
    }

    func run() async throws {
        guard version else { throw CleanExit.helpRequest(self) }
        Terminal.result(output.json ? Version.json.text : Version.text)
    }
}
