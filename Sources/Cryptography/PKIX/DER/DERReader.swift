/// A strict reader of DER (X.690 10), one element after the other: single-byte tags, definite lengths in
/// their shortest form, and nothing after the end. All results are slices of the received buffer.
package struct DERReader: Sendable {
    /// The maximum nesting of constructed elements.
    package static let maximumDepth = 16

    private let bytes: ArraySlice<UInt8>
    private let end: Int
    private let depth: Int
    /// The index of the next element in the received buffer.
    package private(set) var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes, in: bytes.indices, depth: 0)
    }

    private init(_ bytes: ArraySlice<UInt8>, in range: Range<Int>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
        position = range.lowerBound
        end = range.upperBound
    }

    /// Returns the available contents of an element whose end may be missing; `nil` if `bytes` do not begin
    /// an element with `tag`.
    static func contents(of tag: UInt8, begunBy bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= 2, bytes.first == tag,
            let (start, count) = try? DERReader(bytes).readLength(at: bytes.startIndex + 1)
        else { return nil }
        return bytes[start...].prefix(count)
    }

    /// Whether all elements were read.
    package var isAtEnd: Bool { position == end }

    package var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    package mutating func readElement() throws(PKIXError) -> DERElement {
        let start = position
        let contents = try next()
        return DERElement(encoding: bytes[start..<position], contentsStart: contents.lowerBound)
    }

    package mutating func readElement(_ tag: UInt8) throws(PKIXError) -> DERElement {
        try expect(tag)
        return try readElement()
    }

    /// Reads an element, which must have `tag`, and returns its contents.
    package mutating func read(_ tag: UInt8) throws(PKIXError) -> ArraySlice<UInt8> {
        try expect(tag)
        return bytes[try next()]
    }

    /// Reads the next element if it has `tag`, and returns its contents; otherwise returns `nil`.
    package mutating func readOptional(_ tag: UInt8) throws(PKIXError) -> ArraySlice<UInt8>? {
        nextTag == tag ? try read(tag) : nil
    }

    /// Reads an element, which must have `tag`, and returns a reader for the elements in it.
    package mutating func enter(_ tag: UInt8) throws(PKIXError) -> DERReader {
        guard depth < Self.maximumDepth else { throw .nestedTooDeeply(at: position) }
        try expect(tag)
        return DERReader(bytes, in: try next(), depth: depth + 1)
    }

    /// Throws `trailingBytes` unless all elements were read.
    package func finish() throws(PKIXError) {
        guard isAtEnd else { throw .trailingBytes(at: position) }
    }

    private func expect(_ tag: UInt8) throws(PKIXError) {
        guard let next = nextTag else { throw .truncated(at: position) }
        guard next == tag else { throw .unexpectedTag(at: position) }
    }

    /// Skips the next element and returns the range of its contents.
    private mutating func next() throws(PKIXError) -> Range<Int> {
        let start = position
        guard end - start >= 2 else { throw .truncated(at: start) }
        // X.509 has no tags of several bytes.
        guard bytes[start] & 0x1f != 0x1f else { throw .unexpectedTag(at: start) }
        let (contents, count) = try readLength(at: start + 1)
        guard count <= end - contents else { throw .truncated(at: start) }
        position = contents + count
        return contents..<position
    }

    /// Reads a length (X.690 8.1.3 and 10.1). Returns the start of the contents, and their size.
    private func readLength(at index: Int) throws(PKIXError) -> (Int, Int) {
        let first = bytes[index]
        if first < 0x80 { return (index + 1, Int(first)) }
        let size = Int(first & 0x7f)
        // Size 0 is the indefinite form, which DER forbids. More than four bytes would mean at least 4 GiB.
        guard (1...4).contains(size) else { throw .lengthNotDistinguished(at: index) }
        guard end - index > size else { throw .truncated(at: index) }
        var count = 0
        for next in index + 1...index + size { count = count << 8 | Int(bytes[next]) }
        // DER allows only the shortest form of a length (X.690 10.1).
        guard count > 0x7f, bytes[index + 1] != 0 else { throw .lengthNotDistinguished(at: index) }
        return (index + 1 + size, count)
    }
}

/// An element of DER.
package struct DERElement: Sendable {
    /// The complete encoding: tag, length and contents.
    package let encoding: ArraySlice<UInt8>
    fileprivate let contentsStart: Int

    /// The identifier octet, the first byte.
    package var tag: UInt8 { encoding[encoding.startIndex] }

    package var contents: ArraySlice<UInt8> { encoding[contentsStart...] }
}
