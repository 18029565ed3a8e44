/// A parser that assembles frames from bytes as they arrive. A frame is a 4-byte big-endian length and that
/// many bytes.
///
/// The length is checked before memory is reserved for the frame. A frame may arrive in any number of pieces.
struct FrameReader {
    /// A function that writes received bytes into the buffer. Returns their number, or 0 at the end of the
    /// stream.
    typealias Source = (UnsafeMutableRawBufferPointer) throws(TransportError) -> Int

    private let maximumFrame: Int
    /// The bytes of the current part. The length is one part, the body of the frame is the next.
    private var part = [UInt8](repeating: 0, count: 4)
    private var filled = 0
    private var isInBody = false

    init(maximumFrame: Int) {
        self.maximumFrame = maximumFrame
    }

    /// Whether a frame has begun and is not complete.
    var isInsideFrame: Bool { isInBody || filled > 0 }

    /// Calls `source` once.
    ///
    /// - Returns: a frame if these bytes completed it; `nil` if more bytes are needed.
    /// - Throws: `frameTooLong`, `truncatedFrame`, `closed(by: .peer)`, or an error of `source`.
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
        // A frame of length 0 is complete with its length.
        return filled == part.count ? takeFrame() : nil
    }

    /// Reads the length from the first four bytes, checks it, and prepares the buffer for the body.
    private mutating func beginBody() throws(TransportError) {
        let length = Int(part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        guard length <= maximumFrame else { throw .frameTooLong(length: length, limit: maximumFrame) }
        part = [UInt8](repeating: 0, count: length)
        filled = 0
        isInBody = true
    }

    /// Returns the complete frame, and prepares the parser for the length of the next frame.
    private mutating func takeFrame() -> [UInt8] {
        defer { self = FrameReader(maximumFrame: maximumFrame) }
        return part
    }
}
