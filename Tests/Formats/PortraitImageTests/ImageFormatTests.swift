import PortraitImage
import Testing

@Suite("Formats of portraits")
struct ImageFormatTests {
    private static func box(_ brand: String) -> [UInt8] { [0, 0, 0, 0x1c] + Array("ftyp\(brand)".utf8) }

    @Test(
        "Q155 A portrait's format is told by its first bytes, not by hope",
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe0], ImageFormat.jpeg),
            ([0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a], .jpeg2000),
            ([0xff, 0x4f, 0xff, 0x51, 0], .jpeg2000),
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .png), (Array("GIF89a".utf8), .gif),
            (Array("RIFF1234WEBPVP8 ".utf8), .webp), (box("avif"), .avif), (box("avis"), .avif),
            (box("heic"), .heic), (box("mif1"), .heic), ([0xff, 0x0a, 1], .jpegXL),
            (Array("II*\0".utf8), .tiff),
            (Array("BM1234".utf8), .bmp), ([0xff, 0xd8], nil), ([0x89, 0x50, 0x4e, 0x47], nil), ([], nil),
            ([UInt8](repeating: 0, count: 64), nil), (Array("RIFF1234WAVE".utf8), nil), (box("isom"), nil),
            (Array("<svg xmlns=".utf8), nil),
        ] as [([UInt8], ImageFormat?)])
    func formats(_ bytes: [UInt8], _ format: ImageFormat?) {
        #expect(ImageFormat(bytes[...]) == format)
    }

    @Test("JPEG and JPEG 2000 are a portrait's formats, and no other")
    func ofPortraits() {
        #expect(ImageFormat.allCases.filter(\.isOfPortraits) == [.jpeg, .jpeg2000])
        #expect(Set(ImageFormat.allCases.map(\.mediaType)).count == ImageFormat.allCases.count)
    }
}
