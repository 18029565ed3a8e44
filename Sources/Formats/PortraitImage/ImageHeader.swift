/// What an image says of itself before a pixel of it is decoded (ISO/IEC 18013-5, 7.2.2: a portrait is JPEG or
/// JPEG 2000; wallets send PNG as well).
package struct ImageHeader: Equatable, Sendable {
    package enum Kind: Sendable {
        case jpeg, png
        /// JPEG 2000, in a JP2 file or bare.
        case jpeg2000
    }

    package let kind: Kind
    package let width: Int
    package let height: Int
    /// The bytes that are the image: what follows it, and boxes around it, are left aside.
    package let image: Range<Int>

    /// Reads the header within the limits. No pixel is decoded.
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

    /// The header, if the image is not larger than allowed.
    init(
        _ kind: Kind, _ width: UInt32, _ height: UInt32, _ image: Range<Int>, _ limits: ImageLimits
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

/// What is taken as a portrait. ISO/IEC 18013-5 names no size; wallets send from 192 × 240 to about 1000 × 1300.
package struct ImageLimits: Sendable {
    package let bytes: Int
    package let side: Int
    package let pixels: Int
    /// Tiles of a JPEG 2000 image; each costs memory before one pixel is read.
    package let tiles: Int
    /// Segments, chunks or boxes.
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
