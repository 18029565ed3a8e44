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

extension BLEEndReason {
    /// What happened, and in which phase (Q89).
    package var explanation: String {
        switch self {
        case .finished: "the transfer was ended here"
        case .terminated(let phase): "the phone ended the transfer in \(phase.rawValue)"
        case .disconnected: "the phone left"
        case .failed(let phase, let fault): "Bluetooth ended in \(phase.rawValue): \(fault.explanation)"
        }
    }
}
