/// Why bytes are not taken as a portrait.
package enum ImageHeaderError: Error, Equatable, Sendable {
    /// None of JPEG, PNG and JPEG 2000.
    case kindUnknown
    /// The image ends before it should.
    case truncated(at: Int)
    /// Something is not what the format has at this place.
    case malformed(at: Int)
    /// Beyond the limits: of bytes, sides, pixels, tiles or parts.
    case tooLarge
    /// A way to write an image that portraits have no need of.
    case unsupported(at: Int)
}
