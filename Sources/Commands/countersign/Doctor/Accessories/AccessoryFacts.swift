internal import Accessories
internal import AccessoryDevices
internal import DaemonClient
internal import Doctor
internal import Glibc
internal import JSON

/// The accessories in the daemon's configuration, their devices, and the programs that disturb them.
struct AccessoryFacts: Sendable {
    /// A node of a device, such as `/dev/ttyACM0`.
    struct Node: Equatable, Sendable {
        var path: String
        /// Whether the user of `countersign-accessories` may open the node; `nil` if there is no such user.
        var isPermitted: Bool?
    }

    /// A file with a key or a password that the configuration names.
    struct Secret: Equatable, Sendable {
        enum Fault: Equatable, Sendable {
            case absent
            /// Other users can read the file, or the group can write to it.
            case open
            /// The file has the key that the OSDP standard publishes.
            case defaultKey
            /// The file does not contain an OSDP key.
            case malformedKey
        }

        var path: String
        /// The fault; `nil` for a file without a fault. What is in a file is known only to a user who may read it.
        var fault: Fault?
    }

    /// An accessory of the configuration.
    struct Configured: Sendable {
        var accessory: Accessory
        /// The nodes that the accessory may use: none if the device is not plugged in, `nil` in the network.
        var nodes: [Node]?
        var secret: Secret?
    }

    enum Configuration: Sendable {
        case accessories([Configured])
        /// The member `accessories` has a fault, which `countersignd --check` names.
        case faulty
    }

    /// The state of `countersign-accessories`.
    enum Program: Sendable { case running, stopped, notInstalled, unknown }

    /// The accessories; empty if there is no configuration, or if this user cannot read it.
    var configuration = Configuration.accessories([])
    /// The devices that could be accessories.
    var pluggedIn: [PluggedInDevice] = []
    /// Whether this process sees the computer's devices. A service with `PrivateDevices` does not.
    var seesDevices = true
    var program = Program.running
    /// Whether ModemManager runs; `nil` if systemd's control groups cannot be seen.
    var runsModemManager: Bool? = false
    /// The serial lines to which ModemManager sends commands, because udev does not forbid it.
    var unprotected: [String] = []
    /// The udev rules of brltty that take CH340 chips, or `nil` if no such rule is in force.
    var brlttyRules: String?
    /// Whether a device with a CH340 is plugged in.
    var hasCH340 = false
    /// The states by name, or `nil` if the daemon does not tell them to this user.
    var states: [(name: String, state: AccessoryState)]?
}

extension AccessoryFacts {
    /// Reads the configuration, the kernel's descriptions and udev's files, and asks the daemon for the states. Opens no
    /// device.
    static func current(in system: SystemFolder) -> AccessoryFacts {
        let finder = DeviceFinder(root: system.root)
        var facts = AccessoryFacts()
        facts.configuration = configuration(in: system, finder)
        facts.pluggedIn = finder.devices()
        facts.seesDevices = ["/dev/tty0", "/dev/input", DeviceFinder.serialLines].contains(where: system.has)
        facts.states = states(in: system)
        facts.program = program(in: system, facts.states)
        facts.runsModemManager = system.runsService("ModemManager")
        facts.unprotected = facts.serialLines.filter { finder.isIgnoredByModemManager($0) == false }
        facts.brlttyRules = brlttyRules(in: system)
        facts.hasCH340 = hasCH340(system)
        return facts
    }

    private static func configuration(in system: SystemFolder, _ finder: DeviceFinder) -> Configuration {
        guard let list = system.daemonMember("accessories") else { return .accessories([]) }
        guard let accessories = try? AccessoryForms.read(list) else { return .faulty }
        let user = ProgramUser(in: system)
        return .accessories(
            accessories.map { accessory in
                let nodes = finder.nodes(of: accessory)?.map { path in
                    Node(path: path, isPermitted: user?.mayOpen(system.path(path)))
                }
                return Configured(
                    accessory: accessory, nodes: nodes,
                    secret: accessory.secret.map { Secret($0, in: system) })
            })
    }

    private static func program(
        in system: SystemFolder, _ states: [(name: String, state: AccessoryState)]?
    ) -> Program {
        // A program that was started by hand has no unit. It is there if the daemon hears of devices.
        if states?.contains(where: { $0.state != .notAnswering }) == true { return .running }
        guard system.has("/usr/lib/countersign-accessories/countersign-accessories") else {
            return .notInstalled
        }
        return switch system.runsService("countersign-accessories") {
        case true?: .running
        case false?: .stopped
        case nil: .unknown
        }
    }

    /// Asks the daemon. Returns `nil` if no daemon answers or this user lacks the scope `admin`.
    private static func states(in system: SystemFolder) -> [(name: String, state: AccessoryState)]? {
        let socket = DaemonSocket(path: system.path("/run/countersign/countersignd.sock"))
        return try? socket.call("GET", "/v1/owner").reading { text throws(JSONFault) in
            var states: [(name: String, state: AccessoryState)] = []
            for entry in try text.members().required("accessories").array(upTo: AccessoryForms.most) {
                let members = try entry.members()
                let name = try members.required("name").string(upTo: 64)
                states.append((name, try members.required("state").word(AccessoryState.self)))
            }
            return states
        }
    }

