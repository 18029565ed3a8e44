internal import MdocModel

/// The sequence numbers in the messages of a session that began with an NFC v2 handover (draft of the second
/// edition).
///
/// Each direction counts from 0. The numbers are outside the encryption and protect nothing.
struct SequenceNumbers: Sendable {
    let areUsed: Bool
    private(set) var notes: [SequenceNote] = []
    private var sent: UInt64 = 0
    private var received: UInt64 = 0

    init(_ handover: Handover) {
        areUsed = handover.numbersMessages
    }

    /// Returns the number of the next message to send. Nil if the session's messages have no numbers.
    mutating func next() -> UInt64? {
        guard areUsed else { return nil }
        defer { sent += 1 }
        return sent
    }

    /// Compares the number of a received message with the expected number, and records an unexpected number.
    mutating func record(_ number: UInt64?) {
        guard areUsed else { return }
        if number == nil { notes.append(.missing(expected: received)) }
        if let number, number != received { notes.append(.other(number, expected: received)) }
        // The next expected number follows the received one, so one gap is recorded once. The mdoc chooses
        // the number, so `&+` lets the greatest number wrap to 0 instead of stopping the program.
        received = (number ?? received) &+ 1
    }
}

/// A finding about the sequence number of a message from the mdoc.
package enum SequenceNote: Equatable, Sendable {
    case missing(expected: UInt64)
    case other(UInt64, expected: UInt64)
}
