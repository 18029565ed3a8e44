package import NDEF

/// A Bluetooth Low Energy controller with its GATT server, GATT client and L2CAP channels.
package protocol BluetoothLERadio: Sendable {
    /// Checks whether the adapter can be used as it is, and changes nothing; throws what is missing.
    func look() async throws(BluetoothLEError)

    /// Why the radio would harm phones or lose their answers, by its settings; nil if it would not, or where the
    /// settings cannot be found out.
    func settingsFault() async -> RadioFault?

    /// Makes the adapter ready; throws what is missing.
    func prepare() async throws(BluetoothLEError)

    /// Returns once the adapter can be used, however long it or bluetoothd takes to come (Q117, Q119); throws
    /// `cancelled` alone.
    func untilReady() async throws(BluetoothLEError)

    /// Registers a service and advertises its UUID; returns when both are active.
    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer

    /// Looks for a peer that advertises the service and connects; returns when packets can be sent.
    ///
    /// If `choice` takes the L2CAP channel that the peer's characteristic names and the peer opens it, packets go through
    /// it, and nothing is subscribed to. Otherwise they go through the characteristics on the same connection; the link's
    /// `start` must then still be written.
    func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink

    /// Looks for a peer that advertises the UUID and opens a channel to its PSM.
    func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink
}

/// Gives the PSM to try from the value of a peer's characteristic, which is in the peer's encoding (Q65); nil for none.
package typealias ChannelChoice = @Sendable (_ named: [UInt8]) -> UInt16?

extension BluetoothLERadio {
    /// Connects for the characteristics alone.
    package func connect(to service: GATTService) async throws(BluetoothLEError) -> any BluetoothLELink {
        try await connect(to: service, choosing: nil)
    }
}

/// A GATT service of the form mdocs use: a state, and one characteristic for each direction.
package struct GATTService: Equatable, Sendable {
    package let uuid: BluetoothUUID
    package let state: BluetoothUUID
    package let clientToServer: BluetoothUUID
    package let serverToClient: BluetoothUUID
    /// Read by clients to know the server; only some services have one.
    package let ident: BluetoothUUID?
    /// Read by clients to know the server's L2CAP channel.
    package let psm: BluetoothUUID?

    package init(
        uuid: BluetoothUUID, state: BluetoothUUID, clientToServer: BluetoothUUID,
        serverToClient: BluetoothUUID, ident: BluetoothUUID?, psm: BluetoothUUID?
    ) {
        self.uuid = uuid
        self.state = state
        self.clientToServer = clientToServer
        self.serverToClient = serverToClient
        self.ident = ident
        self.psm = psm
    }
}

/// A service that is advertised, until it is closed.
package protocol BluetoothLEServer: Sendable {
    /// Sets what a client reads from the ident characteristic. Reads before that wait, for a limited time.
    func setIdent(_ ident: [UInt8]) async

    /// The link to the first client that writes 01 to the state, once it has subscribed. From then on the service
    /// is off the air and other clients are turned away. One link for each server.
    func link() async throws(BluetoothLEError) -> any BluetoothLELink

    /// Takes everything back. Closing twice is allowed.
    func close() async
}

/// A connection to one peer that moves packets: values of the two data characteristics, or L2CAP service data units.
package protocol BluetoothLELink: Sendable {
    var kind: BluetoothLELinkKind { get }

    /// Most bytes of one packet, its head included.
    var packetLimit: Int { get async }

    /// The next packet. One task at a time may wait. Packets that came before the peer left are delivered.
    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket

    /// Ends a pending `receive` with `cancelled`; nothing is lost.
    func interrupt() async

    /// Sends `head` and `body` as one packet; returns when the system has taken it.
    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError)

    /// Sets the state: 01 starts, 02 ends. Nothing over L2CAP.
    func signal(_ state: UInt8) async throws(BluetoothLEError)

    /// Ends the connection. Closing twice is allowed.
    func close() async
}

package enum BluetoothLELinkKind: Sendable {
    /// We are the GATT server.
    case server
    /// We are the GATT client.
    case client
    case l2cap
}

package enum BluetoothLEPacket: Equatable, Sendable {
    case data([UInt8])
    case state([UInt8])
}

/// The bytes that go before a packet's body.
package enum PacketHead: Equatable, Sendable {
    case none
    case byte(UInt8)
    /// Four bytes, big-endian.
    case length(UInt32)
}

/// Why the radio or a link cannot be used.
package enum BluetoothLEError: Error, Equatable, Sendable {
    case radioUnavailable(RadioFault)
    /// No peer could be connected to: the fault of the last attempt.
    case connectionFailed(ConnectionFault)
    /// The peer has not the service, or not all of it.
    case serviceIncomplete
    /// The client did not subscribe to a characteristic that it needs.
    case notSubscribed
    /// The peer left, or the radio lost it.
    case linkLost
    /// A call that takes turns was made by a second task.
    case alreadyWaiting
    case cancelled
}

/// A link on which we are the GATT client.
package protocol BluetoothLEClientLink: BluetoothLELink {
    /// How often connecting was tried, the time it worked included (Q63, Q82, Q108).
    var attempts: Int { get }

    /// What the server says of itself.
    ///
    /// - Throws: `serviceIncomplete` where it has no such characteristic, `connectionFailed` when it does not let it be
    ///   read.
    func readIdent() async throws(BluetoothLEError) -> [UInt8]
}
