/// The check of received CBOR: one pass that finds the end of an item and proves that it is well-formed and
/// valid (RFC 8949 5.3).
///
/// For each item the walker
///
/// - reads the head and refuses reserved forms and truncation,
/// - checks that a length or count does not exceed the bytes that are left, before it is used,
/// - validates text as UTF-8,
/// - refuses nesting beyond `depthLimit`, which also bounds the recursion of the walker (Q196),
/// - refuses a map with two keys of the same value, whatever their encoding (Q142),
/// - records departures from preferred serialization in `form` (Q141).
///
/// The walker allocates nothing, except for a map whose keys have to be compared a second time. It creates no
/// items. `CBORItem.parse` uses it once; later reads use `endOfChecked(_:from:)`, which checks nothing.
/// Positions are relative to the span; errors add `base`, so that they state the index in the received
/// buffer.
struct CBORWalker {
    /// The index of the span's first byte in the received buffer.
    let base: Int
    /// The maximum nesting of arrays, maps and tags.
    let depthLimit: Int
    /// The departures from preferred serialization so far.
    var form: EncodingForm = []

    /// Checks the item at `start` and returns the position after it.
    mutating func end(of span: borrowing Span<UInt8>, from start: Int, depth: Int = 0) throws(CBORError)
        -> Int
    {
        let head = try CBORHead(span, at: start, base: base)
        if head.isLongerThanNeeded { form.insert(.longerHead) }
        if head.isIndefinite { return try endOfIndefinite(span, head.major, from: start, depth: depth) }
        let content = start + head.size
        switch head.major {
        case 0, 1: return content
        case 2, 3: return try endOfString(span, head, content: content)
        case 4, 5: return try endOfContainer(span, head, from: start, depth: depth)
        case 6:
            try enter(depth, at: start)
            return try end(of: span, from: content, depth: depth + 1)
        default:
            if head.information == 24, head.argument < 32 {
                throw .reservedSimpleValue(at: base + start)
            }
            return content
        }
    }

    /// Throws `tooDeep` if one more level would exceed the limit.
    private func enter(_ depth: Int, at position: Int) throws(CBORError) {
        guard depth < depthLimit else { throw .tooDeep(at: base + position) }
    }

    /// Returns the end of a string of definite length, after checking that all its bytes are present and that
    /// a text is UTF-8.
    private func endOfString(
        _ span: borrowing Span<UInt8>, _ head: CBORHead, content: Int
    ) throws(CBORError) -> Int {
        guard head.argument <= UInt64(span.count - content) else { throw .truncated(at: base + span.count) }
        let end = content + Int(head.argument)
        if head.major == 3 { try checkUTF8(span, content..<end) }
        return end
    }

    /// Checks an array or map of definite length and returns its end.
    private mutating func endOfContainer(
        _ span: borrowing Span<UInt8>, _ head: CBORHead, from start: Int, depth: Int
    ) throws(CBORError) -> Int {
        try enter(depth, at: start)
        var position = start + head.size
        // Each item has at least one byte. A count above the number of bytes that are left is refused before
        // the loop, so that a head of 9 bytes cannot make the loop run 2^64 times.
        guard head.argument <= UInt64(span.count - position) else { throw .truncated(at: base + span.count) }
        if head.major == 4 {
            for _ in 0..<head.argument { position = try end(of: span, from: position, depth: depth + 1) }
            return position
        }
        let members = position
        var order = CBORKeyOrder()
        for _ in 0..<head.argument {
            position = try endOfEntry(span, from: position, depth: depth, order: &order)
        }
        try refuseDuplicates(order, in: span, members: members..<position)
        return position
    }

    /// Checks a key of a map and its value, records the key in `order`, and returns the end of the value.
    private mutating func endOfEntry(
        _ span: borrowing Span<UInt8>, from start: Int, depth: Int, order: inout CBORKeyOrder
    ) throws(CBORError) -> Int {
        // The form of the key decides how the key is compared, so it is recorded separately from the form of
        // the other items.
        let outer = form
        form = []
        let keyEnd = try end(of: span, from: start, depth: depth + 1)
        order.record(start..<keyEnd, isPreferred: form.isEmpty, in: span)
        form.formUnion(outer)
        return try end(of: span, from: keyEnd, depth: depth + 1)
    }

    /// Throws `duplicateKey` if two keys of a map have the same value. The keys are compared only if `order`
    /// does not prove that all differ.
    private func refuseDuplicates(
        _ order: CBORKeyOrder, in span: borrowing Span<UInt8>, members: Range<Int>
    ) throws(CBORError) {
        guard !order.provesDistinct else { return }
        try CBORKeyRanges(of: members, in: span)
            .refuseDuplicates(in: span, comparingBytes: order.allHaveOneEncoding, base: base)
    }

    /// Checks an item of indefinite length and returns its end. Only strings, arrays and maps can have an
    /// indefinite length. A "break" is refused, because it does not begin an item.
    private mutating func endOfIndefinite(
        _ span: borrowing Span<UInt8>, _ major: UInt8, from start: Int, depth: Int
    ) throws(CBORError) -> Int {
        form.insert(.indefiniteLength)
        switch major {
        case 2, 3: return try endOfChunks(span, major, from: start + 1)
        case 4, 5:
            try enter(depth, at: start)
            return try endOfOpenContainer(span, isMap: major == 5, from: start + 1, depth: depth)
        case 7: throw .unexpectedBreak(at: base + start)
        default: throw .reservedAdditionalInformation(at: base + start)
        }
    }

    /// Checks the chunks of a string of indefinite length, from the first chunk on, and returns the position
    /// after the "break".
    private mutating func endOfChunks(
        _ span: borrowing Span<UInt8>, _ major: UInt8, from start: Int
    ) throws(CBORError) -> Int {
        var position = start
        while true {
            let head = try CBORHead(span, at: position, base: base)
            if head.major == 7, head.isIndefinite { return position + 1 }
            guard head.major == major, !head.isIndefinite else { throw .misplacedChunk(at: base + position) }
            if head.isLongerThanNeeded { form.insert(.longerHead) }
            position = try endOfString(span, head, content: position + head.size)
        }
    }

    /// Checks the members of an array or map of indefinite length, from the first member on, and returns the
    /// position after the "break".
    private mutating func endOfOpenContainer(
        _ span: borrowing Span<UInt8>, isMap: Bool, from start: Int, depth: Int
    ) throws(CBORError) -> Int {
        var position = start
        var order = CBORKeyOrder()
        while true {
            guard position < span.count else { throw .truncated(at: base + position) }
            if span[position] == 0xff { break }
            position =
                isMap
                ? try endOfEntry(span, from: position, depth: depth, order: &order)
                : try end(of: span, from: position, depth: depth + 1)
        }
        if isMap { try refuseDuplicates(order, in: span, members: start..<position) }
        return position + 1
    }

    /// Checks that a text is UTF-8. Most texts are ASCII, and a loop over the bytes detects ASCII faster
    /// than the validation of UTF-8.
    private func checkUTF8(_ span: borrowing Span<UInt8>, _ range: Range<Int>) throws(CBORError) {
        let text = span.extracting(range)
        var seen: UInt8 = 0
        for index in text.indices { seen |= text[index] }
        guard seen >= 0x80 else { return }
        do {
            _ = try UTF8Span(validating: text)
        } catch {
            throw .invalidUTF8(at: base + range.lowerBound)
        }
    }
}
