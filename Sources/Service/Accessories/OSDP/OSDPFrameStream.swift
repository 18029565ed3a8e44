/// The messages in the bytes of a line, which several peripherals may share.
///
/// Bytes that belong to no message are skipped, among them the mark FF that a sender may put before a message. A start
/// byte in noise may announce a long message that never comes. It cannot hold up the messages after it, because a
/// message that is complete and valid ends the search at once.
struct OSDPFrameStream: Sendable {
    /// The maximum number of bytes that are kept. An incomplete message is shorter than the longest message, so the
    /// limit only cuts off what a stalled driver passes in at once.
    static let limit = 4 * OSDPFrame.sizes.upperBound

    private var bytes: ArraySlice<UInt8> = []

    /// Adds received bytes. Call `next()` until it returns `nil` before the next call.
    mutating func append(_ received: ArraySlice<UInt8>) {
        // A new array each time, because a slice keeps all bytes of its array.
        bytes = ([UInt8](bytes) + received.suffix(Self.limit)).suffix(Self.limit)
    }

    /// Removes and returns the next valid message, whatever its address. Returns `nil` if none is complete.
    mutating func next() -> OSDPFrame? {
        /// The first start byte whose message may still become complete.
        var pending: Int?
        var search = bytes
        while let start = search.firstIndex(of: OSDPFrame.start) {
            let candidate = bytes[start...]
            let size = Self.announcedSize(of: candidate)
            if let size, candidate.count >= size {
                if let frame = try? OSDPFrame([UInt8](candidate.prefix(size))) {
                    bytes = candidate.dropFirst(size)
                    return frame
                }
            } else if size != nil || candidate.count < 4 {
                pending = pending ?? start
            }
            search = candidate.dropFirst()
        }
        bytes = pending.map { bytes[$0...] } ?? []
        return nil
    }

    /// Returns the size that a message announces, or `nil` if it is outside the limits or not there yet.
    private static func announcedSize(of message: ArraySlice<UInt8>) -> Int? {
        guard message.count >= 4 else { return nil }
        let size = Int(message[message.startIndex + 2]) | Int(message[message.startIndex + 3]) << 8
        return OSDPFrame.sizes.contains(size) ? size : nil
    }
}
