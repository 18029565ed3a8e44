/// An action that the driver of an NFC state machine has to do.
package enum NFCAction<Delivery: Sendable>: Sendable {
    /// Send this command APDU, and pass its response to `receive`.
    case transmit([UInt8])
    /// Do nothing until this instant, then call `expire`.
    case wait(until: ContinuousClock.Instant)
    /// A result of the machine.
    case deliver(Delivery)
    /// The machine has ended. Every further call returns this action again.
    case end(NFCEndReason)
}

extension NFCAction: Equatable where Delivery: Equatable {}
