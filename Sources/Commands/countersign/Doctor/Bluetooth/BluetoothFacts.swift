internal import BlueZTransport
internal import DaemonClient
internal import Doctor
internal import JSON
internal import ReaderService
internal import Transport

/// The Bluetooth of this computer, and what may keep it silent.
struct BluetoothFacts: Sendable {
    /// What rfkill says of Bluetooth.
    enum RadioSwitch: Sendable {
        case on
        /// Off by software.
        case blocked
        /// Off by a switch or a key of the computer.
        case blockedByHardware
    }

    /// The result of advertising for a moment, or the reason why this was not tried.
    enum Trial: Equatable, Sendable {
        case succeeded
        case failed(RadioFault)
        /// A lane of the daemon, or another program, advertises now.
        case inUse
        /// The same, and the daemon reports a lane without Bluetooth, with this advice.
        case failedAtLane(advice: String)
        /// The adapter is off, or no adapter can advertise.
        case impossible
    }

    var bluetooth: Result<BluetoothDescription, BlueZTransportError>
    var trial = Trial.impossible
    var isInstalled = true
    var radioSwitch = RadioSwitch.on
    /// How many bytes from a phone may wait for bluetoothd; nil if the kernel does not report it.
    var socketRoom: Int?
    /// Whether the message bus is configured to carry more than 128 values at once.
    var hasBusRoom = true
}

extension BluetoothFacts {
    /// For each answer of the bus and of bluetoothd.
    private static let limit = Duration.seconds(3)

    /// Asks bluetoothd, advertises for a moment, and looks at the system's files. Changes nothing.
    static func current(in system: SystemFolder) async -> BluetoothFacts {
        let bluetooth: Result<BluetoothDescription, BlueZTransportError>
        do throws(BlueZTransportError) {
            bluetooth = .success(try await .current(within: limit))
        } catch {
            bluetooth = .failure(error)
        }
        let trial = await trial(bluetooth, in: system)
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

    /// Advertises for a moment with an adapter that is on, while no lane is engaged.
    private static func trial(
        _ bluetooth: Result<BluetoothDescription, BlueZTransportError>, in system: SystemFolder
    ) async -> Trial {
        let adapter = (try? bluetooth.get())?.usedAdapter
        guard let adapter, adapter.isPowered, let room = adapter.advertising else { return .impossible }
        let lanes = await blocking { LanesOfDaemon.current(in: system) }
        if lanes?.isEngaged == true || room.active > 0 {
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
            return .failed(.daemonHung)
        }
    }

    private static func hasBusRoom(_ system: SystemFolder) -> Bool {
        ["/etc/dbus-1/system.d", "/usr/share/dbus-1/system.d"].contains { folder in
            (system.names(in: folder) ?? []).contains { name in
                system.text(of: "\(folder)/\(name)")?.contains("max_replies_per_connection") == true
            }
        }
    }

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
    /// The adapter that is used where none is named: the first that can advertise.
    var usedAdapter: AdapterDescription? { adapters.first { $0.advertising != nil } ?? adapters.first }
}

/// The lanes of the daemon on this computer, as far as its owner's view reports them.
private struct LanesOfDaemon {
    let isEngaged: Bool
    /// The remedy for a lane whose Bluetooth cannot be used.
    let advice: String?

    /// Nil if no daemon answers, or it does not answer this user.
    static func current(in system: SystemFolder) -> LanesOfDaemon? {
        let socket = DaemonSocket(path: system.path("/run/countersign/countersignd.sock"))
        return try? socket.call("GET", "/v1/owner").reading(LanesOfDaemon.init)
    }

    private init(_ text: JSONText) throws(JSONFault) {
        var (isEngaged, advice) = (false, String?.none)
        for lane in try text.members().required("lanes").array(upTo: 256) {
            let members = try lane.members()
            if try members.required("isBusy").boolean() { isEngaged = true }
            if try members.required("bluetooth").string(upTo: 32) == "missing", let text = members["advice"],
                !text.isNull
            {
                advice = try text.string(upTo: 4096)
            }
        }
        (self.isEngaged, self.advice) = (isEngaged, advice)
    }
}
