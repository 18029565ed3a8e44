internal import Transport

/// Why a call over D-Bus gave no answer.
enum BusError: Error, Equatable, Sendable {
    /// No message bus is there, or it ended under us.
    case disconnected
    /// Nobody owns the name that was called.
    case noSuchService
    /// The answer did not come in time.
    case overdue
    /// The other side answered with an error.
    case refused(PeerRefusal)
    /// An answer of another shape than it has to have, or a value D-Bus cannot carry.
    case malformed
    case cancelled

    /// - Parameter code: what sd-bus returned, below zero.
    init(code: Int32) {
        switch -code {
        case 104, 107, 32, 111, 2, 116: self = .disconnected
        case 110: self = .overdue
        default: self = .malformed
        }
    }

    init(_ refusal: PeerRefusal) {
        switch refusal.name {
        case "org.freedesktop.DBus.Error.NoReply" where refusal.message.contains("disconnected"):
            // The bus itself says so when who was called leaves it.
            self = .noSuchService
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
            "org.freedesktop.DBus.Error.TimedOut":
            self = .overdue
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            self = .noSuchService
        case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
            // Without systemd the bus tries to start bluetoothd itself, and fails (Q117).
            self = .noSuchService
        case "org.freedesktop.DBus.Error.Disconnected": self = .disconnected
        default: self = .refused(refusal)
        }
    }
}

extension PeerRefusal {
    func isNamed(_ name: String) -> Bool { self.name == name }
}
