/// A portrait that browsers show.
package struct ShownPortrait: Equatable, Sendable, CustomStringConvertible {
    /// `image/jpeg` or `image/png`.
    package let mediaType: String
    package let bytes: [UInt8]

    /// Never the picture.
    package var description: String { "ShownPortrait(\(mediaType))" }

    /// Nil where the bytes are neither.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            mediaType = "image/jpeg"
        } else if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            mediaType = "image/png"
        } else {
            return nil
        }
        self.bytes = bytes
    }
}
