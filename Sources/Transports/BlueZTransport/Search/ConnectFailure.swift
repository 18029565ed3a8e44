internal import Transport

/// The reason why one attempt to connect to a peer failed.
enum ConnectFailure: Error, Equatable {
    /// bluetoothd forgot the peer when discovery stopped (Q97).
    case peerForgotten(PeerRefusal? = nil)
    /// The controller or the kernel aborted the attempt. The next attempt usually succeeds (Q108).
    case aborted(PeerRefusal? = nil)
    /// bluetoothd or the peer refused the connection.
    case refused(PeerRefusal? = nil)
    /// The connection was not made in time.
    case overdue
    /// The peer disconnected before its service could be used.
    case peerLeft
    /// bluetoothd did not learn the peer's services in time (Q104).
    case servicesUnresolved
    /// The peer does not have the service, or lacks one of its characteristics.
    case serviceIncomplete
    /// The peer allows no subscription. The value is bluetoothd's error, if bluetoothd returned one.
    case subscriptionRefused(PeerRefusal?)
    /// The peer is connected and has no L2CAP channel with this PSM. A further attempt would not help.
    case channelRefused
    /// The system could not provide a socket for the L2CAP channel.
    case noSocket
    /// The radio cannot be used, or the task was cancelled. No further attempt is made.
    case radio(BlueZTransportError)

    /// The error for the caller after the last attempt.
    var error: BluetoothLEError {
        switch self {
        case .peerForgotten(let refusal): .connectionFailed(ConnectionFault(.phoneForgotten, refusal))
        case .aborted(let refusal): .connectionFailed(ConnectionFault(.aborted, refusal))
        case .refused(let refusal): .connectionFailed(ConnectionFault(.refused, refusal))
        case .overdue: .connectionFailed(.timedOut)
        case .peerLeft: .connectionFailed(.phoneLeft)
        case .servicesUnresolved: .connectionFailed(.servicesUnresolved)
        case .serviceIncomplete: .serviceIncomplete
        case .subscriptionRefused(nil): .notSubscribed
        case .subscriptionRefused(let refusal?): .connectionFailed(ConnectionFault(.notSubscribed, refusal))
        case .channelRefused: .connectionFailed(.channelRefused)
        case .noSocket: .connectionFailed(.noSocket)
        case .radio(let error): BluetoothLEError(error)
        }
    }

    /// Whether the peer lacks the service that was searched for, or allows no subscription to it.
    var isServiceMissing: Bool {
        switch self {
        case .serviceIncomplete, .subscriptionRefused: true
        default: false
        }
    }

    var isForgotten: Bool { if case .peerForgotten = self { true } else { false } }
}
