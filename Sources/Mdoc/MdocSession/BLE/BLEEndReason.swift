/// How a transfer over Bluetooth Low Energy ended. Holds no message bytes.
package enum BLEEndReason: Error, Equatable, Sendable {
    /// We ended it.
    case finished
    /// The peer ended it by State 02 between messages; in `awaitResponse` it has declined.
    case terminated(BLEPhase)
    /// The peer closed the link after every message had its answer: an end as good as any (Q78).
    case disconnected
    /// What happened, in which phase (Q89).
    case failed(BLEPhase, BLEFault)
}
