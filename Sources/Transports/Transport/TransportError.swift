package import SystemPackage

/// An error of a ``MessageChannel``, its socket or its address. No case carries message bytes.
package enum TransportError: Error, Equatable, Sendable {
    /// The address is not loopback, and the caller did not allow other addresses.
    case addressNotLoopback
    /// The address is neither `localhost` nor a numeric IPv4 or IPv6 address.
    case addressNotNumeric
    /// The peer did not accept the connection, or this address cannot be used for listening.
    case connectionRefused(Errno)
    /// The wait did not end before its deadline.
    case deadlinePassed(ChannelDeadline)
    /// A frame of `length` bytes was announced or is to be sent; at most `limit` bytes are allowed.
    case frameTooLong(length: Int, limit: Int)
    /// The peer closed the connection in the middle of a frame.
    case truncatedFrame
    /// The channel was closed by this side or by the peer.
    case closed(by: ChannelSide)
    case cancelled
    /// Another task already sends or receives in this direction. Two tasks must not mix their frames.
    case alreadyWaiting
    /// Any other error of a system call.
    case system(Errno)
}

/// A wait of a channel that has a separate deadline.
package enum ChannelDeadline: Sendable {
    /// The wait until the peer has accepted the connection.
    case connect
    /// The wait for the first byte of the next frame.
    case nextFrame
    /// The time from a frame's first byte to its last, in either direction.
    case frame
}

/// The side that closed a channel.
package enum ChannelSide: Sendable {
    case own
    case peer
}
