internal import ArgumentParser
internal import CommandLineInterface
internal import DaemonClient
internal import ErrorMapping
internal import JSON

/// `countersign page-code`: asks the daemon for a one-time code that signs a browser in to a page.
struct PageCodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page-code",
        abstract: "Print a page's address with a one-time code that signs the browser in.",
        discussion: """
            The code is valid for 60 seconds. The command asks the daemon over its socket as your user. Your \
            user needs a scope in socket.users of the daemon's configuration: screen for the customer's \
            page, clerk for the clerk's page, admin for the owner's page. The browser keeps a cookie, so a \
            reload or a restart needs no new code. The browser stays signed in until your user loses the \
            scope.

            EXAMPLES:
              countersign page-code --page kiosk --lane lane-1
              countersign page-code --page clerk --lane lane-1
              countersign page-code --page owner

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    enum Page: String, CaseIterable, ExpressibleByArgument {
        case kiosk, clerk, owner
    }

    @Option(
        help: ArgumentHelp(
            "The page: kiosk (for the customer), clerk or owner.", valueName: "page"))
    var page: Page

    @Option(
        help: ArgumentHelp(
            "The lane of the page kiosk or clerk. The page owner has no lane.", valueName: "name"))
    var lane: String?

    @Option(help: ArgumentHelp("The socket of the daemon.", valueName: "file"))
    var socket = "/run/countersign/countersignd.sock"

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (page == .owner) == (lane == nil) else {
            throw ValidationError(
                "Give --lane for the pages kiosk and clerk; leave it out for the page owner.")
        }
    }

    func run() throws {
        let laneMember = lane.map { [("lane", JSONValue.string($0))] } ?? []
        let body = JSONValue.object([("page", .string(page.rawValue))] + laneMember)
        let (code, path) = try mapping(
            DaemonSocket(path: socket).call("POST", "/v1/page-codes", body: body).reading {
                text throws(JSONFault) in
                // `seconds` is allowed but not used, because the help already says for how long the code is
                // valid.
                let members = try text.members(["code", "path", "seconds"])
                return (
                    try members.required("code").string(upTo: 64),
                    try members.required("path").string(upTo: 256)
                )
            }, \DaemonClientError.failure)
        let json: JSONValue = ["code": .string(code), "path": .string(path)]
        // The path contains the code, so the text needs only the path.
        Terminal.result(output.json ? json.text : Terminal.safe(path))
    }
}
