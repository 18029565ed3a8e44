/// What is wrong with received APDU or data object bytes.
package enum ISO7816Error: Error, Equatable, Sendable {
    /// A response APDU of fewer than two bytes: the card was removed (Q132).
    case responseWithoutStatus(count: Int)
    /// A command APDU ends before its header or its announced data.
    case truncated(at: Int)
    /// A command APDU's length fields do not add up to its size.
    case lengthMismatch
    /// A data object begins with another tag than 53.
    case unexpectedTag(UInt8)
    /// A data object's length field is not one of the forms of one to four bytes.
    case unsupportedLengthForm(UInt8)
}
