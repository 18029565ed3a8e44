/// A fault that ends a transfer over Bluetooth Low Energy.
package enum BLEFault: Error, Equatable, Sendable {
    /// The link ended before the transfer was complete.
    case linkLost
    /// The phase took longer than its deadline.
    case deadlinePassed
    /// The peer ended the session with State 02 before its message was complete.
    case endedWithinMessage
    /// An unknown value of State, with the first byte of the value. Nil if the value was empty.
    case stateUnknown(UInt8?)
    /// A characteristic value without a prefix, or with nothing after the prefix 01.
    case valueEmpty
    /// A prefix other than 00 and 01.
    case prefixUnknown(UInt8)
    /// An empty message.
    case messageEmpty
    /// The message exceeds `limit` bytes (Q194). `announced` is the length that L2CAP announces, or the
    /// number of bytes received so far.
    case messageTooLong(announced: Int, limit: Int)
    /// A message came while an earlier message still waited for delivery.
    case messageUnexpected
    /// The bytes over L2CAP do not begin with a length. Peers of the first edition send such bytes (Q66).
    case notFramed
    /// The driver made a call that is not allowed in the present state of the transfer.
    case outOfTurn
}

extension BLEFault: Identifiable {
    /// The fault's name, which never changes.
    package var id: String {
        switch self {
        case .linkLost: "ble.link_lost"
        case .deadlinePassed: "ble.overdue"
        case .endedWithinMessage: "ble.ended_within_message"
        case .stateUnknown: "ble.state_unknown"
        case .valueEmpty: "ble.value_empty"
        case .prefixUnknown: "ble.prefix_unknown"
        case .messageEmpty: "ble.message_empty"
        case .messageTooLong: "ble.message_too_long"
        case .messageUnexpected: "ble.message_unexpected"
        case .notFramed: "ble.not_framed"
        case .outOfTurn: "ble.out_of_turn"
        }
    }
}

extension BLEFault {
    var explanation: String {
        switch self {
        case .linkLost: "the phone disconnected"
        case .deadlinePassed: "the phone did not answer in time"
        case .endedWithinMessage: "the phone ended the transfer in the middle of a message"
        case .stateUnknown: "the phone sent an unknown value in the Bluetooth characteristic State"
        case .valueEmpty: "the phone sent a fragment without content"
        case .prefixUnknown: "the phone sent a fragment that begins with neither 00 nor 01"
        case .messageEmpty: "the phone sent an empty message"
        case .messageTooLong(let announced, let limit):
            "the phone sent a message of \(announced) bytes; at most \(limit) are allowed"
        case .messageUnexpected: "the phone sent an unexpected message"
        case .notFramed:
            "the phone sent a message over L2CAP without its length in front, as in an older edition of ISO/IEC 18013-5"
        case .outOfTurn: "a message was sent in the wrong order, which is an error of this program: report it"
        }
    }
}

/// The reason that a transfer over Bluetooth Low Energy ended. The value holds no bytes of messages.
package enum BLEEndReason: Error, Equatable, Sendable {
    /// This side ended the transfer.
    case finished
    /// The peer ended the transfer with State 02 between messages. In the phase `awaitResponse` this means
    /// that the holder declined.
    case terminated(BLEPhase)
    /// The peer closed the link after every message had an answer, which is a normal end (Q78).
    case disconnected
    /// The transfer failed with this fault in this phase (Q89).
    case failed(BLEPhase, BLEFault)

    /// The reason as a text for people, with the phase of a fault (Q89).
    package var explanation: String {
        switch self {
        case .finished: "this reader ended the transfer"
        case .terminated(let phase): "the phone ended the transfer \(phase.words)"
        case .disconnected: "the phone disconnected"
        case .failed(let phase, let fault):
            "Bluetooth failed \(phase.words): \(fault.explanation)"
        }
    }
}
