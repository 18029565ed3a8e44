/// An action that the driver of a `BLETransfer` has to do.
package enum BLEAction: Equatable, Sendable {
    /// Pass the message to the link piece by piece, then call `sent`. Continue to call `receive` meanwhile.
    case transmit(BLETransmission)
    /// Do nothing until this instant, then call `expire`. Nil while no message is expected.
    case wait(until: ContinuousClock.Instant?)
    /// The peer's message, and the instant at which its first byte came. At a reader, the time for the
    /// holder's decision ends at that instant (Q88).
    case deliver([UInt8], began: ContinuousClock.Instant)
    /// Write this value to the characteristic State, or notify the peer of it, then call `sent`.
    case signalState(BLEStateValue)
    /// The transfer is over. Call `end` once to notify the peer, then close the link.
    case end(BLEEndReason)
}

/// A message in the form in which the link accepts it.
package enum BLETransmission: Equatable, Sendable {
    /// Characteristic values, one after another.
    case values(BLEFragments)
    /// Bytes of an L2CAP channel.
    case frame(L2CAPFrame)
}

/// An event on a link of Bluetooth Low Energy.
package enum BLEEvent: Equatable, Sendable {
    /// A value of Client2Server or Server2Client, or the next bytes of an L2CAP channel.
    case value(ArraySlice<UInt8>)
    /// A value of the characteristic State.
    case state(ArraySlice<UInt8>)
    /// The link is closed, by the peer or by accident.
    case closed
}

/// The way in which the link separates messages.
package enum BLEFraming: Hashable, Sendable {
    /// Characteristic values of at most `valueLimit` bytes, prefix included.
    case characteristics(valueLimit: Int)
    /// A length before each message, on an L2CAP channel. The channel has no characteristic State.
    case l2CAP
}
