extension ImageHeader {
    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    private static let header = chunkType("IHDR")
    private static let data = chunkType("IDAT")
    private static let end = chunkType("IEND")
    /// The types of the chunks that occur only in an animated image, which is refused as a portrait.
    private static let animation = ["acTL", "fcTL", "fdAT"].map(chunkType)

    private static func chunkType(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    /// Reads the chunks of a PNG image up to its end (ISO/IEC 15948).
    static func parsePNG(
        _ reader: inout ImageReader, _ limits: ImageLimits
    ) throws(ImageHeaderError) -> ImageHeader {
        let start = reader.index
        try reader.skip(pngSignature.count)
        var chunk = try nextChunk(&reader)
        // The first chunk has 13 bytes, and begins with the width and the height.
        guard chunk.type == header, chunk.contents.left == 13 else { throw .malformed(at: start) }
        let (width, height) = (try chunk.contents.uint32(), try chunk.contents.uint32())
        var hasData = false
        for _ in 0..<limits.parts {
            chunk = try nextChunk(&reader)
            switch chunk.type {
            case end:
                guard hasData, chunk.contents.left == 0 else { throw .malformed(at: reader.index) }
                return try ImageHeader(
                    .png, width: width, height: height, image: start..<reader.index, limits: limits)
            case data: hasData = true
            case header: throw .malformed(at: chunk.contents.index)
            default:
                guard !animation.contains(chunk.type) else { throw .unsupported(at: chunk.contents.index) }
            }
        }
        throw .tooLarge
    }

    /// Reads a chunk: length, type, contents and checksum.
    private static func nextChunk(
        _ reader: inout ImageReader
    ) throws(ImageHeaderError) -> (type: UInt32, contents: ImageReader) {
        let length = try reader.uint32()
        let type = try reader.uint32()
        let contents = try reader.part(Int(length))
        // The four bytes are the chunk's checksum, which is not checked here.
        try reader.skip(4)
        return (type, contents)
    }
}
