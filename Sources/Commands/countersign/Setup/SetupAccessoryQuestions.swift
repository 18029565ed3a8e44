internal import Accessories
internal import AccessoryDevices
internal import CommandLineInterface
internal import JSON

/// The questions about plugged-in scanners and relay boards, at the terminal.
struct SetupAccessoryQuestions {
    /// The lengths of a pulse that the configuration allows, and the default, in milliseconds.
    private static let (pulses, pulse) = (100...10_000 as ClosedRange<Int64>, 800)

    let dialog: SetupDialog
    let lane: String
    /// The accessories of an earlier run, whose answers are the defaults.
    let former: [Accessory]
    /// The accessories that were accepted so far.
    private(set) var accepted: [Accessory] = []
    /// The names of earlier accessories about which a question was asked.
    private var asked: Set<String> = []

    init(dialog: SetupDialog, lane: String, former: [Accessory]) {
        (self.dialog, self.lane, self.former) = (dialog, lane, former)
    }

    /// Asks about each device that can be an accessory. GPIO chips and other serial lines are not asked about: what is
    /// connected to them cannot be found out.
    mutating func ask(about found: SetupDevices) throws(CommandFailure) {
        guard found.hasProgram else {
            let lost = former.isEmpty ? "" : " The accessories of the earlier run are left out."
            return Terminal.message(
                "\nTo use a scanner or a relay board at this lane, install the package countersign-accessories and run setup again.\(lost)"
            )
        }
        // Scanners come first: whether a scanned code may close a contact is asked only with a scanner.
        for device in found.devices where device.isScanner { try askAboutScanner(device) }
        try askAboutOthers { $0.scanner != nil }
        for device in found.devices where device.isBoard { try askAboutBoard(device, found.serial) }
        try askAboutOthers { $0.scanner == nil }
    }

    /// Asks about earlier accessories whose device was not found: it is unplugged, in the network, or of a kind that setup
    /// does not find.
    private mutating func askAboutOthers(_ isConcerned: (Accessory) -> Bool) throws(CommandFailure) {
        for accessory in former where isConcerned(accessory) && !asked.contains(accessory.name) {
            guard accessory.lane == nil || accessory.lane == lane else {
                Terminal.message(
                    "  The accessory \(accessory.name) of the earlier run is at another lane, and is left out."
                )
                continue
            }
            asked.insert(accessory.name)
            let isKept = try dialog.agrees(
                to: "Keep the accessory \(accessory.name) of the earlier run?",
                standard: true)
            if isKept { accept(accessory.source) }
        }
    }

    private mutating func askAboutScanner(_ device: PluggedInDevice) throws(CommandFailure) {
        guard let member = device.scannerMember else { return }
        let earlier = former.first { $0.scanner.map(device.isDevice) == true }
        if let earlier { asked.insert(earlier.name) }
        let isUsed = try dialog.agrees(
            to: "Does this device read the codes of phones at the lane \(lane)? \(device.words)",
            standard: earlier != nil)
        guard isUsed else { return }
        // The earlier object can have members that setup does not ask about, such as `commands`.
        let isUnchanged = earlier?.lane == lane
        accept(
            isUnchanged
                ? earlier?.source ?? .null
                : ["name": .string(freeName(earlier, or: "qr")), "lane": .string(lane), "in": member])
    }

    private mutating func askAboutBoard(
        _ device: PluggedInDevice, _ serial: (String) -> String?
    ) throws(CommandFailure) {
        guard let board = device.board(serial) else {
            return Terminal.message(
                "  A relay board (\(Terminal.safe(device.path))) does not tell its name, and is left out.")
        }
        // A contact for other outcomes switches a lamp. It is kept or left out as a whole, by another question.
        let earlier = former.first { $0.contact?.board == board && $0.output?.rule.outcomes == [.allow] }
        if let earlier { asked.insert(earlier.name) }
        if device.kind == .ch340, earlier == nil {
            // Adapters of tills and door controllers have the same chip, and would be sent the bytes of a board.
            let isBoard = try dialog.agrees(
                to: "Is this an LCUS relay board? \(device.words)", standard: false)
            guard isBoard else { return }
        }
        let isUsed = try dialog.agrees(
            to:
                "Does a contact of this board open a lock or a turnstile at the lane \(lane)? \(device.words)",
            standard: earlier != nil)
        guard isUsed else { return }
        try accept(contact(of: board, upTo: device.contacts, earlier))
    }

