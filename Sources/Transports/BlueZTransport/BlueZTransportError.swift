package import Transport

/// An error of the message bus, bluetoothd or an adapter.
package enum BlueZTransportError: Error, Equatable, Sendable {
    /// No message bus runs.
    case busNotRunning
    /// The connection to the message bus was lost, and with it all registrations (Q117).
    case busLost
    /// bluetoothd does not run. It may start later (Q119).
    case daemonNotRunning
    /// bluetoothd ended or restarted while it was in use (Q117).
    case daemonLost
    /// bluetoothd did not answer a call in time (Q117).
    case daemonHung
    /// The message bus does not let this user call bluetoothd.
    case accessDenied(PeerRefusal? = nil)
    /// bluetoothd has no adapter that can advertise.
    case noAdapter
    /// The configured adapter does not exist or cannot advertise. The value is the adapter's name.
    case adapterMissing(String)
    /// The adapter was removed while it was in use.
    case adapterLost
    /// The adapter is off and cannot be switched on, or was switched off while it was in use.
    case adapterOff(PeerRefusal? = nil)
    /// bluetoothd refused to register a service or an advertisement. It may refuse an advertisement although
    /// it reported that another advertisement is possible (Q239).
    case registrationRefused(PeerRefusal)
    /// Another device, such as the phone of an earlier customer, could not be disconnected.
    case otherDeviceStays(PeerRefusal? = nil)
    /// Any other error that bluetoothd returned.
    case refused(PeerRefusal)
    /// No descriptor or socket was available, or an answer was malformed.
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
        // The object of the adapter no longer exists.
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
