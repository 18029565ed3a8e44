package import NDEF

/// A Bluetooth Low Energy controller with its GATT server, GATT client and L2CAP channels.
///
/// `BlueZRadio` is the implementation for Linux. `ReaderService` calls it for one presentation at a time:
/// `serve` lets the phone connect to this computer (mdoc central client mode, ISO/IEC 18013-5 8.3.3.1.1), and
/// `connect` connects to the phone (mdoc peripheral server mode). A radio transports packets and does not
/// interpret their content.
package protocol BluetoothLERadio: Sendable {
    /// Checks whether the adapter can be used now. Changes no setting.
    ///
    /// - Throws: `radioUnavailable` with the first fault that was found.
    func checkReadiness() async throws(BluetoothLEError)

    /// Returns the fault `settingsMissing` if the current settings make phones ask to pair, or cause parts of
    /// a phone's answer to be lost. Returns `nil` if the settings are good or cannot be read.
    func settingsFault() async -> RadioFault?

    /// Prepares the adapter for use, for example by switching it on.
    ///
    /// - Throws: `radioUnavailable` with the fault that remains.
    func prepare() async throws(BluetoothLEError)

    /// Waits without a time limit until bluetoothd and the adapter can be used (Q117, Q119).
    ///
    /// - Throws: only `cancelled`.
    func waitUntilReady() async throws(BluetoothLEError)

    /// Registers a GATT service and advertises its UUID. Returns when both are active.
    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer

    /// Searches for a peer that advertises the service, and connects to it. Returns when packets can be sent.
    ///
    /// The peer may publish the PSM of an L2CAP channel in a characteristic. If `choice` returns a PSM and
    /// the peer accepts the channel, packets use the channel, and the client subscribes to no characteristic.
    /// In every other case packets use the characteristics of the same connection, and the caller must still
    /// write `start` to the link's state.
    func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink

    /// Searches for a peer that advertises the UUID, and opens an L2CAP channel to the peer's `psm`.
    func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink
}

/// A function that decodes a PSM, which is the number of an L2CAP channel. The argument `named` is the value
/// of a peer's characteristic, whose encoding depends on the peer (Q65). Returns `nil` if no L2CAP channel is
/// to be opened.
package typealias ChannelChoice = @Sendable (_ named: [UInt8]) -> UInt16?

extension BluetoothLERadio {
    /// Connects to a peer and uses its characteristics, never an L2CAP channel.
    package func connect(to service: GATTService) async throws(BluetoothLEError) -> any BluetoothLELink {
        try await connect(to: service, choosing: nil)
    }
}

/// The UUIDs of a GATT service as ISO/IEC 18013-5 8.3.3.1.1 defines it: a state, and one data characteristic
/// for each direction.
package struct GATTService: Equatable, Sendable {
    package let uuid: BluetoothUUID
    package let state: BluetoothUUID
    package let clientToServer: BluetoothUUID
    package let serverToClient: BluetoothUUID
    /// The characteristic with which a client recognises the server; only the service of mdoc central client
    /// mode has it.
    package let ident: BluetoothUUID?
    /// The characteristic from which clients read the PSM of the server's L2CAP channel.
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

/// A GATT service that is registered and advertised until it is closed.
package protocol BluetoothLEServer: Sendable {
    /// Sets the value of the ident characteristic. Reads that arrive earlier wait for the value, for a
    /// limited time (Q70).
    func setIdent(_ ident: [UInt8]) async

    /// Waits for the first client that writes 01 to the state and subscribes, and returns the link to it.
    /// Then the service is no longer advertised, and all other clients are disconnected. A server provides
    /// only one link.
    func link() async throws(BluetoothLEError) -> any BluetoothLELink

    /// Ends the advertisement, the registration and the connection. Closing twice is allowed.
    func close() async
}

/// A connection to one peer, over which packets are sent and received. A packet is a value of a data
/// characteristic, or an L2CAP service data unit.
package protocol BluetoothLELink: Sendable {
    var kind: BluetoothLELinkKind { get }

    /// The maximum number of bytes of one packet, including its head.
    var packetLimit: Int { get async }

    /// Waits for the next packet. One task at a time may wait. Packets that arrived before the peer
    /// disconnected are still delivered.
    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket

    /// Ends a pending `receive` with `cancelled`. No packet is lost.
    func interrupt() async

    /// Sends `head` and `body` as one packet. Returns when the operating system has accepted it.
    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError)

    /// Sends a value of the state characteristic: 01 starts the transfer, 02 ends it. Does nothing on an
    /// L2CAP link.
    func signal(_ state: UInt8) async throws(BluetoothLEError)

    /// Ends the connection. Closing twice is allowed.
    func close() async
}

/// The role of this computer on a Bluetooth link.
package enum BluetoothLELinkKind: Sendable {
    /// This computer is the GATT server.
    case server
    /// This computer is the GATT client.
    case client
    /// Both sides use an L2CAP channel.
    case l2cap
}

/// A packet that arrived over a link.
package enum BluetoothLEPacket: Equatable, Sendable {
    /// Bytes from the peer's data characteristic or from the L2CAP channel.
    case data([UInt8])
    /// A value of the state characteristic.
    case state([UInt8])
}

/// The bytes that go before a packet's body.
package enum PacketHead: Equatable, Sendable {
    case none
    /// The prefix of a BLE fragment: 01 if more fragments follow, 00 for the last (ISO/IEC 18013-5
    /// 8.3.3.1.1.6).
    case byte(UInt8)
    /// A length of four bytes, big-endian, before a message over L2CAP (Q66).
    case length(UInt32)
}

/// An error of the Bluetooth radio or of one link.
package enum BluetoothLEError: Error, Equatable, Sendable {
    /// The message bus, bluetoothd or the adapter cannot be used.
    case radioUnavailable(RadioFault)
    /// Connecting to a peer, reading a value or sending a value failed. After several attempts to connect,
    /// the associated value describes the last attempt.
    case connectionFailed(ConnectionFault)
    /// The peer does not have the service, or lacks one of its characteristics.
    case serviceIncomplete
    /// The client did not subscribe to a characteristic that it needs.
    case notSubscribed
    /// The peer disconnected, or the radio lost the peer.
    case linkLost
    /// Another task already waits in the same call.
    case alreadyWaiting
    case cancelled
}

/// A link on which this computer is the GATT client.
package protocol BluetoothLEClientLink: BluetoothLELink {
    /// The number of attempts to connect, including the successful one (Q63, Q82, Q108).
    var attempts: Int { get }

    /// Reads the ident characteristic of the server.
    ///
    /// - Throws: `serviceIncomplete` if the service has no ident characteristic, `connectionFailed` if the
    ///   server refuses the read.
    func readIdent() async throws(BluetoothLEError) -> [UInt8]
}
