/// What an NFC machine asks of its driver.
package enum NFCAction<Delivery: Sendable>: Sendable {
    /// Send this one command APDU and feed the answer to `receive`.
    case transmit([UInt8])
    /// Do nothing until then, and call `expire`.
    case wait(until: ContinuousClock.Instant)
    /// A result.
    case deliver(Delivery)
    /// The machine is done for; every further call gives the same answer.
    case end(NFCEndReason)
}

extension NFCAction: Equatable where Delivery: Equatable {}
