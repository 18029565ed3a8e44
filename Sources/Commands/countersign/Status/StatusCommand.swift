internal import ArgumentParser
internal import CommandLineInterface
internal import DaemonClient
internal import JSON

/// `countersign status`: what the owner's page shows, of the daemon on this computer.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show the state of the daemon: lanes, trust, identities, today's outcomes, receipts, tokens.",
        discussion: """
            Asks the daemon over its socket, as your user: that needs the scope admin in socket.users of the daemon's \
            file. Nothing of the answer is about a person. countersign doctor checks the computer itself.

            EXAMPLES:
              countersign status
              countersign status --json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Option(help: ArgumentHelp("The socket of the daemon.", valueName: "file"))
    var socket = "/run/countersign/countersignd.sock"

    @OptionGroup var output: OutputArguments

    func run() throws {
        let (status, json): (DaemonStatus, JSONValue)
        do throws(DaemonClientError) {
            let reply = try DaemonSocket(path: socket).call("GET", "/v1/owner")
            (status, json) = (try reply.reading(DaemonStatus.init), try reply.json())
        } catch {
            throw error.failure
        }
        Terminal.result(output.json ? json.text : status.text)
        guard status.isReady else {
            throw CommandFailure.unavailable("the daemon is not ready: see its faults")
        }
    }
}
