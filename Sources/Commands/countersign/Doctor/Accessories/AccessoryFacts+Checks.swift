internal import Accessories
internal import AccessoryDevices
internal import Doctor

extension AccessoryFacts {
    static let checks: [DoctorCheck.ID] = [
        .accessoryProgram, .accessoryDevices, .accessoryRights, .scannerModes, .modemManager, .brltty,
        .accessorySecrets, .accessoryStates,
    ]

    /// The page that describes rules of udev, wiring and states.
    private static let page = "Documentation/accessories.md"
    private static let none: CheckText = "no accessory is configured"
    private static let unknown: CheckText =
        "systemd's services cannot be seen, which is normal in a container"
    private static let unseen: CheckText =
        "this process may not see the devices of the computer: run countersign doctor as root"

    var checks: [DoctorCheck] {
        if case .faulty = configuration {
            let fault = DoctorCheck.failed(
                .accessoryProgram, "the member accessories of the daemon's configuration has a fault",
                fix: .command("runuser -u countersign -- countersignd --check"))
            return [fault] + Self.checks.dropFirst().map { .skipped($0, "the accessories cannot be read") }
        }
        let ofConfigured = [programCheck, devicesCheck, rightsCheck, modesCheck]
        return ofConfigured + [modemManagerCheck, brlttyCheck, secretsCheck, statesCheck]
    }

    private var programCheck: DoctorCheck {
        guard !configured.isEmpty else { return .skipped(.accessoryProgram, Self.none) }
        return switch program {
        case .running: .ok(.accessoryProgram, "countersign-accessories runs")
        case .unknown: .skipped(.accessoryProgram, Self.unknown)
        case .stopped:
            .failed(
                .accessoryProgram,
                "countersign-accessories does not run, so no accessory of the configuration works",
                fix: .command("systemctl enable --now countersign-accessories"))
        case .notInstalled:
            .failed(
                .accessoryProgram,
                "the package countersign-accessories is not installed, so no accessory of the configuration works",
                fix: .command("apt-get install countersign-accessories"))
        }
    }

    private var devicesCheck: DoctorCheck {
        guard !configured.isEmpty else { return .skipped(.accessoryDevices, Self.none) }
        guard seesDevices else { return .skipped(.accessoryDevices, Self.unseen) }
        let absent = configured.filter { $0.nodes?.isEmpty == true }
        guard !absent.isEmpty else {
            return .ok(.accessoryDevices, "the device of every accessory is plugged in")
        }
        return Self.problem(
            .accessoryDevices, of: absent,
            "the device of \(Self.names(absent)) is not plugged in: plug it in, or correct its name in the configuration"
        )
    }

    private var rightsCheck: DoctorCheck {
        guard !configured.isEmpty else { return .skipped(.accessoryRights, Self.none) }
        guard seesDevices else { return .skipped(.accessoryRights, Self.unseen) }
        // A scanner can have several nodes, and the program opens the one with keys. One node that it may open is enough.
        let refused = configured.filter { accessory in
            guard let nodes = accessory.nodes, !nodes.isEmpty else { return false }
            return nodes.allSatisfy { $0.isPermitted == false }
        }
        guard !refused.isEmpty else {
            return .ok(.accessoryRights, "no device is closed to the user countersign-accessories")
        }
        let nodes = refused.compactMap { $0.nodes?.first?.path }.map {
            "\(full: $0, shared: "DEVICE")" as CheckText
        }
        return Self.problem(
            .accessoryRights, of: refused,
            "the user countersign-accessories may not open \(nodes.joined(by: ", ")) of \(Self.names(refused)): unplug the device and plug it in; if that does not help, add a rule of udev (\(Self.page))"
        )
    }

