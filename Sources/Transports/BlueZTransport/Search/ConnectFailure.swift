internal import Transport

/// Why one attempt to reach a peer gave no link.
enum ConnectFailure: Error, Equatable {
    /// bluetoothd forgot the peer when discovery stopped (Q97).
    case peerForgotten
    /// The controller or the kernel gave up; mostly the next attempt works (Q108).
    case aborted
    case refused
    case overdue
    /// The peer left again before it could be used.
    case peerLeft
    /// The peer's services were not there in time (Q104).
    case servicesUnresolved
    /// The peer has not the service, or not all of it.
    case serviceIncomplete
    /// The peer allows no subscription to its values.
    case subscriptionRefused
    /// The peer is reached and has no such channel: it will not have it a moment later.
    case channelRefused
    case noSocket
    /// The radio cannot be used, or the caller has given up: no further attempt helps.
    case radio(BlueZTransportError)

    /// The error for the caller if this was the last attempt.
    var error: BluetoothLEError {
        switch self {
        case .peerForgotten: .connectionFailed(.phoneForgotten)
        case .aborted: .connectionFailed(.aborted)
        case .refused: .connectionFailed(.refused)
        case .overdue: .connectionFailed(.timedOut)
        case .peerLeft: .connectionFailed(.phoneLeft)
        case .servicesUnresolved: .connectionFailed(.servicesUnresolved)
        case .serviceIncomplete: .serviceIncomplete
        case .subscriptionRefused: .notSubscribed
        case .channelRefused: .connectionFailed(.channelRefused)
        case .noSocket: .connectionFailed(.noSocket)
        case .radio(let error): BluetoothLEError(error)
        }
    }
}
