/// The exit status of `countersign-portrait`.
package enum PortraitEnd: Int32, CaseIterable, Sendable {
    /// The image was written to standard output as JPEG or PNG.
    case shown = 0
    /// The program was called with arguments, but accepts none.
    case usage = 64
    /// The image cannot be decoded, or ends too early.
    case malformed = 65
    /// The image has a format that is not supported for portraits, or uses a feature that portraits do not
    /// need.
    case unsupported = 66
    /// The image has more bytes, pixels, tiles or parts than a portrait may have.
    case tooLarge = 67
    /// The process could not restrict its own system calls (`Confinement`), and therefore did not read the
    /// image.
    case notConfined = 69
    /// Reading the input or writing the output failed.
    case broken = 74
}
