/// A quick test for duplicate keys, made while the keys of one map are read.
///
/// The test proves that all keys differ if both of these conditions hold: each key has only one possible
/// encoding, and the keys are in ascending order or all have different marks. A mark is one of 64 values,
/// calculated from the length and the first and last character of a key. Most maps fulfil both conditions,
/// and need no second pass.
struct CBORKeyOrder {
    /// The range of the latest key. The initial value is an empty range, which precedes every key.
    private var last = 0..<0
    private var isAscending = true
    /// Whether all keys so far have different marks. The mark of a key is a number from 0 to 63.
    private var areApart = true
    /// The set of marks of the keys so far: bit n stands for the mark n.
    private var marks: UInt64 = 0
    /// Whether each key has only one possible encoding, so that equal values are equal bytes.
    private(set) var allHaveOneEncoding = true

    /// Whether it is proven that all keys have different values.
    var provesDistinct: Bool { (isAscending || areApart) && allHaveOneEncoding }

    /// Records the next key.
    ///
    /// - Parameter isPreferred: whether the key is in preferred serialization.
    mutating func record(_ key: Range<Int>, isPreferred: Bool, in span: borrowing Span<UInt8>) {
        allHaveOneEncoding = allHaveOneEncoding && isPreferred && Self.hasOneEncoding(span[key.lowerBound])
        isAscending = isAscending && precedes(last, key, in: span)
        last = key
        let mark = Self.mark(of: key, in: span)
        areApart = areApart && marks & mark == 0
        marks |= mark
    }

    /// Returns the bit for the mark of a key, which is calculated from the key's length and characters. Keys
    /// with equal bytes have the same mark.
    private static func mark(of key: Range<Int>, in span: borrowing Span<UInt8>) -> UInt64 {
        // A short key has a head of one byte, so its first character is its second byte.
        let characters = span[min(key.lowerBound + 1, key.upperBound - 1)] ^ span[key.upperBound - 1]
        return 1 << UInt64((characters ^ UInt8(truncatingIfNeeded: key.count)) & 63)
    }

    /// Whether an item with this first byte has only one preferred encoding. True for integers, strings and
    /// simple values. False for floats, which have several widths, and for maps, whose members may have any
    /// order. Also false for arrays and tags, which may contain floats and maps.
    private static func hasOneEncoding(_ initial: UInt8) -> Bool {
        initial < 0x80 || (0xe0...0xf8).contains(initial)
    }

    /// Whether a key is smaller than another, compared by bytes.
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
