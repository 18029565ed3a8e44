/// How `countersign-portrait` ends: its exit status.
package enum PortraitEnd: Int32, CaseIterable, Sendable {
    /// The image is on standard output, as JPEG or PNG.
    case shown = 0
    /// It takes no arguments.
    case usage = 64
    /// The image does not decode, or ends too early.
    case malformed = 65
    /// None of the kinds of image that portraits have, or written in a way that they have no need of.
    case unsupported = 66
    /// More bytes, pixels, tiles or parts than a portrait has.
    case tooLarge = 67
    /// The process could not be confined, and so read nothing.
    case notConfined = 69
    /// Input or output broke.
    case broken = 74
}
