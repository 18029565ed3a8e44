/// The settings of a BlueZ radio: its adapter, and the limits of its waits.
package struct BlueZConfiguration: Sendable {
    /// The name of the adapter, such as `hci0`; `nil` selects the first adapter that can advertise.
    package var adapter: String?
    /// The maximum time for one call to bluetoothd.
    package var call: Duration = .seconds(5)
    /// The maximum time that a client's read waits for the ident value (Q70).
    package var ident: Duration = .seconds(2)
    /// The maximum wait for a client's subscription after the client has started the transfer (Q73). Also the
    /// maximum time for one D-Bus call of the GATT client that subscribes.
    package var subscription: Duration = .seconds(5)
    /// The maximum wait for other devices to disconnect before the first byte is sent (Q72, Q111). bluetoothd
    /// needs two seconds to disconnect a device.
    package var turningAway: Duration = .seconds(5)
    /// Whether values of characteristics are passed to and from bluetoothd through sockets. If not, each
    /// value takes a separate D-Bus call (Q110).
    package var usesSockets = true
    /// The maximum time for one attempt to connect to a peer.
    package var connection: Duration = .seconds(10)
    /// The maximum time from the connection until bluetoothd knows the peer's services (Q104).
    package var resolution: Duration = .seconds(10)
    /// The maximum time from the end of service discovery until all characteristics are visible. If some are
    /// still missing then, the service counts as incomplete (Q82, Q104).
    package var settling: Duration = .seconds(1)
    /// The maximum time to open an L2CAP channel to a connected peer. If there is no channel by then, the
    /// link uses the peer's characteristics instead (Q61).
    package var channel: Duration = .seconds(3)
    /// Whether GATT servers publish an L2CAP channel. Some wallets cannot use such a channel (Q61).
    package var offersL2CAP = false
    /// The delay with which a peer's disconnection is reported to the caller. If the whole radio is lost
    /// within this time, the loss of the radio is reported instead (Q117).
    package var lossReportDelay: Duration = .milliseconds(500)
    /// The maximum number of attempts to connect. The caller's time limit may allow fewer (Q63, Q82, Q108).
    package var attempts = 10
    /// The pause between finding a peer and connecting to it. Connecting is slow while the adapter still
    /// scans (Q63, Q97).
    package var pause: Duration = .milliseconds(150)
    /// The time without a peer after which discovery is restarted. bluetoothd's discovery may have stopped
    /// receiving (bluez#569, #572).
    package var discovery: Duration = .seconds(5)
    /// The maximum wait for a peer to be found again after a failed attempt.
    package var reappearance: Duration = .seconds(10)
    /// The pause between two attempts to connect (Q82).
    package var backOff: Duration = .milliseconds(500)

    /// A function that receives the events of a phone's connection, to record them in a trace. Called on the
    /// bus's queue.
    package var observe: @Sendable (BlueZObservation) -> Void = { _ in }

    /// The address of a message bus that is used in place of the system's, for tests.
    var bus: String?

    package init(adapter: String? = nil) {
        self.adapter = adapter
    }
}
