internal import Accessories
internal import AccessoryDevices
internal import ChildPrograms
internal import ConfigurationForms
internal import Glibc
internal import JSON
internal import Synchronization

/// The process that opens contacts after the death of this process.
///
/// Each contact is announced before it is closed, and again after it was opened. The watchdog reads the announcements from
/// a socket. When the socket ends, this process is dead, and the watchdog opens the contacts that are still announced.
///
/// If the watchdog itself has died, another is started before the next contact is closed.
final class Watchdog: Sendable {
    /// The word that starts the program as watchdog.
    static let command = "watchdog"

    private struct Running {
        let child: ChildProgram
        let socket: Int32
    }

    private struct State {
        var running: Running?
        /// The contacts that are announced as closed.
        var closed: [String: Accessory] = [:]
    }

    private let state = Mutex(State())

    /// Announces that a contact is about to be closed.
    ///
    /// - Returns: whether a watchdog knows it. Without a watchdog the contact must not be closed.
    func begin(_ accessory: Accessory) -> Bool {
        state.withLock { state in
            state.closed[Self.key(accessory)] = accessory
            if Self.send("+", accessory, to: state.running) { return true }
            Self.start(&state)
            let isKnown = state.closed.values.allSatisfy { Self.send("+", $0, to: state.running) }
            if !isKnown { state.closed[Self.key(accessory)] = nil }
            return isKnown
        }
    }

    /// Announces that a contact is open.
    func end(_ accessory: Accessory) {
        state.withLock { state in
            guard state.closed.removeValue(forKey: Self.key(accessory)) != nil else { return }
            // A watchdog that does not hear this opens a contact that is open.
            _ = Self.send("-", accessory, to: state.running)
        }
    }

    /// The key of a contact: its description, since a reload may give the name to another contact.
    private static func key(_ accessory: Accessory) -> String { accessory.source.line }

    /// Starts a watchdog in place of the one that does not listen.
    private static func start(_ state: inout State) {
        if let running = state.running { close(running.socket) }
        state.running = nil
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return }
        defer { close(ends[1]) }
        do throws(ChildProgram.NotStarted) {
            let child = try ChildProgram(
                ["/proc/self/exe", command], environment: [], input: .descriptor(ends[1]), output: .nowhere,
                errors: .inherited)
            state.running = Running(child: child, socket: ends[0])
        } catch {
            close(ends[0])
        }
    }

    /// Sends an announcement as one packet. Returns false if nobody receives it.
    private static func send(_ sign: String, _ accessory: Accessory, to running: Running?) -> Bool {
        guard let running else { return false }
        let packet = Array("\(sign)\(accessory.source.line)".utf8)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return unsafe Glibc.send(running.socket, packet, packet.count, flags) == packet.count
    }
}

/// The main function of the watchdog's process.
enum WatchdogProcess {
    /// The time for which a contact that cannot be opened is tried again.
    private static let limit = Duration.seconds(10)
    private static let longestPacket = 1 << 16

    /// Reads announcements from standard input until it ends, and then opens the contacts that are announced.
    static func run() {
        // systemd sends SIGTERM to all processes of a service when the main process has died. The contacts come first.
        signal(SIGTERM, SIG_IGN)
        signal(SIGINT, SIG_IGN)
        var closed: [[UInt8]: (name: String, relay: RelayOutput)] = [:]
        var buffer = [UInt8](repeating: 0, count: longestPacket)
        while true {
            let count = unsafe recv(STDIN_FILENO, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let packet = buffer.prefix(count)
            let description = Array(packet.dropFirst())
            guard let contact = contact(in: description[...]) else { continue }
            closed[description] = packet.first == UInt8(ascii: "+") ? contact : nil
        }
        let end = Duration.now + limit
        while !closed.isEmpty, Duration.now < end {
            for (key, contact) in closed where BoardWorker.switchOff(contact.relay) {
                Journal.write("\(contact.name): opened after the death of countersign-accessories")
                closed[key] = nil
            }
            if !closed.isEmpty { usleep(200_000) }
        }
    }

    private static func contact(in bytes: ArraySlice<UInt8>) -> (name: String, relay: RelayOutput)? {
        guard let text = try? JSONText(Array(bytes)[...], limit: longestPacket) else { return nil }
        var reading = ConfigurationReading()
        guard let accessory = AccessoryForms.accessory.read(text, &reading),
            case .relay(let relay)? = accessory.output?.device
        else { return nil }
        return (accessory.name, relay)
    }
}
