/// Checks the keys of one map as they are read. Keys in ascending order are all different, and so are keys that
/// differ in a few bits of their length, first and last character. For most maps one of the two is enough.
struct CBORKeyOrder {
    private var last = 0..<0
    private var isAscending = true
    private var areApart = true
    /// A bit for each mark that a key had.
    private var marks: UInt64 = 0
    /// Whether no other bytes encode the value of any of the keys.
    private(set) var allHaveOneEncoding = true

    /// Whether no two of the keys can be the same value.
    var provesDistinct: Bool { (isAscending || areApart) && allHaveOneEncoding }

    mutating func note(_ key: Range<Int>, isPreferred: Bool, in span: borrowing Span<UInt8>) {
        allHaveOneEncoding = allHaveOneEncoding && isPreferred && Self.hasOneEncoding(span[key.lowerBound])
        isAscending = isAscending && precedes(last, key, in: span)
        last = key
        let mark = Self.mark(of: key, in: span)
        areApart = areApart && marks & mark == 0
        marks |= mark
    }

    /// One of 64 bits, the same for the same key.
    private static func mark(of key: Range<Int>, in span: borrowing Span<UInt8>) -> UInt64 {
        let characters = span[min(key.lowerBound + 1, key.upperBound - 1)] ^ span[key.upperBound - 1]
        return 1 << UInt64((characters ^ UInt8(truncatingIfNeeded: key.count)) & 63)
    }

    /// Whether an item that begins like this and is in preferred form has no other such encoding: integers, strings
    /// and simple values. Floats have several widths, maps have an order of members, and both may be nested in
    /// others.
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
