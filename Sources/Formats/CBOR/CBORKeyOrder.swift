/// Watches the keys of one map go by. Keys that ascend are no two the same, which most maps with many keys show
/// without a second look.
struct CBORKeyOrder {
    private var last = 0..<0
    private var isAscending = true
    /// Whether no other bytes encode the value of any of the keys.
    private(set) var allHaveOneEncoding = true

    /// Whether no two of the keys can be the same value.
    var provesDistinct: Bool { isAscending && allHaveOneEncoding }

    /// Takes the next key.
    mutating func note(_ key: Range<Int>, isPreferred: Bool, in span: borrowing Span<UInt8>) {
        allHaveOneEncoding = allHaveOneEncoding && isPreferred && Self.hasOneEncoding(span[key.lowerBound])
        isAscending = isAscending && precedes(last, key, in: span)
        last = key
    }

    /// Whether an item that begins like this and is in preferred form has no other such encoding: integers,
    /// strings and simple values. Floats have widths, maps an order of members, and both may stand within others.
    private static func hasOneEncoding(_ initial: UInt8) -> Bool {
        initial < 0x80 || (0xe0...0xf8).contains(initial)
    }

    private func precedes(_ one: Range<Int>, _ other: Range<Int>, in span: borrowing Span<UInt8>) -> Bool {
        let shared = min(one.count, other.count)
        var offset = 0
        while offset < shared {
            let (left, right) = (span[one.lowerBound + offset], span[other.lowerBound + offset])
            if left != right { return left < right }
            offset += 1
        }
        return one.count < other.count
    }
}
