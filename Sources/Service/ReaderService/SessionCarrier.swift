/// What carries the messages of one session with a phone: an NFC transfer, a Bluetooth link or the bench link.
protocol SessionCarrier {
    /// Why there is no answer.
    associatedtype End: Error

    /// When the message of the last exchange was sent; nil if it was not.
    var sent: ContinuousClock.Instant? { get }
    /// Whether a part of that message may have reached the phone.
    var mayBeSent: Bool { get }

    /// Sends a message and waits for the phone's. Reports that the holder is asked, and that the answer begins.
    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(End) -> CarriedAnswer

    /// Notifies the phone that the session ends, also after cancellation. A nil message means that the phone ended
    /// the session.
    ///
    /// - Returns: what still happens with the phone while the outcome may be shown (Q76).
    mutating func terminate(sending message: [UInt8]?) async -> Task<Void, Never>?

    /// The end for a failure that another exchange would not repair.
    static func end(_ failure: PresentationFailure) -> End
}

enum CarriedAnswer {
    /// `began` is when its first byte came; nil if the carrier does not know.
    case message([UInt8], began: ContinuousClock.Instant?)
    /// It ended the transfer without a message.
    case ended
}

extension SessionCarrier {
    var mayBeSent: Bool { sent != nil }
}

extension SessionCarrier where End == PresentationFailure {
    static func end(_ failure: PresentationFailure) -> PresentationFailure { failure }
}
