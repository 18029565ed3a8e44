internal import MdocModel

/// The numbers of the messages of a session that an NFC v2 handover began (draft of the second edition): from 0 in each
/// direction, one more for each message. They are outside the encryption and protect nothing.
struct SequenceNumbers: Sendable {
    let areUsed: Bool
    private(set) var notes: [SequenceNote] = []
    private var sent: UInt64 = 0
    private var received: UInt64 = 0

    init(_ handover: Handover) {
        areUsed = handover.numbersMessages
    }

    /// The number of the message that is sent next; nil if messages have none.
    mutating func next() -> UInt64? {
        guard areUsed else { return nil }
        defer { sent += 1 }
        return sent
    }

    /// Compares the number of a message that came with the one that it should have.
    mutating func note(_ number: UInt64?) {
        guard areUsed else { return }
        if number == nil { notes.append(.missing(expected: received)) }
        if let number, number != received { notes.append(.other(number, expected: received)) }
        received = (number ?? received) &+ 1
    }
}

/// What is remarkable about the number of a message from the mdoc.
package enum SequenceNote: Equatable, Sendable {
    case missing(expected: UInt64)
    case other(UInt64, expected: UInt64)
}
