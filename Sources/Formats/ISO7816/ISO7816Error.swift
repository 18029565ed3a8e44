/// An error in a received APDU or data object.
package enum ISO7816Error: Error, Equatable, Sendable {
    /// A response APDU has fewer than two bytes. This means that the card was removed (Q132).
    case responseWithoutStatus(count: Int)
    /// A command APDU ends inside its header or its announced data.
    case truncated(at: Int)
    /// The length fields of a command APDU do not agree with its size.
    case lengthMismatch
    /// A data object begins with another tag than 53.
    case unexpectedTag(UInt8)
    /// A data object's length field is not one of the forms of one to four bytes.
    case unsupportedLengthForm(UInt8)
}
