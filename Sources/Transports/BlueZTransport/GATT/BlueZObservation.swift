/// An event of a phone's connection, to be recorded in a trace. It contains no address and no value of a
/// characteristic.
package enum BlueZObservation: Equatable, Sendable {
    /// A characteristic of the service.
    package enum Characteristic: String, CaseIterable, Sendable {
        case state, clientToServer, serverToClient, ident, psm
    }

    /// The D-Bus call in which bluetoothd reported an ATT MTU.
    package enum MTUSource: String, CaseIterable, Sendable {
        case stateWrite, notifySocket, writeSocket
    }

    /// A phone started a transfer with the GATT server, or the GATT client connected to a phone.
    /// `addressIsRandom` is `nil` if bluetoothd does not report the kind of the phone's address.
    case phone(addressIsRandom: Bool?)
    /// bluetoothd reported an ATT MTU.
    case mtu(Int, MTUSource)
    /// The phone read the ident characteristic.
    case identRead
    /// The read of the ident characteristic was answered.
    case identAnswered
    /// The read of the ident characteristic was refused, because its value was not known in time.
    case identRefused
    /// The phone subscribed to a characteristic of this computer, or this computer subscribed to a
    /// characteristic of the phone.
    case subscribed(Characteristic, usesSocket: Bool)
    /// The phone ended its subscription to a characteristic.
    case unsubscribed(Characteristic)
    /// Another device is connected and will be disconnected.
    case turnedAway
    /// The phone disconnected. bluetoothd does not report a reason.
    case disconnected
}
