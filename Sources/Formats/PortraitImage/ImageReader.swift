/// A reader of big-endian numbers that never reads beyond the end of its bytes.
struct ImageReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// All bytes, including those that have been read.
    var all: ArraySlice<UInt8> { bytes }
    var end: Int { bytes.endIndex }
    /// The number of bytes that have not been read.
    var left: Int { bytes.endIndex - index }

    func starts(with prefix: [UInt8]) -> Bool { bytes[index...].starts(with: prefix) }

    /// Returns the byte at `distance` from the current position without moving the position.
    func peek(_ distance: Int = 0) throws(ImageHeaderError) -> UInt8 {
        guard distance < left else { throw .truncated(at: end) }
        return bytes[index + distance]
    }

    mutating func byte() throws(ImageHeaderError) -> UInt8 {
        guard index < bytes.endIndex else { throw .truncated(at: index) }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func uint16() throws(ImageHeaderError) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    mutating func uint32() throws(ImageHeaderError) -> UInt32 {
        let high = try uint16()
        return UInt32(high) << 16 | UInt32(try uint16())
    }

    mutating func skip(_ count: Int) throws(ImageHeaderError) {
        guard count <= left else { throw .truncated(at: end) }
        index += count
    }

    /// Skips to the next byte that is equal to `byte`, and leaves it unread.
    mutating func skip(upTo byte: UInt8) throws(ImageHeaderError) {
        guard let found = bytes[index...].firstIndex(of: byte) else { throw .truncated(at: end) }
        index = found
    }

    /// Returns a reader for the next `count` bytes, and skips them.
    mutating func part(_ count: Int) throws(ImageHeaderError) -> ImageReader {
        let start = index
        try skip(count)
        return ImageReader(bytes[start..<index])
    }
}
