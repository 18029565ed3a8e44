/// What bluetoothd tells of a phone beside its messages, for traces. It has no address and no value.
package enum BlueZObservation: Equatable, Sendable {
    package enum Characteristic: String, CaseIterable, Sendable {
        case state, clientToServer, serverToClient, ident, psm
    }

    /// Where an ATT MTU was named.
    package enum MTUSource: String, CaseIterable, Sendable {
        case stateWrite, notifySocket, writeSocket
    }

    /// A phone is served, or connected to; nil if bluetoothd does not say what kind of address it has.
    case phone(addressIsRandom: Bool?)
    case mtu(Int, MTUSource)
    case identRead
    case identAnswered
    /// It was not known in time.
    case identRefused
    /// A client's configuration descriptor was written, or ours at the phone.
    case subscribed(Characteristic, usesSocket: Bool)
    case unsubscribed(Characteristic)
    /// Somebody else was connected and is disconnected.
    case turnedAway
    /// The phone disconnected; bluetoothd does not say why.
    case disconnected
}
