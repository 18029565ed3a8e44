internal import Transport

/// Why one attempt to reach a peer gave no link.
enum ConnectFailure: Error, Equatable {
    /// bluetoothd forgot the peer when discovery stopped (Q97).
    case peerForgotten(PeerRefusal? = nil)
    /// The controller or the kernel gave up; mostly the next attempt works (Q108).
    case aborted(PeerRefusal? = nil)
    case refused(PeerRefusal? = nil)
    case overdue
    /// The peer left again before it could be used.
    case peerLeft
    /// The peer's services were not there in time (Q104).
    case servicesUnresolved
    /// The peer has not the service, or not all of it.
    case serviceIncomplete
    /// The peer allows no subscription to its values, with bluetoothd's error if it reported one.
    case subscriptionRefused(PeerRefusal?)
    /// The peer is reached and has no such channel: it will not have it a moment later.
    case channelRefused
    case noSocket
    /// The radio cannot be used, or the caller has given up: no further attempt helps.
    case radio(BlueZTransportError)

    /// The error for the caller if this was the last attempt.
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

    /// Whether the peer does not have, or does not offer, the service that was searched for.
    var isOfService: Bool {
        switch self {
        case .serviceIncomplete, .subscriptionRefused: true
        default: false
        }
    }

    var isForgotten: Bool { if case .peerForgotten = self { true } else { false } }
}
