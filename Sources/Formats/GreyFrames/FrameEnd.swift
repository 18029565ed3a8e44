/// The exit status of `countersign-qrcode`.
package enum FrameEnd: Int32, CaseIterable, Sendable {
    /// The frame was read. Standard output has the text of the longest phone's code, or nothing if there is
    /// none.
    case read = 0
    /// The program was called with arguments, but accepts none.
    case usage = 64
    /// The input is no frame: its size is not accepted, or bytes are missing or too many.
    case malformed = 65
    /// The process could not restrict its own system calls, and therefore did not read the frame.
    case notConfined = 69
    /// The library failed, or the output was not accepted.
    case broken = 74
}
