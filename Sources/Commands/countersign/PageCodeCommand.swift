internal import ArgumentParser
internal import CommandLineInterface
internal import DaemonClient
internal import ErrorMapping
internal import JSON
internal import SystemPackage

/// `countersign page-code`: asks the daemon for a one-time code or three words that sign a browser in to a page.
struct PageCodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page-code",
        abstract: "Print a page's address with a one-time code that signs the browser in.",
        discussion: """
            The code is valid for 60 seconds. On a terminal the command also shows the address as a QR code, if \
            other devices can reach the address. With --words it prints three words instead. On the other \
            device, open the daemon's address or the page within 10 minutes, and type the words. A code or \
            a set of three words works once. After five wrong tries, all sets of words are invalid: make \
            new words.

            The command asks the daemon over its socket as your user. Your \
            user needs a scope in socket.users of the daemon's configuration: screen for the customer's \
            page, clerk for the clerk's page, desk for the desk's page, admin for the owner's page. The browser \
            keeps a cookie, so a reload or a restart needs no new code. The browser stays signed in until \
            your user loses the scope.

            EXAMPLES:
              countersign page-code --page kiosk --lane lane-1
              countersign page-code --page clerk --lane lane-1 --words
              countersign page-code --page desk --lane lane-1
              countersign page-code --page owner

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    enum Page: String, CaseIterable, ExpressibleByArgument {
        case kiosk, clerk, desk, owner
    }

    @Option(
        help: ArgumentHelp(
            "The page: kiosk (for the customer), clerk, desk or owner.", valueName: "page"))
    var page: Page

    @Option(
        help: ArgumentHelp(
            "The lane of the kiosk, clerk or desk page. The owner's page has no lane.", valueName: "name"))
    var lane: String?

    @Flag(help: "Print three words to type on the other device, instead of an address.")
    var words = false

    @OptionGroup var daemon: DaemonArguments

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (page == .owner) == (lane == nil) else {
            throw ValidationError(
                "Give --lane with --page kiosk, clerk and desk; leave it out with --page owner.")
        }
    }

    func run() throws {
        let entry = try mapping(
            DaemonSocket(path: daemon.socket).call("POST", "/v1/page-codes", body: request).reading(
                PageEntry.init), \DaemonClientError.failure)
        guard let url = entry.url else {
            throw CommandFailure.unavailable(
                "the daemon has no TCP listener, so no browser reaches the pages: set \"http\" in the daemon's configuration file"
            )
        }
        if output.json { return Terminal.result(entry.json.text) }
        if words {
            Terminal.result(Terminal.safe(entry.secret))
            let device = entry.isOfThisComputer ? "in a browser of this computer" : "on the device"
            Terminal.message(
                "open \(Terminal.safe(url)) \(device) within 10 minutes, and type these words")
        } else {
            // The address already contains the code, so the code is not printed separately.
            Terminal.result(Terminal.safe(url, limit: PageEntry.longestAddress))
            showCode(of: url)
        }
        if entry.isOfThisComputer, Terminal.isScreen(.standardOutput) {
            Terminal.message(
                "This address opens only on this computer. For other devices, set http.names and http.tls in the daemon's configuration file."
            )
        }
    }

    private var request: JSONValue {
        .object(
            [("page", .string(page.rawValue))] + (lane.map { [("lane", .string($0))] } ?? [])
                + (words ? [("kind", "words")] : []))
    }

    /// Shows the address as a QR code if the output is a terminal. An address that only this computer reaches
    /// is not shown as a QR code, because the device that scans the code could not open the page.
    private func showCode(of url: String) {
        guard Terminal.isScreen(.standardOutput), !PageEntry.isOfThisComputer(url),
            let code = QRCodeText(url)
        else { return }
        Terminal.result(code.text)
    }
}

/// The answer of `POST /v1/page-codes`.
struct PageEntry {
    /// The maximum length of an address, used as a limit of bytes and of characters.
    static let longestAddress = 512

    /// The name of the secret in the answer: `code` or `words`.
    let kind: String
    let secret: String
    let path: String
    /// The whole address; `nil` if the daemon has no TCP listener.
    let url: String?

    init(_ text: JSONText) throws(JSONFault) {
        // `seconds` is listed, because a member that is not listed is a fault. It is not used, because the
        // help already states how long the code and the words are valid.
        let members = try text.members(["code", "words", "path", "url", "seconds"])
        kind = members["words"] == nil ? "code" : "words"
        secret = try members.required(kind).string(upTo: 64)
        path = try members.required("path").string(upTo: 256)
        let url = try members.required("url")
        self.url = url.isNull ? nil : try url.string(upTo: Self.longestAddress)
    }

    var json: JSONValue {
        .object([(kind, .string(secret)), ("path", .string(path)), ("url", JSONValue(url))])
    }

    var isOfThisComputer: Bool { url.map(Self.isOfThisComputer) ?? true }

    /// Returns whether only a browser of this computer reaches the address.
    static func isOfThisComputer(_ url: String) -> Bool {
        ["http://127.0.0.1:", "https://127.0.0.1:", "http://[::1]:", "https://[::1]:"]
            .contains(where: url.hasPrefix)
    }
}
