package import Transport

/// What the bus, bluetoothd or an adapter refused, by condition.
package enum BlueZTransportError: Error, Equatable, Sendable {
    case busNotRunning
    /// The connection to the bus was lost, and with it everything registered (Q117).
    case busLost
    /// Nobody owns `org.bluez`; bluetoothd may start later (Q119).
    case daemonNotRunning
    /// bluetoothd ended or restarted under us (Q117).
    case daemonLost
    /// bluetoothd did not answer a call in time (Q117).
    case daemonHung
    /// The bus does not let this user call bluetoothd.
    case accessDenied(PeerRefusal? = nil)
    /// bluetoothd has no adapter, or none that can advertise.
    case noAdapter
    case adapterMissing(String)
    case adapterLost
    /// The adapter is off and cannot be switched on, or was switched off under us.
    case adapterOff(PeerRefusal? = nil)
    /// bluetoothd refused our service or advertisement, whether it had places or not (Q239).
    case registrationRefused(PeerRefusal)
    /// A phone of an earlier customer, or another device, could not be disconnected.
    case otherDeviceStays(PeerRefusal? = nil)
    /// Any other refusal.
    case refused(PeerRefusal)
    /// A descriptor could not be had, or an answer had no shape.
    case system
    case cancelled

    init(_ error: BusError) {
        switch error {
        case .disconnected: self = .busLost
        case .noSuchService: self = .daemonNotRunning
        case .overdue: self = .daemonHung
        case .malformed: self = .system
        case .cancelled: self = .cancelled
        case .refused(let refusal) where refusal.isNamed("org.freedesktop.DBus.Error.AccessDenied"):
            self = .accessDenied(refusal)
        case .refused(let refusal) where refusal.isNamed("org.freedesktop.DBus.Error.UnknownObject"):
            self = .adapterLost
        case .refused(let refusal): self = .refused(refusal)
        }
    }
}

extension BluetoothLEError {
    init(_ error: BlueZTransportError) {
        self = error == .cancelled ? .cancelled : .radioUnavailable(RadioFault(error))
    }
}

extension RadioFault {
    package init(_ error: BlueZTransportError) {
        self =
            switch error {
            case .busNotRunning: .busNotRunning
            case .busLost: .busLost
            case .daemonNotRunning: .daemonNotRunning
            case .daemonLost: .daemonLost
            case .daemonHung: .daemonHung
            case .accessDenied(let refusal): Self(.accessDenied, refusal)
            case .noAdapter: .noAdapter
            case .adapterMissing: .adapterMissing
            case .adapterLost: .adapterLost
            case .adapterOff(let refusal): Self(.adapterOff, refusal)
            case .registrationRefused(let refusal): Self(.registrationRefused, refusal)
            case .otherDeviceStays(let refusal): Self(.otherDeviceStays, refusal)
            case .refused(let refusal): Self(.failed, refusal)
            case .system, .cancelled: .failed
            }
    }
}