    /// Asks about the contact of a board, and returns the accessory's object.
    private func contact(
        of board: RelayBoard, upTo contacts: Int, _ earlier: Accessory?
    ) throws(CommandFailure) -> JSONValue {
        var channel = earlier?.contact?.channel ?? 1
        if contacts > 1 {
            channel = try dialog.number(
                to: "The number of the contact on the board", standard: channel, in: 1...Int64(contacts))
        }
        let pulse = try dialog.number(
            to: "For how many milliseconds does the contact close?",
            standard: earlier?.contact.map { Int($0.pulse / .milliseconds(1)) } ?? Self.pulse, in: Self.pulses
        )
        var members: [(String, JSONValue)] = [
            ("name", .string(freeName(earlier, or: "lock"))), ("lane", .string(lane)),
        ]
        let hasScanner = accepted.contains { $0.scanner != nil }
        // The members of the earlier accessory about which nothing is asked stay as they are.
        if case .object(let before)? = earlier?.source {
            let asked = ["name", "lane", "trial", "out"] + (hasScanner ? ["engagements"] : [])
            members += before.filter { !asked.contains($0.0) }
        }
        if hasScanner {
            let isOpenToCodes = try dialog.agrees(
                to: "Does a scanned code open it too? A photograph of a code works over 10 m and more",
                standard: earlier?.output?.rule.engagements.contains(.qr) == true)
            if isOpenToCodes { members.append(("engagements", .array(["nfc", "qr"]))) }
        }
        let isInUse = try dialog.agrees(
            to: "Is it in use already? If not, it also opens for test documents (trial)",
            standard: earlier.map { !$0.isTrial } ?? false)
        if !isInUse { members.append(("trial", .boolean(true))) }
        let relay: [(String, JSONValue)] = [
            board.member(channel: channel), ("pulseMs", .integer(Int64(pulse))),
        ]
        return .object(members + [("out", ["relay": .object(relay)])])
    }

    /// Returns the earlier name, or the first free name of `lock`, `lock-2`, `lock-3` and so on.
    private func freeName(_ earlier: Accessory?, or word: String) -> String {
        if let earlier { return earlier.name }
        let taken = (accepted + former).map(\.name)
        let others = (2...AccessoryForms.most).map { "\(word)-\($0)" }
        return ([word] + others).first { !taken.contains($0) } ?? word
    }

    /// Reads an object with the form of the configuration, so that setup writes nothing that the daemon refuses.
    private mutating func accept(_ object: JSONValue) {
        let list = try? JSONText(JSONValue.array([object]).utf8[...])
        guard let accessory = list.flatMap({ try? AccessoryForms.read($0) })?.first else {
            return Terminal.message(
                "  This device cannot be written into the configuration, and is left out.")
        }
        if let conflict = accessory.conflict(with: accepted) {
            return Terminal.message("  \(Terminal.safe(conflict)). The device is left out.")
        }
        accepted.append(accessory)
    }
}

extension Accessory {
    /// The contact of a board, or `nil` for another accessory.
    fileprivate var contact: RelayOutput? {
        if case .relay(let relay) = output?.device { relay } else { nil }
    }
}

extension PluggedInDevice {
    fileprivate var isScanner: Bool { scannerMember != nil }

    /// The member `in` of a scanner; `nil` for another device.
    fileprivate var scannerMember: JSONValue? {
        switch kind {
        case .serialScanner: ["serial": ["device": .string(path)]]
        case .keyboardScanner: usb.map { ["keyboard": ["usb": .string("\($0)")]] }
        case .hidPOSScanner: usb.map { ["hidPos": ["usb": .string("\($0)")]] }
        case .ch340, .kmtronic, .serialLine, .usbRelay, .hidRelay, .gpioChip: nil
        }
    }

    /// Whether a scanner of the configuration is this device.
    fileprivate func isDevice(_ scanner: Scanner) -> Bool {
        switch (kind, scanner) {
        case (.serialScanner, .serial(let scanner)): scanner.device == path
        case (.keyboardScanner, .keyboard(let scanner)): scanner.usb == usb
        case (.hidPOSScanner, .hidPOS(let scanner)): scanner.usb == usb
        default: false
        }
    }

    fileprivate var isBoard: Bool {
        switch kind {
        case .ch340, .kmtronic, .usbRelay, .hidRelay: true
        case .serialScanner, .keyboardScanner, .hidPOSScanner, .serialLine, .gpioChip: false
        }
    }

    /// The number of contacts that the board can have.
    fileprivate var contacts: Int {
        switch kind {
        case .usbRelay(let contacts), .hidRelay(let contacts): contacts
        default: 8
        }
    }

    /// The board as the configuration names it; `nil` if the board does not tell its name.
    fileprivate func board(_ serial: (String) -> String?) -> RelayBoard? {
        switch kind {
        case .ch340: .lcus(device: path)
        case .kmtronic: .kmtronic(device: path)
        case .usbRelay: serial(path).map { .usbRelay(serial: $0) }
        case .hidRelay: usbPath.map { .hidRelay(usbPath: $0) }
        case .serialScanner, .keyboardScanner, .hidPOSScanner, .serialLine, .gpioChip: nil
        }
    }
}

extension RelayBoard {
    /// The member of the board in `relay`, with the number of the contact.
    fileprivate func member(channel: Int) -> (String, JSONValue) {
        let (name, place): (String, (String, String)) =
            switch self {
            case .lcus(let device): ("lcus", ("device", device))
            case .kmtronic(let device): ("kmtronic", ("device", device))
            case .usbRelay(let serial): ("usbRelay", ("serial", serial))
            case .hidRelay(let usbPath): ("hidRelay", ("usbPath", usbPath))
            // Setup finds no board of these kinds.
            case .gpio(let chip, _, _): ("gpio", ("chip", chip))
            case .modbusRTU(let device, _, _, _): ("modbus", ("device", device))
            case .modbusTCP(let host, _, _, _): ("modbus", ("host", host))
            }
        return (name, .object([(place.0, .string(place.1)), ("channel", .integer(Int64(channel)))]))
    }
}
