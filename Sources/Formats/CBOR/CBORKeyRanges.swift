/// The places of one map's keys, to find two that are the same value. The first eight need no heap.
struct CBORKeyRanges {
    private static let inlineCount = 8
    private var first = InlineArray<8, Range<Int>>(repeating: 0..<0)
    private var more: [Range<Int>] = []
    private var count = 0
    private var allPreferred = true

    mutating func append(_ range: Range<Int>, isPreferred: Bool) {
        if count < Self.inlineCount { first[count] = range } else { more.append(range) }
        count += 1
        allPreferred = allPreferred && isPreferred
    }

    func refuseDuplicates(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        guard allPreferred else { return try refuseEqualValues(in: span, base: base) }
        if count <= Self.inlineCount { return try refuseAmongFew(in: span, base: base) }
        try refuseAmongMany(in: span, base: base)
    }

    /// Preferred encodings of equal values are equal bytes.
    private func refuseAmongFew(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        guard count > 1 else { return }
        for later in 1..<count {
            for earlier in 0..<later where areEqual(first[earlier], first[later], in: span) {
                throw .duplicateKey(at: base + first[later].lowerBound)
            }
        }
    }

    private func areEqual(_ one: Range<Int>, _ other: Range<Int>, in span: borrowing Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        var offset = 0
        while offset < one.count {
            if span[one.lowerBound + offset] != span[other.lowerBound + offset] { return false }
            offset += 1
        }
        return true
    }

    private func refuseAmongMany(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        var seen = Set<[UInt8]>(minimumCapacity: count)
        for index in 0..<count {
            let range = range(at: index)
            var key: [UInt8] = []
            key.reserveCapacity(range.count)
            for position in range { key.append(span[position]) }
            guard seen.insert(key).inserted else { throw .duplicateKey(at: base + range.lowerBound) }
        }
    }

    /// Some key is not in its preferred encoding: compare what they encode, written anew.
    private func refuseEqualValues(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        var seen = Set<[UInt8]>(minimumCapacity: count)
        for index in 0..<count {
            let range = range(at: index)
            var key: [UInt8] = []
            _ = try appendPreferred(of: span, from: range.lowerBound, base: base, to: &key)
            guard seen.insert(key).inserted else { throw .duplicateKey(at: base + range.lowerBound) }
        }
    }

    private func range(at index: Int) -> Range<Int> {
        index < Self.inlineCount ? first[index] : more[index - Self.inlineCount]
    }
}

/// Appends the item at `start` with shortest heads and definite lengths, its members in the order they came;
/// the position after it. The item was checked before.
private func appendPreferred(
    of span: borrowing Span<UInt8>, from start: Int, base: Int, to output: inout [UInt8]
) throws(CBORError) -> Int {
    let head = try CBORHead(span, at: start, base: base)
    var position = start + head.size
    guard head.major != 7 else {
        for index in start..<position { output.append(span[index]) }
        return position
    }
    var members: [UInt8] = []
    var count = head.argument
    if head.isIndefinite {
        count = 0
        while span[position] != 0xff {
            if head.major < 4 {
                let chunk = try CBORHead(span, at: position, base: base)
                position += chunk.size
                for _ in 0..<chunk.argument {
                    members.append(span[position])
                    position += 1
                }
                count += chunk.argument
            } else {
                position = try appendPreferred(of: span, from: position, base: base, to: &members)
                count += 1
            }
        }
        position += 1
        if head.major == 5 { count /= 2 }
    } else if head.major == 2 || head.major == 3 {
        for _ in 0..<count {
            members.append(span[position])
            position += 1
        }
    } else if head.major >= 4 {
        let items = head.major == 4 ? count : head.major == 5 ? 2 * count : 1
        for _ in 0..<items { position = try appendPreferred(of: span, from: position, base: base, to: &members) }
    }
    CBOREncoder.appendHead(major: head.major, argument: count, to: &output)
    output.append(contentsOf: members)
    return position
}
