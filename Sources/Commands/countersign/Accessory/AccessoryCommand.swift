internal import Accessories
internal import ArgumentParser
internal import CommandLineInterface
internal import DaemonClient
internal import JSON

/// `countersign accessory`: shows and tries the scanners and outputs of the daemon on this computer.
struct AccessoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accessory",
        abstract: "Show and try the scanners, locks and other accessories of the lanes.",
        discussion: """
            Asks the daemon over its socket as your user, which needs the scope admin in socket.users of the \
            daemon's configuration.

              countersign accessory list
              countersign accessory try lock
            """,
        subcommands: [AccessoryListCommand.self, AccessoryTryCommand.self])
}

/// An accessory of the running daemon, as `GET /v1/owner` describes it.
struct ListedAccessory: Equatable {
    let name: String
    /// The name of the lane; `nil` for an accessory that serves all lanes.
    let lane: String?
    /// The kind of the device, with the word of the configuration file.
    let kind: String
    let isScanner: Bool
    let state: AccessoryState
    let isTrial: Bool

    /// Reads the accessories from the answer of `GET /v1/owner`.
    static func list(in text: JSONText) throws(JSONFault) -> [ListedAccessory] {
        try text.members().required("accessories").array(upTo: 4096).map { entry throws(JSONFault) in
            try ListedAccessory(entry)
        }
    }

    private init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["name", "lane", "kind", "role", "state", "trial"])
        name = try members.required("name").string(upTo: 64)
        let lane = try members.required("lane")
        self.lane = lane.isNull ? nil : try lane.string(upTo: 64)
        kind = try members.required("kind").string(upTo: 64)
        isScanner = try members.required("role").string(upTo: 8) == "in"
        state = try members.required("state").word()
        isTrial = try members.required("trial").boolean()
    }

    /// Asks the daemon for its accessories.
    static func ask(at socket: String) throws -> [ListedAccessory] {
        do throws(DaemonClientError) {
            return try DaemonSocket(path: socket).call("GET", "/v1/owner").reading(list(in:))
        } catch {
            throw error.failure
        }
    }

    /// The line of the accessory, and a second line with the advice if there is one.
    var text: String {
        let place = lane.map { "at \($0)" } ?? "at all lanes"
        let trial = isTrial && state != .trial ? ", trial" : ""
        let line = "\(name) \(place): \(kind), \(state.rawValue)\(trial)"
        return Terminal.safe(line) + (advice.map { "\n  \($0)" } ?? "")
    }

    var json: JSONValue {
        [
            "name": .string(name), "lane": JSONValue(lane), "kind": .string(kind),
            "role": .string(isScanner ? "in" : "out"), "state": .string(state.rawValue),
            "trial": .boolean(isTrial), "advice": JSONValue(advice),
        ]
    }

    /// What to do about the state, or `nil` if there is nothing to do.
    var advice: String? {
        switch state {
        case .ready: nil
        case .trial: "acts on test documents too: remove \"trial\": true before the door is used"
        case .absent:
            "check the plug, the name of the device in the configuration, and the network; it is looked for every 2 s"
        case .busy: "another program has opened the device: fuser -v DEVICE or gpioinfo names it"
        case .notPermitted:
            "unplug the device and plug it in, so that the udev rules apply; a broker refuses the login: check userFile"
        case .notAnswering:
            "run systemctl status countersign-accessories; then check cable, power, and speed or address"
        case .misconfigured:
            "the device contradicts the configuration: journalctl --unit countersign-accessories says how"
        }
    }
}

/// `countersign accessory list`: shows each accessory with its state.
private struct AccessoryListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show each accessory with its lane, kind and state, and what to do about it.",
        discussion: """
            The states are explained in Documentation/accessories.md. The exit code is 0 whatever the states are.

            EXAMPLES:
              countersign accessory list
              countersign accessory list --json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var daemon: DaemonArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let accessories = try ListedAccessory.ask(at: daemon.socket)
        if output.json {
            let value: JSONValue = ["accessories": .array(accessories.map(\.json))]
            return Terminal.result(value.text)
        }
        let lines = accessories.map(\.text).joined(separator: "\n")
        Terminal.result(accessories.isEmpty ? "no accessories are configured" : lines)
    }
}
