internal import Accessories
internal import AccessoryDevices
internal import CommandLineInterface
internal import ConfigurationForms
internal import Doctor
internal import JSON

/// The scanners and contacts that setup writes into the configuration.
///
/// At the terminal setup asks for each plugged-in scanner and relay board whether it is used at the lane. The default is
/// no: which door a board opens cannot be found out, so setup never assumes it. A new contact is a trial (`trial`) until
/// the person says that it is in use. In a file of answers the accessories have the form of the daemon's configuration.
struct SetupAccessories {
    /// The accessories, at most four at the lane.
    let accessories: [Accessory]

    /// Asks for the accessories at a lane.
    ///
    /// - Parameter found: The devices that are plugged in, and the ways to examine them.
    init(_ dialog: SetupDialog, _ found: SetupDevices, lane: String) throws(CommandFailure) {
        guard dialog.isAtTerminal else {
            accessories = dialog.value(of: .accessories, standard: []) { answer throws(JSONFault) in
                try Self.read(answer, lane: lane)
            }
            return
        }
        let former = dialog.formerValue(of: .accessories) { answer throws(JSONFault) in
            try Self.read(answer, lane: nil)
        }
        var questions = SetupAccessoryQuestions(dialog: dialog, lane: lane, former: former ?? [])
        if !found.devices.isEmpty || former?.isEmpty == false { try questions.ask(about: found) }
        accessories = questions.accepted
    }

    /// Reads the accessories of a file of answers.
    ///
    /// - Parameter lane: The lane at which the accessories have to be, or `nil` for any lane.
    /// - Throws: A fault of the whole list, so that the fault names the question.
    private static func read(_ answer: JSONText, lane: String?) throws(JSONFault) -> [Accessory] {
        let accessories: [Accessory]
        do throws(ConfigurationFaults) {
            accessories = try AccessoryForms.read(answer)
        } catch {
            let first = error.faults.first?.explanation ?? ""
            throw answer.wrong("must be accessories as in the daemon's configuration: \(first)")
        }
        if let lane, let other = accessories.first(where: { $0.lane != nil && $0.lane != lane }) {
            throw answer.wrong(
                "must be accessories of the lane \(lane): \(other.name) is at another lane")
        }
        return accessories
    }

    /// The member `accessories` of the daemon's configuration and of a file of answers; `nil` without accessories.
    var member: JSONValue? {
        accessories.isEmpty ? nil : .array(accessories.map(\.source))
    }

    /// The entry of `socket.users` with which the program of the accessories may call the daemon.
    var user: JSONValue? {
        accessories.isEmpty ? nil : ["user": .string(ProgramUser.name), "scopes": .array(["accessory"])]
    }

    /// The line of the summary; `nil` without accessories.
    var summary: String? {
        guard !accessories.isEmpty else { return nil }
        let names = accessories.map { accessory in
            let role = accessory.scanner == nil ? "output" : "scanner"
            return "\(accessory.name) (\(role)\(accessory.isTrial ? ", trial" : ""))"
        }
        return "accessories: \(names.joined(separator: ", "))"
    }
}

/// The devices that setup asks about.
struct SetupDevices {
    /// The plugged-in devices that could be accessories.
    var devices: [PluggedInDevice] = []
    /// Whether the user of the program `countersign-accessories` exists. The daemon refuses a configuration that names
    /// an unknown user.
    var hasProgram = true
    /// Returns the five characters of a USBRelay board, or `nil` if the board does not answer.
    var serial: (_ path: String) -> String? = { _ in nil }

    /// Finds the devices. No scanner and no serial line is opened.
    static func current(in system: SystemFolder) -> SetupDevices {
        SetupDevices(
            devices: DeviceFinder(root: system.root).devices(), hasProgram: ProgramUser(in: system) != nil,
            serial: { path in
                // A board that does not answer is left out, with a message.
                (try? RelayFinder.serial(atPath: path)) ?? nil
            })
    }

    /// The lines that show the devices; empty if nothing was found.
    var lines: [String] {
        devices.isEmpty ? [] : ["scanners, relay boards and lines:"] + devices.map { "  \($0.words)" }
    }
}

extension PluggedInDevice {
    /// The device in words, with its texts made safe for the terminal.
    var words: String {
        let texts = text.isEmpty ? "" : " \(Terminal.safe(text, limit: 60))"
        let place = " (\(Terminal.safe(path, limit: 120)))"
        return switch kind {
        case .serialScanner: "serial scanner\(texts)\(place)"
        case .hidPOSScanner: "scanner in HID POS mode\(texts)\(place)"
        case .keyboardScanner: "scanner in keyboard mode\(texts)\(place)"
        case .ch340: "serial chip CH340, as LCUS relay boards and many adapters have it\(place)"
        case .kmtronic: "KMTronic relay board\(place)"
        case .serialLine: "serial line\(texts)\(place)"
        case .usbRelay(let contacts): "relay board USBRelay with up to \(contacts) contacts\(place)"
        case .hidRelay(let contacts): "relay board HIDRelay with up to \(contacts) contacts\(place)"
        case .gpioChip: "GPIO chip\(place)"
        }
    }
}
