internal import ArgumentParser
internal import CommandLineInterface
internal import JSON

/// The program `countersign-lab`: software wallets that act as phones, and benchmarks. A shop's computer does
/// not need this program.
@main
struct CountersignLab: RootCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign-lab",
        abstract: "Act as a phone with a test document, and measure a reader's work.",
        discussion: """
            For developers, and to try Countersign without a phone or a reader. The documents are of invented people. A \
            new test issuer signs them at each start, so a reader accepts them only if you tell it to.

            Results go to standard output, progress and errors to standard error.

            \(ExitStatus.table())
            """,
        subcommands: [
            DemoCommand.self, WalletCommand.self, ReplayCommand.self, CorpusCommand.self, BenchCommand.self,
        ])

    @Flag(name: .long, help: "Show the version, the commit and the libraries in use.")
    var version = false

    @OptionGroup var output: OutputArguments

    static func main() async {
        await runNamedCommand()
    }

    static var _errorPrefix: String { Terminal.errorPrefix }

    func run() async throws {
        guard version else { throw CleanExit.helpRequest(self) }
        let version = ProgramVersion(of: "countersign-lab")
        Terminal.result(output.json ? version.json.text : version.text)
    }
}
