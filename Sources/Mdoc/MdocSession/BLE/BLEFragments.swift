/// ISO/IEC 18013-5, 8.3.3.1.1.6: a message cut into characteristic values, each of a prefix byte and a part of the
/// message. All but the last have full size (Q68).
package struct BLEFragments: Sequence, Equatable, Sendable {
    /// The first byte of a value.
    package enum Prefix: UInt8, Sendable {
        /// The message ends with this value.
        case last = 0
        /// More follows.
        case more = 1
    }

    /// The size of all values but the last: Bluetooth Core, Volume 3 Part F 3.2.9 has none above 512 bytes, whatever
    /// MTU was agreed on (Q67); with a limit below 2 nothing could be sent.
    static func fullValue(within valueLimit: Int) -> Int { Swift.min(Swift.max(valueLimit, 2), 512) }

    private var rest: ArraySlice<UInt8>
    private let longestPart: Int

    /// Values of at most `valueLimit` bytes, prefix included, and never more than 512; a limit below 2 counts as 2.
    /// Nil for an empty message, which cannot be sent.
    package init?(_ message: ArraySlice<UInt8>, valueLimit: Int) {
        guard !message.isEmpty else { return nil }
        rest = message
        longestPart = Self.fullValue(within: valueLimit) - 1
    }

    package consuming func makeIterator() -> Iterator {
        Iterator(self)
    }

    /// Gives the values in their order; their parts share the message's storage.
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
