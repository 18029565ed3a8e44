/// Takes bytes as they arrive and gives whole frames: a 4-byte big-endian length, then that many bytes.
///
/// The length is checked before memory is reserved for the frame. A frame may stop in the middle and continue
/// later.
struct FrameReader {
    /// Fills at most the buffer it gets; the number of bytes, 0 at the end of the stream.
    typealias Source = (UnsafeMutableRawBufferPointer) throws(TransportError) -> Int

    private let maximumFrame: Int
    /// The part being filled: the length first, then the frame.
    private var part = [UInt8](repeating: 0, count: 4)
    private var filled = 0
    private var isInBody = false

    init(maximumFrame: Int) {
        self.maximumFrame = maximumFrame
    }

    /// Whether the first byte of a frame is in and the last is not.
    var isInsideFrame: Bool { isInBody || filled > 0 }

    /// Reads through `source` once.
    ///
    /// - Returns: the frame when that made it whole, nil when more must be read.
    /// - Throws: `frameTooLong`, `truncatedFrame`, `closed(by: .peer)`, or what `source` throws.
    mutating func read(from source: Source) throws(TransportError) -> [UInt8]? {
        let start = filled
        let count = try unsafe part.withUnsafeMutableBufferPointer { buffer throws(TransportError) in
            try unsafe source(
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[start...]))
        }
        if count == 0 { throw isInsideFrame ? .truncatedFrame : .closed(by: .peer) }
        filled += count
        guard filled == part.count else { return nil }
        if !isInBody { try beginBody() }
        return filled == part.count ? takeFrame() : nil
    }

    private mutating func beginBody() throws(TransportError) {
        let length = Int(part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        guard length <= maximumFrame else { throw .frameTooLong(length: length, limit: maximumFrame) }
        part = [UInt8](repeating: 0, count: length)
        filled = 0
        isInBody = true
    }

    private mutating func takeFrame() -> [UInt8] {
        defer { self = FrameReader(maximumFrame: maximumFrame) }
        return part
    }
}
