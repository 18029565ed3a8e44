/// ISO/IEC 18013-5, 8.3.3.1.1.6: a message put together from characteristic values of any size (Q68, Q69).
///
/// The memory held grows with what has come, never with what is yet to come (Q194).
package struct BLEMessageAssembly: Sendable {
    private let maximumLength: Int
    private let fullValue: Int
    private var message: [UInt8] = []
    /// How many values that were not the last of their message had another size than the full one: worth a
    /// diagnostic, and nothing more (Q68).
    package private(set) var oddValues = 0

    /// Messages of at most `maximumLength` bytes, from values that should have `fullValue` bytes.
    package init(maximumLength: Int, fullValue: Int) {
        self.maximumLength = maximumLength
        self.fullValue = fullValue
    }

    /// How many bytes of the incomplete message have come.
    package var count: Int { message.count }

    package var hasBegun: Bool { !message.isEmpty }

    /// Takes a value; gives the message where the value was its last. After an error there is nothing more to take.
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
            guard hasBegun else { throw .messageEmpty }
            defer { message = [] }
            return message
        }
    }
}
