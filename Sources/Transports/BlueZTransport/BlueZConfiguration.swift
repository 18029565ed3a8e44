/// Which adapter is used, and the waits for bluetoothd that have a deadline.
package struct BlueZConfiguration: Sendable {
    /// The adapter, like `hci0`; nil takes the first that can advertise.
    package var adapter: String?
    /// For one call to bluetoothd.
    package var call: Duration = .seconds(5)
    /// For a read of the ident that came before it was known (Q70).
    package var ident: Duration = .seconds(2)
    /// From a client's start to its subscription (Q73).
    package var subscription: Duration = .seconds(5)
    /// For other devices to disconnect before the first byte is sent (Q72, Q111); bluetoothd takes two seconds to
    /// disconnect one.
    package var turningAway: Duration = .seconds(5)
    /// Whether values are passed through sockets, if bluetoothd keeps them whole there, or each in a separate call
    /// (Q110).
    package var usesSockets = true
    /// For one attempt to connect to a peer.
    package var connection: Duration = .seconds(10)
    /// From the connection until the peer's services are known (Q104).
    package var resolution: Duration = .seconds(10)
    /// From there until all of the service is there, or it is another service (Q82, Q104).
    package var settling: Duration = .seconds(1)
    /// For a channel to a peer that is connected, before its characteristics serve instead (Q61).
    package var channel: Duration = .seconds(3)
    /// Whether our servers name an L2CAP channel; some wallets cannot use it (Q61).
    package var offersL2CAP = false
    /// From a peer's end until it is believed that the radio has not ended with it (Q117).
    package var verdict: Duration = .milliseconds(500)
    /// How often connecting is tried, inside the caller's time (Q63, Q82, Q108).
    package var attempts = 10
    /// From the sighting of a peer to the first attempt: connecting while scanning starves (Q63, Q97).
    package var pause: Duration = .milliseconds(150)
    /// For a peer to be seen before discovery is restarted: bluetoothd's may have stopped receiving (bluez#569,
    /// #572).
    package var discovery: Duration = .seconds(5)
    /// For a peer to be seen again after an attempt that failed.
    package var reappearance: Duration = .seconds(10)
    /// Between two attempts (Q82).
    package var backOff: Duration = .milliseconds(500)

    /// Called with what bluetoothd tells of phones, on its queue: for traces.
    package var observe: @Sendable (BlueZObservation) -> Void = { _ in }

    /// The address of another bus than the system's.
    var bus: String?

    package init(adapter: String? = nil) {
        self.adapter = adapter
    }
}
