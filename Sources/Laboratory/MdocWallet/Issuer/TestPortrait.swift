/// A face drawn for this repository, a picture of nobody, as a baseline JPEG of any size from `minimumSize` up.
package enum TestPortrait {
    /// The size of the drawing itself, in bytes.
    package static var minimumSize: Int { PackageResources.portrait_jpg.count }

    private static let applicationSegment: UInt8 = 0xef
    /// A segment's length field counts itself and at most this many bytes with it.
    private static let longestSegment = 0xffff
    private static let markerSize = 2

    /// The drawing, padded to `size` bytes by application segments that decoders skip; the drawing as it is
    /// where `size` is smaller.
    package static func jpeg(size: Int) -> [UInt8] {
        let drawing = PackageResources.portrait_jpg
        var padding: [UInt8] = []
        padding.reserveCapacity(max(0, size - drawing.count))
        var missing = size - drawing.count
        while missing >= markerSize + 2 {
            let length = min(missing - markerSize, longestSegment)
            padding += [0xff, applicationSegment, UInt8(length >> 8), UInt8(length & 0xff)]
            padding += repeatElement(0x20, count: length - 2)
            missing -= markerSize + length
        }
        // Too short for a segment: fill bytes, which may precede any marker (ITU-T T.81 B.1.1.2).
        padding += repeatElement(0xff, count: max(0, missing))
        return drawing[..<markerSize] + padding + drawing[markerSize...]
    }
}
