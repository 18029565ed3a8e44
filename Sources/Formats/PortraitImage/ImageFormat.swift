/// The format of an image, determined from its first bytes. ISO/IEC 18013-5 7.2.1 allows JPEG and JPEG 2000
/// for portraits; wallets send other formats too (Q155, Q225).
package enum ImageFormat: String, CaseIterable, Sendable {
    case jpeg = "JPEG"
    case jpeg2000 = "JPEG 2000"
    case png = "PNG"
    case gif = "GIF"
    case webp = "WebP"
    case avif = "AVIF"
    case heic = "HEIC"
    case jpegXL = "JPEG XL"
    case tiff = "TIFF"
    case bmp = "BMP"

    /// Determines the format of an image; `nil` if it is unknown. A WebP file begins with `RIFF`, a size of
    /// four bytes, and the name `WEBP`.
    package init?(_ bytes: ArraySlice<UInt8>) {
        if let found = Self.signatures.first(where: { bytes.starts(with: $0.bytes) }) {
            self = found.format
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else if let format = Self(brandOf: bytes) {
            self = format
        } else {
            return nil
        }
    }

    private static let signatures: [(bytes: [UInt8], format: ImageFormat)] = [
        ([0xff, 0xd8, 0xff], .jpeg), (ImageHeader.jp2Signature, .jpeg2000),
        (ImageHeader.codestreamStart, .jpeg2000), (ImageHeader.pngSignature, .png),
        (Array("GIF8".utf8), .gif), ([0xff, 0x0a], .jpegXL),
        ([0, 0, 0, 12] + Array("JXL ".utf8), .jpegXL), (Array("II*\0".utf8), .tiff),
        (Array("MM\0*".utf8), .tiff), (Array("BM".utf8), .bmp),
    ]

    /// Determines the format of a file of ISO/IEC 14496-12 from the brand in its first box.
    private init?(brandOf bytes: ArraySlice<UInt8>) {
        guard bytes.dropFirst(4).starts(with: "ftyp".utf8) else { return nil }
        // The brand follows the size of the box and the name `ftyp`, of four bytes each.
        switch String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self) {
        case "avif", "avis": self = .avif
        case "heic", "heix", "heim", "heis", "hevc", "mif1", "msf1": self = .heic
        default: return nil
        }
    }

    /// Whether ISO/IEC 18013-5 7.2.1 allows the format for a portrait.
    package var isOfPortraits: Bool { self == .jpeg || self == .jpeg2000 }

    /// The media type for an HTTP response.
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .jpeg2000: "image/jp2"
        case .png: "image/png"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .jpegXL: "image/jxl"
        case .tiff: "image/tiff"
        case .bmp: "image/bmp"
        }
    }

    /// The indefinite article before the format's name.
    package var article: String { self == .avif ? "an" : "a" }
}
