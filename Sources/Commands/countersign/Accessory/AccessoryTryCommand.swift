internal import Accessories
internal import ArgumentParser
internal import CommandLineInterface
internal import DaemonClient
internal import ErrorMapping
internal import JSON

/// `countersign accessory try`: closes a contact for one pulse, or describes the next code of a scanner.
struct AccessoryTryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Try an accessory without a presentation: one pulse of a contact, one code of a scanner.",
        discussion: """
            A contact (kind relay) closes for one pulse: A LOCK OPENS. There is no presentation, no receipt, and no \
            output.
            A scanner (kind serial, keyboard, hidPos or camera) describes the next code within 30 s: a phone's code or \
            not, and its length. A camera reports only phones' codes: any other code ends as "no code was read".
            The text is not shown, and the code is not passed to the lane.
            Keys, text on a serial line, a door controller and MQTT are not tried, because their receivers would take \
            the try for an answer. Tap a test document instead, with "trial": true.

            A try is refused while a presentation is in progress at the lane, while an output is due there, and more \
            than 6 times a minute. The daemon's log and the journal of countersign-accessories have each try.

            EXAMPLES:
              countersign accessory try lock
              countersign accessory try qr-1 --json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The name of the accessory, as countersign accessory list shows it."))
    var name: String

    @OptionGroup var daemon: DaemonArguments
    @OptionGroup var output: OutputArguments

    /// The time to wait for the daemon's answer, in seconds. A scanner waits for 30 s, and a pulse lasts at most 10 s.
    private static let timeout = 60

    func run() throws {
        let accessories = try ListedAccessory.ask(at: daemon.socket)
        guard let accessory = accessories.first(where: { $0.name == name }) else {
            throw CommandFailure.usage(
                "there is no accessory \(Terminal.safe(name)): countersign accessory list shows the names")
        }
        if accessory.isScanner {
            let seconds = AccessoryTry.scanTime.components.seconds
            Terminal.message("hold a code before \(accessory.name) within \(seconds) s")
        }
        let ending = try mapping(
            DaemonSocket(path: daemon.socket, timeout: Self.timeout)
                .call("POST", "/v1/accessories/\(accessory.name)/tries").reading(TryEnding.init),
            \DaemonClientError.failure)
        if output.json { Terminal.result(ending.json.text) }
        if let failure = ending.failure {
            throw CommandFailure.unavailable("\(Terminal.safe(name)): \(failure)")
        }
        if !output.json { Terminal.result("\(Terminal.safe(name)): \(ending.text)") }
    }
}

/// The answer of `POST /v1/accessories/{accessory}/tries`.
struct TryEnding: Equatable {
    let accessory: String
    let action: TryAction
    let result: TryResult

    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["accessory", "action", "result", "characters"])
        accessory = try members.required("accessory").string(upTo: 64)
        action = try members.required("action").word()
        let kind: TryResult.Kind = try members.required("result").word()
        let characters = try members.required("characters")
        let length =
            characters.isNull ? nil : try characters.integer(in: 1...Int64(ScannedBytes.maximumLength))
        guard let result = TryResult(kind, characters: length.map { Int($0) }) else {
            throw characters.wrong("does not belong to the result")
        }
        self.result = result
    }

    var json: JSONValue {
        [
            "accessory": .string(accessory), "action": .string(action.rawValue),
            "result": .string(result.kind.rawValue),
            "characters": result.characters.map { .integer(Int64($0)) } ?? .null,
        ]
    }

    /// The result in words.
    var text: String {
        switch result {
        case .pulsed: "the contact closed and opened again, and the device confirmed both"
        case .unknown: "the contact may have closed: look at the device, and read the journal"
        case .refused: "nothing happened: the device was not ready, or its lane was in use meanwhile"
        case .phoneCode(let characters): "a phone's code, \(characters) characters"
        case .otherCode(let characters?): "not a phone's code, \(characters) characters"
        case .otherCode(nil): "not a phone's code: too long, or not complete"
        case .noCode: "no code was read within \(AccessoryTry.scanTime.components.seconds) s"
        }
    }

    /// The result in words if it is a failure, or `nil` if the device did its part.
    var failure: String? {
        switch result {
        case .pulsed, .phoneCode, .otherCode: nil
        case .unknown, .refused, .noCode: text
        }
    }
}
