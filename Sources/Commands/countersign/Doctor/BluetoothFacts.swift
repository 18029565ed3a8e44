internal import BlueZTransport
internal import CommandLineInterface
internal import DaemonClient
internal import Doctor
internal import JSON
internal import ReaderService
internal import Reports
internal import Transport

/// The state of Bluetooth on this computer: bluetoothd, its settings, the adapter and the radio switch.
struct BluetoothFacts: Sendable {
    /// The state of the rfkill switches for Bluetooth.
    enum RadioSwitch: Sendable {
        /// Not blocked.
        case on
        /// Blocked by software.
        case blocked
        /// Blocked by a switch or a key of the computer.
        case blockedByHardware
    }

    /// The result of a short attempt to advertise, or the reason why there was no attempt.
    enum Trial: Equatable, Sendable {
        /// bluetoothd advertised.
        case succeeded
        /// bluetoothd refused to advertise.
        case failed(RadioFault)
        /// Not tried: a lane of the daemon or another program is advertising.
        case inUse
        /// Not tried: an advertisement is in use, and the daemon reports that a lane cannot use Bluetooth.
        case failedAtLane(advice: String)
        /// Not tried: the adapter is off, or no adapter can advertise.
        case impossible
    }

    var bluetooth: Result<BluetoothDescription, BlueZTransportError>
    var trial = Trial.impossible
    /// Whether bluetoothd is installed.
    var isInstalled = true
    var radioSwitch = RadioSwitch.on
    /// The default receive buffer of sockets, in bytes, or `nil` if the kernel does not report it. Data from
    /// a phone waits in such a buffer until bluetoothd reads it.
    var socketRoom: Int?
    /// Whether the message bus allows bluetoothd more pending calls than the default of 128. A phone may
    /// write a portrait in thousands of small pieces, and each piece is a call.
    var hasBusRoom = true
}

extension BluetoothFacts {
    /// The timeout for each answer of the message bus and of bluetoothd.
    private static let limit = Duration.seconds(3)

    /// Asks bluetoothd for its state, tries to advertise, and reads the system's files.
    static func current(in system: SystemFolder) async -> BluetoothFacts {
        let bluetooth: Result<BluetoothDescription, BlueZTransportError>
        do throws(BlueZTransportError) {
            bluetooth = .success(try await .current(within: limit))
        } catch {
            bluetooth = .failure(error)
        }
        let trial = await trial(bluetooth, in: system)
        // Distributions install bluetoothd in different folders.
        return await blocking {
            BluetoothFacts(
                bluetooth: bluetooth, trial: trial,
                isInstalled: ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd"]
                    .contains(where: system.has),
                radioSwitch: radioSwitch(system),
                socketRoom: Int(system.firstWord(of: "/proc/sys/net/core/rmem_default")),
                hasBusRoom: hasBusRoom(system))
        }
    }

    /// Tries to advertise for a moment. Does not try if the adapter is off, if a presentation is running at a
    /// lane, or if another advertisement is active.
    private static func trial(
        _ bluetooth: Result<BluetoothDescription, BlueZTransportError>, in system: SystemFolder
    ) async -> Trial {
        // If bluetoothd gave no answer, there is no adapter to try.
        let adapter = (try? bluetooth.get())?.usedAdapter
        // `room`: the numbers of active and of free advertisements.
        guard let adapter, adapter.isPowered, let room = adapter.advertising else { return .impossible }
        let lanes = await blocking { LanesOfDaemon.current(in: system) }
        // A second advertisement would disturb a phone that is connecting to the lane.
        if lanes?.isEngaged == true || room.active > 0 {
            // The daemon may have reported a lane that cannot use Bluetooth. Its advice then replaces
            // `inUse`.
            return lanes?.advice.map { .failedAtLane(advice: $0) } ?? .inUse
        }
        var configuration = BlueZConfiguration(adapter: adapter.name)
        configuration.call = limit
        do throws(BluetoothLEError) {
            try await BlueZRadio(configuration: configuration).tryServing()
            return .succeeded
        } catch .radioUnavailable(let fault) {
            return .failed(fault)
        } catch {
            // Without a phone, the only other error is a cancellation, which means that bluetoothd did not
            // answer in time.
            return .failed(.daemonHung)
        }
    }

    /// Returns whether a configuration file of the message bus sets `max_replies_per_connection`, the limit
    /// of pending calls.
    private static func hasBusRoom(_ system: SystemFolder) -> Bool {
        ["/etc/dbus-1/system.d", "/usr/share/dbus-1/system.d"].contains { folder in
            (system.names(in: folder) ?? []).contains { name in
                system.text(of: "\(folder)/\(name)")?.contains("max_replies_per_connection") == true
            }
        }
    }

