/// Why there is no portrait to show.
package enum PortraitDecoderError: Error, Equatable, Sendable {
    /// The decoder does not start: it is not where it should be, or the system is short of something.
    case notStarted
    /// The decoder could not confine itself, and so read nothing.
    case notConfined
    /// The portrait does not decode, or is cut short.
    case malformed
    /// A kind of image that is not shown.
    case unsupported
    /// More bytes, pixels, tiles or parts than a portrait has, or more output than those can make.
    case tooLarge
    /// The decoder did not end in time, and was ended.
    case overdue
    /// The decoder was ended by a signal: it used more than it may, or called what it must not.
    case ended(signal: Int32)
    /// The decoder ended in a way that it does not have.
    case unexpected
}
