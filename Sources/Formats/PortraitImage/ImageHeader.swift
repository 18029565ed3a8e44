/// The kind and size of an image, read without decoding a pixel. ISO/IEC 18013-5 7.2.1 allows JPEG and JPEG
/// 2000 for portraits; wallets send PNG too.
package struct ImageHeader: Equatable, Sendable {
    package enum Kind: Sendable {
        case jpeg, png
        /// JPEG 2000, as a JP2 file or as a bare codestream.
        case jpeg2000
    }

    package let kind: Kind
    package let width: Int
    package let height: Int
    /// The range of the image in the bytes, without the boxes around it and the bytes after it.
    package let image: Range<Int>

    /// Parses the header of a JPEG, PNG or JPEG 2000 image, and checks the image against the limits. Decodes
    /// no pixel.
    package static func parse(
        _ bytes: ArraySlice<UInt8>, limits: ImageLimits = .portrait
    ) throws(ImageHeaderError) -> ImageHeader {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        var reader = ImageReader(bytes)
        switch ImageFormat(bytes) {
        case .jpeg: return try parseJPEG(&reader, limits)
        case .png: return try parsePNG(&reader, limits)
        case .jpeg2000 where reader.starts(with: jp2Signature): return try parseJP2(&reader, limits)
        case .jpeg2000: return try parseCodestream(bytes.indices, of: bytes, limits)
        default: throw .kindUnknown
        }
    }

    /// Creates a header.
    ///
    /// - Throws: `tooLarge` if the image exceeds the limits, `malformed` if a side is 0.
    init(
        _ kind: Kind, width: UInt32, height: UInt32, image: Range<Int>, limits: ImageLimits
    ) throws(ImageHeaderError) {
        guard width > 0, height > 0 else { throw .malformed(at: image.lowerBound) }
        guard width <= limits.side, height <= limits.side, Int(width) * Int(height) <= limits.pixels else {
            throw .tooLarge
        }
        self.kind = kind
        self.width = Int(width)
        self.height = Int(height)
        self.image = image
    }
}

/// The limits for a portrait. ISO/IEC 18013-5 prescribes no size. Wallets send portraits from 192 × 240 to
/// about 1000 × 1300 pixels.
package struct ImageLimits: Sendable {
    /// The maximum number of bytes.
    package let bytes: Int
    /// The maximum width and height in pixels.
    package let side: Int
    /// The maximum number of pixels.
    package let pixels: Int
    /// The maximum number of tiles of a JPEG 2000 image. A decoder needs memory for each tile before it
    /// decodes the first pixel.
    package let tiles: Int
    /// The maximum number of segments, chunks or boxes.
    package let parts: Int

    package init(
        bytes: Int = 1 << 20, side: Int = 4096, pixels: Int = 1 << 22, tiles: Int = 64, parts: Int = 4096
    ) {
        self.bytes = bytes
        self.side = side
        self.pixels = pixels
        self.tiles = tiles
        self.parts = parts
    }

    package static let portrait = ImageLimits()
}

/// A reason why an image is refused as a portrait.
package enum ImageHeaderError: Error, Equatable, Sendable {
    /// The image is neither JPEG, PNG nor JPEG 2000.
    case kindUnknown
    /// The image ends too early.
    case truncated(at: Int)
    /// The bytes at this index do not follow the format.
    case malformed(at: Int)
    /// The image exceeds a limit for bytes, sides, pixels, tiles or parts.
    case tooLarge
    /// The image uses a feature of its format that portraits do not need.
    case unsupported(at: Int)
}
