/// The ranges of one map's keys. They are searched for duplicates if `CBORKeyOrder` cannot prove that all
/// keys differ. The first eight ranges need no heap memory.
struct CBORKeyRanges {
    private static let inlineCount = 8
    private var first = InlineArray<8, Range<Int>>(repeating: 0..<0)
    private var more: [Range<Int>] = []
    private var count = 0

    /// Collects the ranges of the keys.
    ///
    /// - Parameter members: the range of the map's members, which have been checked.
    init(of members: Range<Int>, in span: borrowing Span<UInt8>) {
        var position = members.lowerBound
        while position < members.upperBound {
            let keyEnd = CBORWalker.endOfChecked(span, from: position)
            append(position..<keyEnd)
            position = CBORWalker.endOfChecked(span, from: keyEnd)
        }
    }

    private mutating func append(_ range: Range<Int>) {
        if count < Self.inlineCount { first[count] = range } else { more.append(range) }
        count += 1
    }

    /// Throws `duplicateKey` if two keys have the same value.
    ///
    /// - Parameter comparingBytes: whether equal values have equal bytes. If not, the keys are encoded again
    ///   in one form and compared.
    func refuseDuplicates(
        in span: borrowing Span<UInt8>, comparingBytes: Bool, base: Int
    ) throws(CBORError) {
        guard comparingBytes else { return try refuseEqualValues(in: span, base: base) }
        if count <= Self.inlineCount { return try refuseAmongFew(in: span, base: base) }
        try refuseAmongMany(in: span, base: base)
    }

    /// Compares each key with all earlier keys. For few keys this needs no set, and thus no heap memory.
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

    /// Compares the keys: by sorting if all are numbers, and otherwise by a set of their bytes.
    private func refuseAmongMany(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        if areNumbers(in: span) { return try refuseAmongNumbers(in: span, base: base) }
        var seen = Set<[UInt8]>(minimumCapacity: count)
        for index in 0..<count {
            let range = range(at: index)
            var key: [UInt8] = []
            key.reserveCapacity(range.count)
            for position in range { key.append(span[position]) }
            guard seen.insert(key).inserted else { throw .duplicateKey(at: base + range.lowerBound) }
        }
    }

    /// Whether all keys are unsigned integers, which are encoded with a first byte below 20 (hexadecimal).
    private func areNumbers(in span: borrowing Span<UInt8>) -> Bool {
        for index in 0..<count where span[range(at: index).lowerBound] >= 0x20 { return false }
        return true
    }

    /// Compares keys that are all unsigned integers, by sorting. The digest IDs of an MSO are such keys, and
    /// often are not in ascending order.
    private func refuseAmongNumbers(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        var keys: [(value: UInt64, position: Int)] = []
        keys.reserveCapacity(count)
        for index in 0..<count {
            let position = range(at: index).lowerBound
            keys.append((CBORHead(checked: span, at: position).argument, position))
        }
        keys.sort { $0.value < $1.value }
        for (one, other) in zip(keys, keys.dropFirst()) where one.value == other.value {
            throw .duplicateKey(at: base + max(one.position, other.position))
        }
    }

    /// Compares keys by their values, because equal values may have different encodings.
    private func refuseEqualValues(in span: borrowing Span<UInt8>, base: Int) throws(CBORError) {
        var seen = Set<[UInt8]>(minimumCapacity: count)
        for index in 0..<count {
            let range = range(at: index)
            var key: [UInt8] = []
            // The result, the position after the key, is not needed.
            _ = try appendPreferred(of: span, from: range.lowerBound, base: base, to: &key)
            guard seen.insert(key).inserted else { throw .duplicateKey(at: base + range.lowerBound) }
        }
    }

    private func range(at index: Int) -> Range<Int> {
        index < Self.inlineCount ? first[index] : more[index - Self.inlineCount]
    }
}

/// Appends a checked item in a unique form of its value: shortest heads, definite lengths, floats as doubles,
/// map members sorted.
///
/// - Returns: the position after the item.
private func appendPreferred(
    of span: borrowing Span<UInt8>, from start: Int, base: Int, to output: inout [UInt8]
) throws(CBORError) -> Int {
    let head = try CBORHead(span, at: start, base: base)
    let content = start + head.size
    switch head.major {
    case 2, 3: return try appendString(of: span, head, from: content, base: base, to: &output)
    case 4, 5, 6: return try appendMembers(of: span, head, from: content, base: base, to: &output)
    default:
        if let float = head.float {
            // The head of a double is written here, followed by the double's bits in the form of an integer.
            // The result is not valid CBOR, but is used only for comparison.
            output.append(0xfb)
            CBOREncoder.appendHead(major: 0, argument: float.bitPattern, to: &output)
        } else {
            CBOREncoder.appendHead(major: head.major, argument: head.argument, to: &output)
        }
        return content
    }
}

/// Appends a string in its unique form, in which chunks are joined. Returns the position after the string.
private func appendString(
    of span: borrowing Span<UInt8>, _ head: CBORHead, from start: Int, base: Int, to output: inout [UInt8]
) throws(CBORError) -> Int {
    var content: [UInt8] = []
    var position = start
    var chunk = head
    while true {
        if head.isIndefinite {
            // The "break" ends the chunks.
            guard span[position] != 0xff else { break }
            chunk = try CBORHead(span, at: position, base: base)
            position += chunk.size
        }
        for _ in 0..<chunk.argument {
            content.append(span[position])
            position += 1
        }
        guard head.isIndefinite else { break }
    }
    CBOREncoder.appendHead(major: head.major, argument: UInt64(content.count), to: &output)
    output += content
    return head.isIndefinite ? position + 1 : position
}

/// Appends an array, map or tag in its unique form, and returns the position after it. A tag has one member.
private func appendMembers(
    of span: borrowing Span<UInt8>, _ head: CBORHead, from start: Int, base: Int, to output: inout [UInt8]
) throws(CBORError) -> Int {
    var members: [[UInt8]] = []
    var position = start
    let count = head.major == 6 ? 1 : head.argument
    while head.isIndefinite ? span[position] != 0xff : UInt64(members.count) < count {
        // A member of a map is a key with its value.
        var member: [UInt8] = []
        for _ in 0..<(head.major == 5 ? 2 : 1) {
            position = try appendPreferred(of: span, from: position, base: base, to: &member)
        }
        members.append(member)
    }
    if head.major == 5 { members.sort { $0.lexicographicallyPrecedes($1) } }
    let argument = head.major == 6 ? head.argument : UInt64(members.count)
    CBOREncoder.appendHead(major: head.major, argument: argument, to: &output)
    for member in members { output += member }
    return head.isIndefinite ? position + 1 : position
}
