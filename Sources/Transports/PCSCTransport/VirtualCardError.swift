/// What goes wrong between a ``VirtualCard`` and the virtual reader.
package enum VirtualCardError: Error, Equatable, Sendable {
    /// Nothing took the connection in time: no virtual reader listens there.
    case readerUnreachable
    /// An answer of `length` bytes; the reader's length field counts to 65,535.
    case answerTooLong(length: Int)
    /// The task that waited was cancelled.
    case cancelled
}

/// What a virtual card does with a command.
package enum CardAnswer: Equatable, Sendable {
    /// Answers; data and status word.
    case respond([UInt8])
    /// Answers later, like a phone whose holder must consent first.
    case respondLater([UInt8], after: Duration)
    /// Is pulled out of the field instead of answering.
    case removeCard
}

/// What the reader does to the card's power.
package enum CardPower: UInt8, Sendable {
    case off = 0
    case on = 1
    case reset = 2
}
