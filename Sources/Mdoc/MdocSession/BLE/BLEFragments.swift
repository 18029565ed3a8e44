/// A message cut into characteristic values (ISO/IEC 18013-5, 8.3.3.1.1.6). Each value has a prefix byte and
/// a part of the message. All values but the last have the full size (Q68).
package struct BLEFragments: Sequence, Equatable, Sendable {
    /// The first byte of a value.
    package enum Prefix: UInt8, Sendable {
        /// The message ends with this value.
        case last = 0
        /// The message continues in the next value.
        case more = 1
    }

    /// Returns the size of all values but the last, in bytes: `valueLimit`, but at least 2 and at most 512.
    ///
    /// Bluetooth Core, Volume 3 Part F 3.2.9 limits a value to 512 bytes, even if the MTU is larger (Q67). A
    /// value of fewer than 2 bytes would have no room for data beside the prefix.
    static func fullValue(within valueLimit: Int) -> Int { Swift.min(Swift.max(valueLimit, 2), 512) }

    private var rest: ArraySlice<UInt8>
    private let longestPart: Int

    /// Creates values of at most `valueLimit` bytes, prefix included. A limit below 2 counts as 2, and a
    /// limit above 512 counts as 512.
    ///
    /// - Returns: `nil` for an empty message, which cannot be sent.
    package init?(_ message: ArraySlice<UInt8>, valueLimit: Int) {
        guard !message.isEmpty else { return nil }
        rest = message
        // One byte of each value is the prefix.
        longestPart = Self.fullValue(within: valueLimit) - 1
    }

    package consuming func makeIterator() -> Iterator {
        Iterator(self)
    }

    /// An iterator over the values in their order. Their parts share the message's storage.
    package struct Iterator: IteratorProtocol {
        private var fragments: BLEFragments

        fileprivate init(_ fragments: consuming BLEFragments) {
            self.fragments = fragments
        }

        package mutating func next() -> (prefix: Prefix, part: ArraySlice<UInt8>)? {
            guard !fragments.rest.isEmpty else { return nil }
            let part = fragments.rest.prefix(fragments.longestPart)
            fragments.rest = fragments.rest.dropFirst(part.count)
            return (fragments.rest.isEmpty ? .last : .more, part)
        }
    }
}