    /// Reads the rfkill switches. A hardware block has priority, because no command removes it.
    private static func radioSwitch(_ system: SystemFolder) -> RadioSwitch {
        let folder = "/sys/class/rfkill"
        let ours = (system.names(in: folder) ?? []).filter {
            system.firstWord(of: "\(folder)/\($0)/type") == "bluetooth"
        }
        func isSet(_ name: String) -> Bool {
            ours.contains { system.firstWord(of: "\(folder)/\($0)/\(name)") == "1" }
        }
        return isSet("hard") ? .blockedByHardware : isSet("soft") ? .blocked : .on
    }
}

extension BluetoothDescription {
    /// The adapter that is used if the user names no adapter: the first adapter that can advertise, or else
    /// the first adapter.
    fileprivate var usedAdapter: AdapterDescription? {
        adapters.first { $0.advertising != nil } ?? adapters.first
    }
}

/// The Bluetooth state of the daemon's lanes, as reported by `GET /v1/owner`.
private struct LanesOfDaemon {
    /// Whether a presentation is running at a lane.
    let isEngaged: Bool
    /// The daemon's advice for a lane that cannot use Bluetooth, or `nil` if there is no such lane.
    let advice: String?

    /// Asks the daemon. Returns `nil` if no daemon answers or this user lacks the scope `admin`.
    static func current(in system: SystemFolder) -> LanesOfDaemon? {
        let socket = DaemonSocket(path: system.path("/run/countersign/countersignd.sock"))
        return try? socket.call("GET", "/v1/owner").reading(LanesOfDaemon.init)
    }

    private init(_ text: JSONText) throws(JSONFault) {
        var (isEngaged, advice) = (false, String?.none)
        for lane in try text.members().required("lanes").array(upTo: 256) {
            let members = try lane.members()
            if try members.required("isBusy").boolean() { isEngaged = true }
            // `missing` means that this lane cannot use Bluetooth, or that Bluetooth was not inspected
            // because the PC/SC reader of the lane cannot be used.
            if try members.required("bluetooth").string(upTo: 32) == "missing", let text = members["advice"],
                !text.isNull
            {
                advice = try text.string(upTo: 4096)
            }
        }
        (self.isEngaged, self.advice) = (isEngaged, advice)
    }
}

extension BluetoothFacts {
    static let checks: [DoctorCheck.ID] = [
        .bluetoothDaemon, .adapter, .radioPower, .lowEnergy, .advertising, .firmware, .bluetoothSettings,
        .plugins, .smallValues,
    ]

    var checks: [DoctorCheck] {
        switch bluetooth {
        case .success(let bluetooth):
            return [bluetooth.daemon.daemonCheck] + adapterChecks(bluetooth.usedAdapter)
                + [bluetooth.daemon.settingsCheck, bluetooth.daemon.pluginsCheck, smallValuesCheck]
        case .failure(let error):
            // Every check except the first needs an answer from bluetoothd.
            let silent = Self.checks.dropFirst().map { DoctorCheck.skipped($0, "bluetoothd does not answer") }
            return [daemonCheck(error)] + silent
        }
    }

