/// The assembly of a message from characteristic values of any size (ISO/IEC 18013-5, 8.3.3.1.1.6; Q68, Q69).
///
/// The memory of an assembly grows with the bytes that were received, never with an announced length (Q194).
package struct BLEMessageAssembly: Sendable {
    private let maximumLength: Int
    private let fullValue: Int
    private var message: [UInt8] = []
    /// The number of values that were shorter or longer than `fullValue`. The last value of each message is
    /// not counted. Values of other sizes are accepted, so the number is only a diagnostic (Q68).
    package private(set) var oddValues = 0

    /// Creates an assembly of messages of at most `maximumLength` bytes, from values that should have
    /// `fullValue` bytes.
    package init(maximumLength: Int, fullValue: Int) {
        self.maximumLength = maximumLength
        self.fullValue = fullValue
    }

    /// The number of bytes of the incomplete message so far.
    package var count: Int { message.count }

    package var hasBegun: Bool { !message.isEmpty }

    /// Appends a value to the message. Do not call this function again after an error.
    ///
    /// - Returns: the complete message if `value` was its last value, otherwise `nil`.
    package mutating func append(_ value: ArraySlice<UInt8>) throws(BLEFault) -> [UInt8]? {
        guard let first = value.first else { throw .valueEmpty }
        guard let prefix = BLEFragments.Prefix(rawValue: first) else { throw .prefixUnknown(first) }
        let part = value.dropFirst()
        guard part.count <= maximumLength - message.count else {
            throw .messageTooLong(announced: message.count + part.count, limit: maximumLength)
        }
        message += part
        switch prefix {
        case .more:
            guard !part.isEmpty else { throw .valueEmpty }
            if value.count != fullValue { oddValues += 1 }
            return nil
        case .last:
            // A last value without content is accepted, but only after other values (Q69).
            guard hasBegun else { throw .messageEmpty }
            defer { message = [] }
            return message
        }
    }
}
