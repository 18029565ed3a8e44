/// What the machine of a transfer over Bluetooth Low Energy asks of its driver.
package enum BLEAction: Equatable, Sendable {
    /// Pass this to the link piece by piece, then call `sent`. Continue to call `receive` meanwhile.
    case transmit(BLETransmission)
    /// Do nothing until then, and call `expire`; nil while no message is expected.
    case wait(until: ContinuousClock.Instant?)
    /// The peer's message, and when its first byte came: consent ended there (Q88).
    case deliver([UInt8], began: ContinuousClock.Instant)
    /// Write this to State, or notify it, then call `sent`.
    case signalState(BLEStateValue)
    /// The transfer is over; call `end` once to notify the peer of the end, and close.
    case end(BLEEndReason)
}

/// One message in the form in which the link takes it.
package enum BLETransmission: Equatable, Sendable {
    /// Characteristic values, one after another.
    case values(BLEFragments)
    /// Bytes of an L2CAP channel.
    case frame(L2CAPFrame)
}

/// What a link of Bluetooth Low Energy gives.
package enum BLEEvent: Equatable, Sendable {
    /// A value of Client2Server or Server2Client; over L2CAP the next bytes.
    case value(ArraySlice<UInt8>)
    case state(ArraySlice<UInt8>)
    /// The link is closed, by the peer or by accident.
    case closed
}

/// How the link separates messages.
package enum BLEFraming: Hashable, Sendable {
    /// Characteristic values of at most `valueLimit` bytes, prefix included.
    case characteristics(valueLimit: Int)
    /// Lengths on an L2CAP channel. There is no State.
    case l2CAP
}
