internal import Transport

/// What the bus, bluetoothd or an adapter refused, by condition. The texts for people are made elsewhere, from ``id``.
package enum BlueZTransportError: Error, Equatable, Sendable {
    /// There is no system message bus.
    case busNotRunning
    /// The bus ended under us: everything registered is gone (Q117).
    case busLost
    /// Nobody owns `org.bluez`; bluetoothd may start later (Q119).
    case daemonNotRunning
    /// bluetoothd ended or restarted under us (Q117).
    case daemonLost
    /// bluetoothd did not answer a call in time (Q117).
    case daemonHung
    /// The bus does not let this user call bluetoothd.
    case accessDenied
    /// bluetoothd has no adapter, or none that can advertise.
    case noAdapter
    /// The adapter of that name is not there.
    case adapterMissing(String)
    /// The adapter was pulled under us.
    case adapterLost
    /// The adapter is off and cannot be switched on, or was switched off under us.
    case adapterOff
    /// bluetoothd took no further service or advertisement.
    case registrationRefused
    /// A phone of an earlier customer, or another stranger, could not be turned away.
    case strangerStays
    /// Any other refusal; the name of the D-Bus error.
    case refused(String)
    /// A descriptor could not be had, or an answer had no shape.
    case system
    case cancelled

    /// Stable name of the condition, for messages, metrics and logs.
    package var id: String {
        switch self {
        case .busNotRunning: "bluez-bus-not-running"
        case .busLost: "bluez-bus-lost"
        case .daemonNotRunning: "bluez-daemon-not-running"
        case .daemonLost: "bluez-daemon-lost"
        case .daemonHung: "bluez-daemon-hung"
        case .accessDenied: "bluez-access-denied"
        case .noAdapter: "bluez-no-adapter"
        case .adapterMissing: "bluez-adapter-missing"
        case .adapterLost: "bluez-adapter-lost"
        case .adapterOff: "bluez-adapter-off"
        case .registrationRefused: "bluez-registration-refused"
        case .strangerStays: "bluez-stranger-stays"
        case .refused: "bluez-refused"
        case .system: "bluez-system"
        case .cancelled: "cancelled"
        }
    }

    init(_ error: BusError) {
        switch error {
        case .disconnected: self = .busLost
        case .noSuchService: self = .daemonNotRunning
        case .overdue: self = .daemonHung
        case .malformed: self = .system
        case .cancelled: self = .cancelled
        case .refused("org.freedesktop.DBus.Error.AccessDenied", _): self = .accessDenied
        case .refused("org.freedesktop.DBus.Error.UnknownObject", _): self = .adapterLost
        case .refused(let name, _): self = .refused(name)
        }
    }
}

extension BluetoothLEError {
    init(_ error: BlueZTransportError) {
        self = error == .cancelled ? .cancelled : .radioUnavailable(id: error.id)
    }
}