    /// Finds the udev rules of brltty that are in force. A file in `/etc` replaces the file of its name in `/usr/lib`.
    private static func brlttyRules(in system: SystemFolder) -> String? {
        let folders = [
            "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
        ]
        var seen: Set<String> = []
        for folder in folders {
            for name in system.names(in: folder) ?? []
            where name.contains("brltty") && seen.insert(name).inserted {
                let path = "\(folder)/\(name)"
                let lines = (system.text(of: path) ?? "").lowercased().split(separator: "\n")
                // A commented line has no effect. Debian's file has the numbers as 1a86/7523.
                let isTaking = lines.contains { line in
                    !line.hasPrefix("#") && line.contains("1a86") && line.contains("7523")
                }
                if isTaking { return path }
            }
        }
        return nil
    }

    /// Whether a CH340 is plugged in, also one whose serial line another program has taken away.
    private static func hasCH340(_ system: SystemFolder) -> Bool {
        let folder = "/sys/bus/usb/devices"
        return (system.names(in: folder) ?? []).contains { name in
            system.firstWord(of: "\(folder)/\(name)/idVendor") == "1a86"
                && system.firstWord(of: "\(folder)/\(name)/idProduct") == "7523"
        }
    }

    /// The accessories that could be read.
    var configured: [Configured] {
        if case .accessories(let accessories) = configuration { accessories } else { [] }
    }

    /// The serial lines of configured accessories, of plugged-in scanners and of KMTronic boards.
    private var serialLines: [String] {
        let found = pluggedIn.filter { $0.kind == .serialScanner || $0.kind == .kmtronic }.map(\.path)
        let named = configured.compactMap(\.accessory.serialLine)
        return named + found.filter { !named.contains($0) }
    }
}

extension Accessory {
    /// The serial line that the accessory uses, or `nil` for an accessory without a serial line.
    fileprivate var serialLine: String? {
        switch role {
        case .scanner(.serial(let scanner)): scanner.device
        case .output(let output):
            switch output.device {
            case .line(let line): line.device
            case .osdp(let panel): panel.device
            case .relay(let relay):
                switch relay.board {
                case .lcus(let device), .kmtronic(let device), .modbusRTU(let device, _, _, _): device
                case .gpio, .usbRelay, .hidRelay, .modbusTCP: nil
                }
            case .keys, .mqtt: nil
            }
        case .scanner: nil
        }
    }

    /// The file with a secret that the accessory needs, and whether the secret is an OSDP key.
    fileprivate var secret: (path: String, isKey: Bool)? {
        switch output?.device {
        case .osdp(let panel): (panel.keyFile, true)
        case .mqtt(let broker): broker.userFile.map { ($0, false) }
        default: nil
        }
    }
}

extension AccessoryFacts.Secret {
    /// The longest file that is read, in bytes. A key has 32 digits.
    private static let longest = 64

    /// Examines a file. What is in a file with a password is not read.
    fileprivate init(_ secret: (path: String, isKey: Bool), in system: SystemFolder) {
        path = secret.path
        var facts = stat()
        guard unsafe stat(system.path(path), &facts) == 0 else {
            // Without the right to search the folder, nothing is known of the file.
            fault = errno == ENOENT ? .absent : nil
            return
        }
        guard facts.st_mode & (S_IRWXO | S_IWGRP) == 0 else {
            fault = .open
            return
        }
        fault = secret.isKey ? Self.keyFault(system.path(path)) : nil
    }

    private static func keyFault(_ path: String) -> Fault? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        // Only the program, and root, may read the key.
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        guard count >= 0 else { return nil }
        do throws(OSDPFault) {
            _ = try OSDPKey(fileContents: bytes.prefix(count))
            return nil
        } catch .keyIsDefault {
            return .defaultKey
        } catch {
            return .malformedKey
        }
    }
}

/// The user and the groups of the program `countersign-accessories`.
struct ProgramUser: Equatable {
    static let name = "countersign-accessories"

    let user: uid_t
    let groups: Set<gid_t>

    /// Reads the user's entries. Returns `nil` if there is no such user.
    init?(in system: SystemFolder) {
        func entries(_ path: String) -> [[Substring]] {
            (system.text(of: path) ?? "").split(separator: "\n").map {
                $0.split(separator: ":", omittingEmptySubsequences: false)
            }
        }
        guard let entry = entries("/etc/passwd").first(where: { $0.count > 3 && $0[0] == Self.name }),
            let user = uid_t(entry[2]), let group = gid_t(entry[3])
        else { return nil }
        self.user = user
        groups = entries("/etc/group").reduce(into: [group]) { groups, entry in
            guard entry.count == 4, let number = gid_t(entry[2]) else { return }
            // The unit adds the group countersign, whoever its members are.
            let isMember =
                entry[3].split(separator: ",").contains { $0 == Self.name } || entry[0] == "countersign"
            if isMember { groups.insert(number) }
        }
    }

    /// Whether the mode of a file lets this user read and write it; `nil` if the mode cannot be read.
    func mayOpen(_ path: String) -> Bool? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        let bits: (shift: mode_t, both: mode_t) = (
            facts.st_uid == user ? 6 : groups.contains(facts.st_gid) ? 3 : 0, 0o6
        )
        return facts.st_mode >> bits.shift & bits.both == bits.both
    }
}
