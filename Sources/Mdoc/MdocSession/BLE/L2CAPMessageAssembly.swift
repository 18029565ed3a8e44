/// The assembly of messages from chunks of any size on an L2CAP channel (ISO/IEC 18013-5, second edition, BLE
/// over L2CAP).
///
/// Memory for a message is reserved once, after the announced length was compared with the limit (Q194).
package struct L2CAPMessageAssembly: Sendable {
    private enum Stage {
        /// The length before the message. `count` of its four bytes have come.
        case head(UInt32, count: Int)
        case message(length: Int)
    }

    private let maximumLength: Int
    private var stage = Stage.head(0, count: 0)
    private var message: [UInt8] = []

    /// Creates an assembly of messages of at most `maximumLength` bytes.
    package init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// The number of bytes of the incomplete message so far.
    package var count: Int { message.count }

    package var hasBegun: Bool {
        if case .head(_, count: 0) = stage { false } else { true }
    }

    /// Removes from `bytes` the rest of a message, or all bytes if the message is not complete yet. Do not
    /// call this function again after an error.
    ///
    /// - Returns: the complete message, otherwise `nil`.
    package mutating func append(_ bytes: inout ArraySlice<UInt8>) throws(BLEFault) -> [UInt8]? {
        // A chunk may end within the four bytes of the length, so they are read one by one.
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
        // The next message begins with an empty assembly.
        defer { self = L2CAPMessageAssembly(maximumLength: maximumLength) }
        return message
    }

    /// Begins a message of the announced length, in bytes.
    private mutating func begin(_ announced: UInt32) throws(BLEFault) {
        guard announced > 0 else { throw .messageEmpty }
        guard let length = Int(exactly: announced), length <= maximumLength else {
            // A peer of the first edition sends no length (Q66). Its message begins with a CBOR map, whose
            // first four bytes read as a length of gigabytes.
            if announced >= 1 << 24 { throw .notFramed }
            throw .messageTooLong(announced: Int(announced), limit: maximumLength)
        }
        message.reserveCapacity(length)
        stage = .message(length: length)
    }
}

/// A message and the length that precedes it on an L2CAP channel (ISO/IEC 18013-5, second edition, BLE over
/// L2CAP).
package struct L2CAPFrame: Equatable, Sendable {
    /// The four bytes of the length, big-endian.
    package let head: [UInt8]
    /// The message, which shares the storage of the bytes passed to `init`.
    package let message: ArraySlice<UInt8>

    /// Creates the frame of a message.
    ///
    /// - Returns: `nil` for an empty message, and for a message of 4 GiB or more.
    package init?(_ message: ArraySlice<UInt8>) {
        guard !message.isEmpty, let length = UInt32(exactly: message.count) else { return nil }
        head = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
        self.message = message
    }
}