    /// Returns the check of bluetoothd after bluetoothd gave no answer.
    private func daemonCheck(_ error: BlueZTransportError) -> DoctorCheck {
        switch error {
        case .busNotRunning, .busLost:
            .failed(
                .bluetoothDaemon, "the system message bus does not run",
                fix: .command(isInstalled ? "systemctl start dbus" : "apt-get install dbus bluez"))
        case .daemonNotRunning where !isInstalled:
            .failed(
                .bluetoothDaemon, "bluetoothd is not installed", fix: .command("apt-get install bluez"))
        case .daemonNotRunning, .daemonLost:
            .failed(
                .bluetoothDaemon, "bluetoothd does not run",
                fix: .command("systemctl enable --now bluetooth"))
        case .daemonHung:
            .failed(
                .bluetoothDaemon, "timedOut: bluetoothd does not answer",
                fix: .command("systemctl restart bluetooth"))
        case .accessDenied:
            .failed(
                .bluetoothDaemon, "the message bus refuses this user",
                fix: .command(#"adduser "$USER" bluetooth"#))
        default: .failed(.bluetoothDaemon, "\(RadioFault(error).advice)")
        }
    }

    /// Returns the checks of the adapter that is used. Without an adapter, the first check fails and the
    /// others are skipped.
    private func adapterChecks(_ adapter: AdapterDescription?) -> [DoctorCheck] {
        guard let adapter else {
            let rest: [DoctorCheck.ID] = [.radioPower, .lowEnergy, .advertising, .firmware]
            return [noAdapter] + rest.map { .skipped($0, "no adapter") }
        }
        return [
            .ok(.adapter, adapter.text), powerCheck(adapter), adapter.lowEnergyCheck,
            adapter.advertisingCheck(trial), adapter.firmwareCheck,
        ]
    }

    /// The check of the buffers for phones that send a portrait in thousands of small values.
    private var smallValuesCheck: DoctorCheck {
        guard let socketRoom else {
            return .skipped(
                .smallValues,
                "the kernel does not report its buffer size, for example because this command runs in a container"
            )
        }
        return hasBusRoom && socketRoom >= Self.neededRoom
            ? .ok(
                .smallValues, "the buffers are large enough for a portrait that comes in thousands of pieces")
            : .note(
                .smallValues, "this computer may lose parts of a portrait that a phone sends in small pieces",
                fix: .settings(SettingsFile.smallValues))
    }

    /// The buffer size that the shipped `sysctl.conf` sets, in bytes.
    private static let neededRoom = 4_194_304

    private var noAdapter: DoctorCheck {
        radioSwitch == .blockedByHardware
            ? .failed(.adapter, "no Bluetooth adapter: a switch or key of the computer turns Bluetooth off")
            : .failed(.adapter, "no Bluetooth adapter is plugged in")
    }

    private func powerCheck(_ adapter: AdapterDescription) -> DoctorCheck {
        switch radioSwitch {
        // A powered adapter passes even if the radio switch is blocked, because the switch may belong to
        // another adapter.
        case _ where adapter.isPowered: .ok(.radioPower, "on")
        case .on: .note(.radioPower, "off: countersign turns the adapter on when it needs it")
        case .blocked:
            .failed(.radioPower, "blocked by rfkill", fix: .command("rfkill unblock bluetooth"))
        case .blockedByHardware:
            .failed(.radioPower, "the adapter is off by a switch or key of the computer, or by airplane mode")
        }
    }
}

extension AdapterDescription {
    fileprivate var text: CheckText {
        let parts: [CheckText?] = [
            "\(name)", controller.bluetoothVersion.map { "Bluetooth \($0)" },
            controller.usb.map { "USB \($0)" }, model.map { "\($0.name)" },
        ]
        return parts.compactMap(\.self).joined(by: ", ")
    }

    /// The check of the adapter's Bluetooth version. Before 4.2 there is no data length extension, so a
    /// portrait is transferred in small pieces (Q116).
    fileprivate var lowEnergyCheck: DoctorCheck {
        if controller.mode == .classic {
            return .failed(
                .lowEnergy, "the adapter is set to classic Bluetooth only",
                fix: .settings(SettingsFile.bluetooth))
        }
        // The Bluetooth SIG numbers the HCI versions: 6 is Bluetooth 4.0, and 8 is Bluetooth 4.2.
        switch controller.hciVersion {
        case (..<6)?:
            return .failed(
                .lowEnergy, "the adapter is too old: Bluetooth low energy needs Bluetooth 4.0")
        case (..<8)?:
            return .warning(
                .lowEnergy, "the adapter is older than Bluetooth 4.2, so a portrait takes seconds")
        // An adapter of unknown version that can advertise has low energy, because only low energy has
        // advertising.
        case nil where advertising == nil:
            return .skipped(.lowEnergy, "the adapter does not report its Bluetooth version")
        default: return .ok(.lowEnergy, "\(controller.mode?.explanation ?? "yes")")
        }
    }

    /// Returns the check that the adapter can advertise (Q85, Q239).
    fileprivate func advertisingCheck(_ trial: BluetoothFacts.Trial) -> DoctorCheck {
        switch advertising {
        case nil:
            .failed(
                .advertising,
                "the adapter cannot advertise, so no phone would find this computer: use another adapter")
        case let room? where room.free < 1:
            .failed(
                .advertising, "other programs use all of the adapter's \(room.active) advertisements",
                fix: .command("systemctl restart bluetooth"))
        case let room?: trial.check(room)
        }
    }

    /// The check for known faults of the adapter model and its firmware (Q106, Q109).
    fileprivate var firmwareCheck: DoctorCheck {
        let text = quirks.sorted { $0.rawValue < $1.rawValue }.map { "\($0.explanation)" as CheckText }
            .joined(by: "; ")
        if quirks.contains(.firmwareMissing) {
            return .failed(
                .firmware, "\(AdapterQuirk.firmwareMissing.explanation)",
                fix: .command("apt-get install firmware-realtek"))
        }
        return quirks.isEmpty ? .ok(.firmware, "no faults of this adapter are known") : .note(.firmware, text)
    }
}

extension BluetoothFacts.Trial {
    /// Returns the check of the attempt to advertise. The attempt is needed, because advertising may be
    /// refused even if the adapter reports room for one more advertisement (Q239).
    fileprivate func check(_ room: AdapterDescription.Advertising) -> DoctorCheck {
        switch self {
        case .succeeded:
            .ok(.advertising, "bluetoothd accepted a test advertisement; room for \(room.free) more")
        case .inUse:
            .ok(
                .advertising,
                "room for \(room.free) advertisements; not tested, because another advertisement is in use")
        // An adapter that cannot advertise has already failed in `advertisingCheck`, so this adapter is off.
        case .impossible:
            .note(
                .advertising, "room for \(room.free) advertisements; not tested, because the adapter is off")
        // `shared` is the form of the text for a support bundle, without names of this installation.
        case .failedAtLane(let advice):
            .failed(.advertising, "\(full: advice, shared: "advertising refused at a lane")")
        case .failed(let fault):
            .failed(
                .advertising,
                "\(full: fault.advice, shared: fault.refusal.map(\.title) ?? fault.id.rawValue)",
                fix: .command("systemctl restart bluetooth"))
        }
    }
}

extension BluetoothDaemonSettings {
    /// The check of bluetoothd, which has answered. The check contains a note if this version of bluetoothd
    /// may lose data that a phone writes.
    fileprivate var daemonCheck: DoctorCheck {
        guard let version else { return .ok(.bluetoothDaemon, "bluetoothd answers") }
        let note: DaemonNote = .dropsWritesWhenSlow
        return notes.contains(note)
            ? .note(.bluetoothDaemon, "bluetoothd \(version); \(note.explanation)")
            : .ok(.bluetoothDaemon, "bluetoothd \(version)")
    }

    /// The check of bluetoothd's settings file and of the settings in force.
    fileprivate var settingsCheck: DoctorCheck {
        let findings = findings
        let version = version.map { "bluetoothd \($0)" } ?? "bluetoothd"
        guard !findings.isEmpty else {
            return .ok(.bluetoothSettings, "the settings of \(version) are right for phones")
        }
        if configuration == .unknown {
            return .note(
                .bluetoothSettings,
                "the settings of bluetoothd cannot be read: run this command as root and outside of containers"
            )
        }
        let missing = findings.compactMap { finding -> CheckText? in
            guard case .missing(let requirement) = finding else { return nil }
            return "\(requirement.key)=\(requirement.value)"
        }
        // `shared` is the form of the text for a support bundle, without paths of this installation.
        let others = findings.filter { if case .missing = $0 { false } else { true } }
            .map { "\(full: $0.explanation(file: file), shared: $0.explanation(file: nil))" as CheckText }
        let name: CheckText = "\(full: file ?? "main.conf", shared: "main.conf")"
        let lines: [CheckText] = missing.isEmpty ? [] : ["the file \(name) lacks \(missing.joined(by: ", "))"]
        // If the file can be parsed and lacks no setting, bluetoothd only has to read the file again.
        return .warning(
            .bluetoothSettings, (others + lines).joined(by: "; "),
            fix: missing.isEmpty && isReadable
                ? .command("systemctl restart bluetooth") : .settings(SettingsFile.bluetooth))
    }

    /// False if there is a settings file that cannot be parsed.
    private var isReadable: Bool {
        if case .malformed = configuration { false } else { true }
    }

    /// The check for plugins of bluetoothd that make a phone ask its owner to pair (Q94, Q95).
    fileprivate var pluginsCheck: DoctorCheck {
        if configuration == .unknown {
            return .skipped(
                .plugins,
                "the command line of bluetoothd cannot be read: run this command as root and outside of containers"
            )
        }
        // If bluetoothd lacks the setting `ReverseServiceDiscovery`, its battery plugin reads from each
        // phone.
        let batteryPluginReads = findings.contains {
            $0.id == DaemonRequirement.ID.reverseServiceDiscovery.rawValue
        }
        if batteryPluginReads {
            return .warning(
                .plugins,
                "bluetoothd's battery plugin reads from each phone, which then asks its owner to pair",
                fix: .settings(SettingsFile.bluetooth))
        }
        return notes.contains(.pairsOverL2CAP)
            ? .note(
                .plugins,
                "plugins of bluetoothd make a phone that uses L2CAP ask its owner to pair",
                fix: .settings(SettingsFile.bluetooth))
            : .ok(.plugins, "no plugin reads from phones or pairs with them")
    }
}