    /// The check that no scanner is in another mode than the configuration says.
    private var modesCheck: DoctorCheck {
        let scanners = configured.filter { $0.accessory.scanner != nil }
        guard !scanners.isEmpty else {
            return .skipped(.scannerModes, configured.isEmpty ? Self.none : "no scanner is configured")
        }
        guard seesDevices else { return .skipped(.scannerModes, Self.unseen) }
        for scanner in scanners where scanner.nodes?.isEmpty == true {
            guard let expected = scanner.accessory.scanner?.mode,
                let other = pluggedIn.first(where: { device in
                    device.mode.map { $0 != expected } == true && !isUsed(device)
                }), let mode = other.mode
            else { continue }
            return Self.problem(
                .scannerModes, of: [scanner],
                "\(Self.names([scanner])) is configured in the mode \(expected.rawValue), and a scanner in the mode \(mode.rawValue) is plugged in (\(other.usb?.description ?? "no USB id")): show the scanner its maker's barcode for \(expected.words), or change `in` of the accessory"
            )
        }
        return .ok(.scannerModes, "no scanner is in another mode than in the configuration")
    }

    /// Whether a plugged-in scanner is the device of an accessory. A serial line can have several names, so that each
    /// serial scanner counts as used if a configured one is there.
    private func isUsed(_ device: PluggedInDevice) -> Bool {
        configured.contains { other in
            guard let mode = other.accessory.scanner?.mode, mode == device.mode, let nodes = other.nodes
            else {
                return false
            }
            return mode == .serial ? !nodes.isEmpty : nodes.contains { $0.path == device.path }
        }
    }

    /// Whether the computer has nothing that ModemManager or brltty could disturb. Every small computer has GPIO chips.
    private var isIdle: Bool {
        configured.isEmpty && !hasCH340 && pluggedIn.allSatisfy { $0.kind == .gpioChip }
    }

    private var modemManagerCheck: DoctorCheck {
        guard !isIdle else { return .skipped(.modemManager, Self.none) }
        guard let runsModemManager else { return .skipped(.modemManager, Self.unknown) }
        guard runsModemManager else { return .ok(.modemManager, "ModemManager does not run") }
        guard !unprotected.isEmpty else {
            return .ok(.modemManager, "ModemManager runs, and no known scanner or relay board is open to it")
        }
        let lines = unprotected.map { "\(full: $0, shared: "DEVICE")" as CheckText }.joined(by: ", ")
        return .warning(
            .modemManager,
            "ModemManager sends commands to \(lines), and a scanner answers with beeps or another setting: add a rule of udev for the device (\(Self.page)), or remove ModemManager from a computer without a modem"
        )
    }

    private var brlttyCheck: DoctorCheck {
        guard !isIdle else { return .skipped(.brltty, Self.none) }
        guard let brlttyRules else { return .ok(.brltty, "brltty takes no CH340 chip") }
        guard hasCH340 else {
            return .ok(.brltty, "brltty takes CH340 chips, and no device with this chip is plugged in")
        }
        return .warning(
            .brltty,
            "brltty takes CH340 chips for braille displays (\(brlttyRules)): the serial line of a scanner or relay board can disappear. If nobody needs a braille display, remove brltty",
            fix: .command("apt-get purge brltty"))
    }

    /// The check of files with secrets. The first file with a fault is reported.
    private var secretsCheck: DoctorCheck {
        let secrets = configured.compactMap { accessory in accessory.secret.map { (accessory, $0) } }
        guard !secrets.isEmpty else {
            return .skipped(
                .accessorySecrets, configured.isEmpty ? Self.none : "no accessory has a file with a secret")
        }
        for (accessory, secret) in secrets {
            guard let fault = secret.fault else { continue }
            let file: CheckText = "\(full: secret.path, shared: "FILE") of \(Self.names([accessory]))"
            return switch fault {
            case .absent:
                .failed(
                    .accessorySecrets,
                    "\(file) does not exist: make it, readable by the group countersign-accessories alone")
            case .open:
                .failed(
                    .accessorySecrets, "other users can read or change \(file)",
                    fix: .command(
                        "chown root:countersign-accessories \(full: secret.path, shared: "FILE") && chmod 640 \(full: secret.path, shared: "FILE")"
                    ))
            case .defaultKey, .malformedKey:
                .failed(
                    .accessorySecrets,
                    fault == .defaultKey
                        ? "\(file) has the default key of OSDP, which is public: make a random key, and set it at the panel too"
                        : "\(file) is not a key: it must have 32 hexadecimal digits",
                    fix: .command("openssl rand -hex 16 > \(full: secret.path, shared: "FILE")"))
            }
        }
        return .ok(.accessorySecrets, "no file with a secret has a known fault")
    }

