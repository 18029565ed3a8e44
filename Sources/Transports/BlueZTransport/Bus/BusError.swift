internal import Transport

/// An error of a D-Bus call.
enum BusError: Error, Equatable, Sendable {
    /// No message bus runs, or the connection to it was lost.
    case disconnected
    /// No program on the bus owns the bus name of the called service.
    case noSuchService
    /// The answer did not come in time.
    case overdue
    /// The called program answered with an error.
    case refused(PeerRefusal)
    /// An answer is malformed, a value cannot be sent over D-Bus, or sd-bus returned any other error.
    case malformed
    case cancelled

    /// Converts an error number of sd-bus.
    ///
    /// - Parameter code: the negative return value of sd-bus.
    init(code: Int32) {
        switch -code {
        // ECONNRESET, ENOTCONN, EPIPE, ECONNREFUSED, ENOENT (the bus has no socket), ESTALE.
        case 104, 107, 32, 111, 2, 116: self = .disconnected
        // ETIMEDOUT.
        case 110: self = .overdue
        default: self = .malformed
        }
    }

    /// Converts an error answer of the bus or of the called program.
    init(_ refusal: PeerRefusal) {
        switch refusal.name {
        case "org.freedesktop.DBus.Error.NoReply" where refusal.message.contains("disconnected"):
            // The bus returns this error when the called program has left the bus.
            self = .noSuchService
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
            "org.freedesktop.DBus.Error.TimedOut":
            self = .overdue
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            self = .noSuchService
        case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
            // Without systemd the bus itself tries to start bluetoothd, and fails (Q117).
            self = .noSuchService
        case "org.freedesktop.DBus.Error.Disconnected": self = .disconnected
        default: self = .refused(refusal)
        }
    }
}

extension PeerRefusal {
    func isNamed(_ name: String) -> Bool { self.name == name }
}
