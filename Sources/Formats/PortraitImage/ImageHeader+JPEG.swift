extension ImageHeader {
    static let endOfImage: UInt8 = 0xd9
    static let startOfScan: UInt8 = 0xda

    /// Reads the segments of a JPEG image up to its end marker (ITU-T T.81 Annex B).
    static func parseJPEG(
        _ reader: inout ImageReader, _ limits: ImageLimits
    ) throws(ImageHeaderError) -> ImageHeader {
        let start = reader.index
        var size: (width: UInt32, height: UInt32)?
        var hasScan = false
        // Skips the marker that starts the image.
        try reader.skip(2)
        for _ in 0..<limits.parts {
            let marker = try nextMarker(&reader)
            if marker == endOfImage {
                guard let size, hasScan else { throw .malformed(at: reader.index) }
                return try ImageHeader(
                    .jpeg, width: size.width, height: size.height, image: start..<reader.index,
                    limits: limits)
            }
            var segment = try nextSegment(&reader)
            switch marker {
            // Baseline, extended sequential and progressive frames.
            case 0xc0, 0xc1, 0xc2:
                guard size == nil else { throw .malformed(at: segment.index) }
                size = try parseFrame(&segment)
            // Lossless, hierarchical and arithmetic-coded frames, and the segment DNL, which states the
            // image's height only after the first scan.
            case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf, 0xdc: throw .unsupported(at: segment.index)
            case startOfScan:
                guard size != nil else { throw .malformed(at: segment.index) }
                hasScan = true
                try skipScan(&reader)
            // Tables, the restart interval, application segments and comments.
            case 0xc4, 0xcc, 0xdb, 0xdd, 0xe0...0xef, 0xfe: break
            default: throw .malformed(at: segment.index)
            }
        }
        // The loop has ended without the end of the image, so the image has more segments than the limit.
        throw .tooLarge
    }

    /// Reads the next marker and the fill bytes before it.
    static func nextMarker(_ reader: inout ImageReader) throws(ImageHeaderError) -> UInt8 {
        guard try reader.byte() == 0xff else { throw .malformed(at: reader.index - 1) }
        var marker = try reader.byte()
        while marker == 0xff { marker = try reader.byte() }
        return marker
    }

    /// Reads the length of a segment, and returns a reader for its content.
    static func nextSegment(_ reader: inout ImageReader) throws(ImageHeaderError) -> ImageReader {
        let length = Int(try reader.uint16())
        guard length >= 2 else { throw .malformed(at: reader.index - 2) }
        return try reader.part(length - 2)
    }

    /// Reads the size from a frame header with one or three components (B.2.2).
    private static func parseFrame(
        _ segment: inout ImageReader
    ) throws(ImageHeaderError) -> (width: UInt32, height: UInt32) {
        // The first byte is the number of bits of a sample.
        guard try segment.byte() == 8 else { throw .unsupported(at: segment.index - 1) }
        let height = UInt32(try segment.uint16())
        let width = UInt32(try segment.uint16())
        let components = try segment.byte()
        guard components == 1 || components == 3 else { throw .unsupported(at: segment.index - 1) }
        guard segment.left == 3 * Int(components) else { throw .malformed(at: segment.index) }
        return (width, height)
    }

    /// Skips entropy-coded data up to the next marker. Stuffed bytes and restart markers belong to the data
    /// (B.1.1.5).
    private static func skipScan(_ reader: inout ImageReader) throws(ImageHeaderError) {
        while true {
            try reader.skip(upTo: 0xff)
            switch try reader.peek(1) {
            case 0x00, 0xd0...0xd7: try reader.skip(2)
            // This is a fill byte before a marker (B.1.1.2).
            case 0xff: try reader.skip(1)
            default: return
            }
        }
    }
}
