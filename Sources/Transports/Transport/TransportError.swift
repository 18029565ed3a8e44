package import SystemPackage

/// What ends or refuses a wait on a ``MessageChannel``. No case carries message bytes.
package enum TransportError: Error, Equatable, Sendable {
    /// The address is not one of this computer's own and the caller did not allow others.
    case addressNotLoopback
    /// The address is neither `localhost` nor a numeric IPv4 or IPv6 address.
    case addressNotNumeric
    /// The peer did not accept the connection, or the address cannot be listened on.
    case connectionRefused(Errno)
    /// The named wait took longer than its deadline.
    case deadlinePassed(ChannelDeadline)
    /// A frame of `length` bytes was announced or is to be sent; at most `limit` are allowed.
    case frameTooLong(length: Int, limit: Int)
    case truncatedFrame
    /// The channel was closed by this side or by the peer.
    case closed(by: ChannelSide)
    case cancelled
    /// Another task already waits in the same direction; frames cannot be interleaved.
    case alreadyWaiting
    case system(Errno)
}

/// The waits of a channel that have a separate deadline.
package enum ChannelDeadline: Sendable {
    /// Until the peer has accepted the connection.
    case connect
    case nextFrame
    /// From a frame's first byte to its last, in either direction.
    case frame
}

package enum ChannelSide: Sendable {
    case own
    case peer
}
