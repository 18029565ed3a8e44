extension CBORMap {
    /// The value of a text key; `nil` if the key is absent.
    package subscript(_ key: StaticString) -> CBORItem? {
        values(of: [key])[0]
    }

    /// Returns the values of up to eight text keys, which are found in one pass over the map.
    package func values(of keys: [StaticString]) -> CBORValues {
        let bytes = members.rest
        var values = CBORValues(bytes: bytes)
        let span = bytes.span
        var position = 0
        while position < span.count {
            let keyEnd = CBORWalker.endOfChecked(span, from: position)
            let end = CBORWalker.endOfChecked(span, from: keyEnd)
            if let index = span.index(ofText: position, until: keyEnd, in: keys) {
                values.starts[index] = keyEnd
                values.counts[index] = end - keyEnd
            }
            position = end
        }
        return values
    }

    /// The value of an integer key; `nil` if the key is absent.
    package subscript(_ key: Int64) -> CBORItem? {
        let major: UInt8 = key < 0 ? 1 : 0
        // The argument of a negative integer is the complement of its bits (RFC 8949 3.1).
        let argument = key < 0 ? ~UInt64(bitPattern: key) : UInt64(key)
        let bytes = members.rest
        let span = bytes.span
        var position = 0
        while position < span.count {
            let head = CBORHead(checked: span, at: position)
            let keyEnd = CBORWalker.endOfChecked(span, from: position)
            let end = CBORWalker.endOfChecked(span, from: keyEnd)
            if head.major == major, head.argument == argument {
                return CBORItem(checked: bytes[(bytes.startIndex + keyEnd)..<(bytes.startIndex + end)])
            }
            position = end
        }
        return nil
    }
}

/// A byte string in a map with integer keys.
package struct CBORBytePlace: Sendable {
    package let key: UInt64
    /// The range of the content in the received buffer.
    package let place: Range<Int>
}

extension CBORMap {
    /// Returns the byte strings of a map whose keys are unsigned integers, in the order received. A byte
    /// string in chunks has no single range; its range is empty.
    ///
    /// - Throws: `unexpectedType` if a key is not an unsigned integer or a value is not a byte string.
    package func placesOfByteStrings() throws(CBORError) -> [CBORBytePlace] {
        let bytes = members.rest
        let span = bytes.span
        var places: [CBORBytePlace] = []
        var position = 0
        while position < span.count {
            let key = CBORHead(checked: span, at: position)
            guard key.major == 0 else {
                throw .unexpectedType(expected: .unsigned, at: bytes.startIndex + position)
            }
            position += key.size
            let value = CBORHead(checked: span, at: position)
            guard value.major == 2 else {
                throw .unexpectedType(expected: .byteString, at: bytes.startIndex + position)
            }
            let start = bytes.startIndex + position + value.size
            places.append(CBORBytePlace(key: key.argument, place: start..<(start + Int(value.argument))))
            position = CBORWalker.endOfChecked(span, from: position)
        }
        return places
    }
}

/// The result of looking up several keys: one value for each key, in the order of the keys. The value of an
/// absent key is `nil`.
package struct CBORValues: Sendable {
    fileprivate let bytes: ArraySlice<UInt8>
    // `starts` and `counts` are vectors, because reading an element of an `InlineArray` would copy this
    // struct and retain the buffer.
    /// The position of each value within the members.
    fileprivate var starts = SIMD8<Int>()
    /// The size of each value; 0 if the key is absent.
    fileprivate var counts = SIMD8<Int>()

    fileprivate init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// The value of the key at `index` in the list of keys.
    package subscript(_ index: Int) -> CBORItem? {
        guard counts[index] > 0 else { return nil }
        let start = bytes.startIndex + starts[index]
        return CBORItem(checked: bytes[start..<(start + counts[index])])
    }

    /// Whether one of the values at `indices` is null or undefined.
    package func hasNull(at indices: ClosedRange<Int>) -> Bool {
        indices.contains { CBORItem.isNullOrUndefined(initial(at: $0)) }
    }

    /// Whether one of the values at `indices` is a string, array or map of indefinite length.
    package func hasIndefiniteLength(at indices: ClosedRange<Int>) -> Bool {
        indices.contains { CBORItem.hasIndefiniteLength(initial(at: $0)) }
    }

    /// Returns the first byte of a value; `nil` if the key is absent.
    private func initial(at index: Int) -> UInt8? {
        counts[index] > 0 ? bytes[bytes.startIndex + starts[index]] : nil
    }
}

extension Span<UInt8> {
    /// Returns the index of the text that is equal to the item from `position` to `end`; `nil` if there is
    /// none.
    fileprivate func index(ofText position: Int, until end: Int, in texts: [StaticString]) -> Int? {
        let head = CBORHead(checked: self, at: position)
        guard head.major == 3 else { return nil }
        let content = position + head.size
        for index in texts.indices {
            let text = texts[index]
            let isText =
                head.isIndefinite
                ? holdsChunks(of: text, from: content)
                : end - content == text.utf8CodeUnitCount && equals(text, from: content, count: end - content)
            if isText { return index }
        }
        return nil
    }

    /// Whether `count` bytes from `start` are equal to the bytes of `text` from `offset` on.
    private func equals(_ text: StaticString, from start: Int, at offset: Int = 0, count: Int) -> Bool {
        let content = extracting(start..<(start + count))
        return text.withUTF8Buffer { characters in
            let characters = unsafe characters[offset..<(offset + count)]
            var matched = 0
            for character in unsafe characters {
                guard content[matched] == character else { return false }
                matched &+= 1
            }
            return true
        }
    }

    /// Whether the chunks from `start` on are equal to a text when they are joined.
    private func holdsChunks(of text: StaticString, from start: Int) -> Bool {
        var position = start
        var matched = 0
        while self[position] != 0xff {
            let head = CBORHead(checked: self, at: position)
            let count = Int(head.argument)
            guard count <= text.utf8CodeUnitCount - matched,
                equals(text, from: position + head.size, at: matched, count: count)
            else { return false }
            matched += count
            position += head.size + count
        }
        return matched == text.utf8CodeUnitCount
    }
}
