/// ISO/IEC 18013-5 (second edition), BLE over L2CAP: messages put together from chunks of any size.
///
/// Room for a message is taken once, by the announced length and after the cap was checked (Q194).
package struct L2CAPMessageAssembly: Sendable {
    private enum Stage {
        case head(UInt32, count: Int)
        case message(length: Int)
    }

    private let maximumLength: Int
    private var stage = Stage.head(0, count: 0)
    private var message: [UInt8] = []

    /// Messages of at most `maximumLength` bytes.
    package init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// How many bytes of the incomplete message have come.
    package var count: Int { message.count }

    package var hasBegun: Bool {
        if case .head(_, count: 0) = stage { false } else { true }
    }

    /// Takes bytes up to the end of a message and gives the message, or takes all bytes. After an error there is
    /// nothing more to take.
    package mutating func append(_ bytes: inout ArraySlice<UInt8>) throws(BLEFault) -> [UInt8]? {
        while case .head(let begun, let count) = stage {
            guard let byte = bytes.popFirst() else { return nil }
            let head = begun << 8 | UInt32(byte)
            if count == 3 { try begin(head) } else { stage = .head(head, count: count + 1) }
        }
        guard case .message(let length) = stage else { return nil }
        let part = bytes.prefix(length - message.count)
        bytes = bytes.dropFirst(part.count)
        message += part
        guard message.count == length else { return nil }
        defer { self = L2CAPMessageAssembly(maximumLength: maximumLength) }
        return message
    }

    /// A peer of the first edition sends its message without a length: the CBOR map's first bytes read as one of
    /// gigabytes (Q66).
    private mutating func begin(_ announced: UInt32) throws(BLEFault) {
        guard announced > 0 else { throw .messageEmpty }
        guard let length = Int(exactly: announced), length <= maximumLength else {
            if announced >= 1 << 24 { throw .notFramed }
            throw .messageTooLong(announced: Int(announced), limit: maximumLength)
        }
        message.reserveCapacity(length)
        stage = .message(length: length)
    }
}

/// ISO/IEC 18013-5 (second edition), BLE over L2CAP: a message behind its length.
package struct L2CAPFrame: Equatable, Sendable {
    /// The four bytes of the length, big-endian.
    package let head: [UInt8]
    /// The message; it shares the storage of what was given.
    package let message: ArraySlice<UInt8>

    /// Nil for an empty message, which cannot be sent, and for one of 4 GiB.
    package init?(_ message: ArraySlice<UInt8>) {
        guard !message.isEmpty, let length = UInt32(exactly: message.count) else { return nil }
        head = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
        self.message = message
    }
}