    /// The check of the states that the daemon reports. The first accessory that cannot act is reported.
    private var statesCheck: DoctorCheck {
        guard !configured.isEmpty else { return .skipped(.accessoryStates, Self.none) }
        guard let states else {
            return .skipped(
                .accessoryStates, "the daemon does not answer, or this user does not have its scope admin")
        }
        let unusable = states.filter { !$0.state.isUsable }
        guard let first = unusable.first else {
            let trials = configured.filter { one in
                states.contains { $0.name == one.accessory.name && $0.state == .trial }
            }
            return trials.isEmpty
                ? .ok(.accessoryStates, "every accessory is ready")
                : .note(
                    .accessoryStates,
                    "\(Self.names(trials)) in trial: an accessory in trial acts on test documents, which anybody can make. Remove trial before it is used"
                )
        }
        let all = unusable.map {
            "\(full: $0.name, shared: "ACCESSORY") is \($0.state.rawValue)" as CheckText
        }
        let concerned = configured.filter { one in unusable.contains { $0.name == one.accessory.name } }
        return Self.problem(
            .accessoryStates, of: concerned, "\(all.joined(by: ", ")): \(first.state.advice)",
            fix: first.state == .misconfigured ? .command("journalctl --unit countersign-accessories") : nil)
    }

    /// Returns a check that failed if one of the accessories pauses its lane (`required`), and a warning otherwise: the
    /// lanes read phones without the accessory.
    private static func problem(
        _ id: DoctorCheck.ID, of concerned: [Configured], _ text: CheckText, fix: DoctorCheck.Remedy? = nil
    ) -> DoctorCheck {
        let isRequired = concerned.contains { $0.accessory.output?.isRequired == true }
        return isRequired ? .failed(id, text, fix: fix) : .warning(id, text, fix: fix)
    }

    private static func names(_ accessories: [Configured]) -> CheckText {
        accessories.map { "\(full: $0.accessory.name, shared: "ACCESSORY")" as CheckText }.joined(by: ", ")
    }
}

/// The modes of a scanner. The raw values are the members of `in` in the configuration.
private enum ScannerMode: String {
    case serial, keyboard, hidPos

    /// The mode in the words of scanners' manuals.
    var words: String {
        switch self {
        case .serial: "USB CDC (virtual COM port)"
        case .keyboard: "keyboard mode"
        case .hidPos: "HID POS"
        }
    }
}

extension Scanner {
    fileprivate var mode: ScannerMode? {
        switch self {
        case .serial: .serial
        case .keyboard: .keyboard
        case .hidPOS: .hidPos
        case .camera: nil
        }
    }
}

extension PluggedInDevice {
    /// The mode of a scanner; `nil` for a device that is not known to be a scanner.
    fileprivate var mode: ScannerMode? {
        switch kind {
        case .serialScanner: .serial
        case .keyboardScanner: .keyboard
        case .hidPOSScanner: .hidPos
        case .ch340, .kmtronic, .serialLine, .usbRelay, .hidRelay, .gpioChip: nil
        }
    }
}

extension AccessoryState {
    /// The advice for an accessory that cannot act.
    fileprivate var advice: String {
        switch self {
        case .ready, .trial: "nothing has to be done"
        case .absent: "plug the device in; for a device in the network, check its address"
        case .busy: "another program has the device: `fuser -v DEVICE` names the program"
        case .notPermitted:
            "the program may not open the device, or the broker refuses its login: see accessories.rights"
        case .notAnswering:
            "check cable, power, and speed or address of the device: see also accessories.program"
        case .misconfigured: "the journal of countersign-accessories says what contradicts the configuration"
        }
    }
}
