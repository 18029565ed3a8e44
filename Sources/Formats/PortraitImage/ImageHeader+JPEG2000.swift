extension ImageHeader {
    /// The signature box of a JP2 file (ISO/IEC 15444-1, I.5.1).
    static let jp2Signature: [UInt8] = [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a]

    /// The markers SOC and SIZ at the beginning of a codestream.
    static let codestreamStart: [UInt8] = [0xff, 0x4f, 0xff, 0x51]

    private enum Box {
        static let header = type("jp2h")
        static let codestream = type("jp2c")
        static let colour = type("colr")
        static let palette = type("pclr")
        static let channelMap = type("cmap")

        private static func type(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Parses the codestream of a JP2 file (Annex I). Images with a colour table are refused.
    static func parseJP2(
        _ reader: inout ImageReader, _ limits: ImageLimits
    ) throws(ImageHeaderError) -> ImageHeader {
        for _ in 0..<limits.parts {
            var box = try nextBox(&reader)
            switch box.type {
            case Box.header: try checkColours(&box.contents, limits)
            case Box.codestream:
                let range = box.contents.index..<box.contents.end
                return try parseCodestream(range, of: reader.all, limits)
            default: break
            }
        }
        throw .tooLarge
    }

    /// Refuses colours that portraits do not need: a palette, or a colour space other than sRGB and grey.
    private static func checkColours(
        _ header: inout ImageReader, _ limits: ImageLimits
    ) throws(ImageHeaderError) {
        for _ in 0..<limits.parts where header.left > 0 {
            var box = try nextBox(&header)
            switch box.type {
            case Box.palette, Box.channelMap: throw .unsupported(at: box.contents.index)
            case Box.colour:
                let method = try box.contents.byte()
                // The two bytes are the precedence and the approximation, which are not used.
                try box.contents.skip(2)
                // With method 1, a number identifies the colour space. Only 16 (sRGB) and 17 (grey) are
                // accepted (I.5.3.3). A colour profile is ignored, because it changes hues but not the face.
                if method == 1, ![16, 17].contains(try box.contents.uint32()) {
                    throw .unsupported(at: box.contents.index)
                }
            default: break
            }
        }
    }

    /// Reads the head of the next box and returns a reader for its contents. A length of 0 means that the box
    /// reaches to the end (I.4).
    private static func nextBox(
        _ reader: inout ImageReader
    ) throws(ImageHeaderError) -> (type: UInt32, contents: ImageReader) {
        let short = try reader.uint32()
        let type = try reader.uint32()
        switch short {
        case 0: return (type, try reader.part(reader.left))
        // The length 1 announces a longer length field, which only boxes above 4 GiB need. The lengths 2 to 7
        // are reserved.
        case 1..<8: throw .unsupported(at: reader.index)
        default: return (type, try reader.part(Int(short) - 8))
        }
    }

    /// Parses the sizes of image and tiles from the segment SIZ, which comes first (A.5.1), and checks that
    /// the codestream is complete.
    static func parseCodestream(
        _ range: Range<Int>, of bytes: ArraySlice<UInt8>, _ limits: ImageLimits
    ) throws(ImageHeaderError) -> ImageHeader {
        var reader = ImageReader(bytes[range])
        guard reader.starts(with: codestreamStart) else { throw .malformed(at: range.lowerBound) }
        try reader.skip(4)
        let length = Int(try reader.uint16())
        guard length >= 2 else { throw .malformed(at: reader.index) }
        var size = try reader.part(length - 2)
        // The two bytes are the capabilities that a decoder needs, which are not checked here.
        try size.skip(2)
        let (right, bottom) = (try size.uint32(), try size.uint32())
        let (left, top) = (try size.uint32(), try size.uint32())
        guard left < right, top < bottom else { throw .malformed(at: size.index) }
        let header = try ImageHeader(
            .jpeg2000, width: right - left, height: bottom - top, image: range, limits: limits)
        try checkTiles(&size, (left, top), (right, bottom), limits)
        try checkComponents(&size)
        try skipTileParts(&reader, limits)
        return header
    }

    /// Skips the marker segments and tile-parts up to the end of the codestream (A.4), to check that the
    /// image is complete.
    private static func skipTileParts(
        _ reader: inout ImageReader, _ limits: ImageLimits
    ) throws(ImageHeaderError) {
        var hasTilePart = false
        for _ in 0..<limits.parts {
            let start = reader.index
            switch try reader.uint16() {
            case Marker.endOfCodestream where hasTilePart: return
            case Marker.startOfTilePart:
                hasTilePart = true
                // The fields Lsot and Isot are before the length. The length counts from the marker.
                try reader.skip(4)
                let length = Int(try reader.uint32())
                guard length > 0 else { return try skipLastTilePart(&reader) }
                guard length >= Marker.tilePartHeader else { throw .malformed(at: start) }
                try reader.skip(length - (reader.index - start))
            // These are the end marker before the first tile-part, markers without a segment, and bytes that
            // are not a marker.
            case Marker.endOfCodestream, 0xff30...0xff3f, 0..<0xff00: throw .malformed(at: start)
            default:
                let length = Int(try reader.uint16())
                guard length >= 2 else { throw .malformed(at: start) }
                try reader.skip(length - 2)
            }
        }
        throw .tooLarge
    }

    /// Skips a last tile-part without a length, which ends with the codestream.
    private static func skipLastTilePart(_ reader: inout ImageReader) throws(ImageHeaderError) {
        guard reader.left >= 2 else { throw .truncated(at: reader.end) }
        try reader.skip(reader.left - 2)
        guard try reader.uint16() == Marker.endOfCodestream else { throw .truncated(at: reader.end) }
    }

    private enum Marker {
        static let startOfTilePart: UInt16 = 0xff90
        static let endOfCodestream: UInt16 = 0xffd9
        /// The number of bytes of a tile-part without data: the segment SOT and the marker SOD.
        static let tilePartHeader = 14
    }

    /// Checks the tile size and the number of tiles.
    private static func checkTiles(
        _ size: inout ImageReader, _ start: (x: UInt32, y: UInt32), _ end: (x: UInt32, y: UInt32),
        _ limits: ImageLimits
    ) throws(ImageHeaderError) {
        let tile = (x: UInt64(try size.uint32()), y: UInt64(try size.uint32()))
        let offset = (x: UInt64(try size.uint32()), y: UInt64(try size.uint32()))
        // The first tile begins at or before the upper left corner of the image, and contains this corner.
        guard tile.x > 0, tile.y > 0, offset.x <= start.x, offset.y <= start.y,
            offset.x + tile.x > start.x, offset.y + tile.y > start.y
        else { throw .malformed(at: size.index) }
        let columns = (UInt64(end.x) - offset.x + tile.x - 1) / tile.x
        let rows = (UInt64(end.y) - offset.y + tile.y - 1) / tile.y
        guard columns <= limits.tiles, rows <= limits.tiles, columns * rows <= limits.tiles else {
            throw .tooLarge
        }
    }

    /// Checks the components. An image has one to four components: grey or three colours, each with or
    /// without transparency. Each component has at most 16 bits, and a sample for at least every second
    /// column and row.
    private static func checkComponents(_ size: inout ImageReader) throws(ImageHeaderError) {
        let count = Int(try size.uint16())
        guard (1...4).contains(count) else { throw .unsupported(at: size.index) }
        guard size.left == 3 * count else { throw .malformed(at: size.index) }
        for _ in 0..<count {
            // The field holds the number of bits less 1; its top bit is the sign.
            let precision = try size.byte() & 0x7f
            // The distances between two samples, in columns and in rows.
            let steps = (try size.byte(), try size.byte())
            guard precision < 16, (1...2).contains(steps.0), (1...2).contains(steps.1) else {
                throw .unsupported(at: size.index)
            }
        }
    }
}
