/// The medium of one session with a phone: an NFC transfer, a Bluetooth link, both at the same time (NFC v2),
/// or the bench link (a TCP connection to a software wallet).
///
/// `RunningTransaction.complete(_:over:)` uses every carrier in the same way, in the task of the
/// presentation:
/// 1. `exchange(_:report:)` sends one encrypted request and returns the phone's message. Exchanges follow one
///    another.
/// 2. `sent` and `mayBeSent` then tell when the request was sent, and whether a part of the request may have
///    reached the phone. `RunningTransaction` needs both for the `Presentation`.
/// 3. `terminate(sending:)` is called once at the end, after success, failure and cancellation alike.
///
/// A carrier moves bytes within the deadlines of the plan and reports progress. A carrier decrypts, decodes
/// and judges nothing, and never repeats a request. Another tap gets another carrier.
///
/// The error type `End` depends on whether another tap may follow an error. Over NFC `End` is `TapEnd`,
/// because another tap may succeed. For other carriers `End` is `PresentationFailure`.
protocol SessionCarrier {
    /// The reason why an exchange gave no answer.
    associatedtype End: Error

    /// The instant at which the message of the last exchange was sent; `nil` if it was not sent.
    var sent: ContinuousClock.Instant? { get }
    /// Whether a part of the last exchange's message may have reached the phone.
    var mayBeSent: Bool { get }

    /// Sends a message and waits for the phone's message.
    ///
    /// - Parameter report: called with `awaitingConsent` when the holder is asked for consent, and with
    ///   `receiving` when the answer begins.
    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(End) -> CarriedAnswer

    /// Notifies the phone of the end of the session, also after cancellation.
    ///
    /// - Parameter message: the termination message; `nil` if the phone ended the session.
    /// - Returns: the part of the notification that continues while the outcome is shown (Q76); `nil` if
    ///   no part of it continues.
    mutating func terminate(sending message: [UInt8]?) async -> Task<Void, Never>?

    /// Returns the error for a failure after which another tap would not help.
    static func end(_ failure: PresentationFailure) -> End
}

/// The phone's answer to one message.
enum CarriedAnswer {
    /// A message. `began` is the instant of its first byte; `nil` if the carrier does not know it.
    case message([UInt8], began: ContinuousClock.Instant?)
    /// The phone ended the transfer without a message.
    case ended
}

extension SessionCarrier {
    var mayBeSent: Bool { sent != nil }
}

extension SessionCarrier where End == PresentationFailure {
    static func end(_ failure: PresentationFailure) -> PresentationFailure { failure }
}
