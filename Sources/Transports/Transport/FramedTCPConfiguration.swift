/// The limits of a ``FramedTCPChannel``.
package struct FramedTCPConfiguration: Sendable {
    /// Longest frame, in bytes without its length, that is sent or accepted.
    package var maximumFrame: Int
    /// How long a connection may take to be accepted.
    package var connect: Duration
    /// How long the peer may be silent before its next frame; nil leaves that to the caller's own deadline.
    package var nextFrame: Duration?
    /// How long one frame may take from its first byte to its last, in either direction.
    package var frame: Duration

    package init(
        maximumFrame: Int = 1 << 20, connect: Duration = .seconds(10), nextFrame: Duration? = nil,
        frame: Duration = .seconds(30)
    ) {
        self.maximumFrame = min(max(maximumFrame, 0), Int(UInt32.max))
        self.connect = connect
        self.nextFrame = nextFrame
        self.frame = frame
    }
}
