/// A format of a camera's pictures from which the brightness can be read without decoding. The raw values are
/// the kernel's codes of four characters (linux/videodev2.h).
package enum PictureFormat: UInt32, CaseIterable, Sendable {
    /// `YUYV`: brightness and colour alternate, two bytes for each pixel. Nearly every USB camera offers it.
    case yuyv = 0x5659_5559
    /// `UYVY`: as `YUYV`, with the colour first.
    case uyvy = 0x5956_5955
    /// `GREY`: one byte for each pixel.
    case grey = 0x5945_5247
    /// `NV12`: the brightness of all pixels, and then the colours.
    case nv12 = 0x3231_564e
    /// `YU12`: as `NV12`, with other colours.
    case yu12 = 0x3231_5559

    /// The number of bytes from the brightness of a pixel to that of the next.
    fileprivate var step: Int { self == .yuyv || self == .uyvy ? 2 : 1 }

    /// The number of bytes before the brightness of the first pixel of a row.
    fileprivate var start: Int { self == .uyvy ? 1 : 0 }
}

/// The arrangement of a camera's picture in memory.
package struct PictureLayout: Equatable, Sendable {
    package let format: PictureFormat
    package let width: Int
    package let height: Int
    /// The number of bytes from the beginning of a row to that of the next.
    package let bytesPerRow: Int

    /// The largest number of bytes of a row. Cameras fill rows up to a multiple of a power of two.
    private static let longestRow = 4 * GreyFrame.widths.upperBound

    /// Creates a layout; `nil` if `GreyFrame` does not accept the size, or if the rows are too short or too
    /// long.
    package init?(format: PictureFormat, width: Int, height: Int, bytesPerRow: Int) {
        guard GreyFrame.widths.contains(width), GreyFrame.heights.contains(height),
            (width * format.step...Self.longestRow).contains(bytesPerRow)
        else { return nil }
        self.format = format
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
    }

    /// The number of bytes with the brightness of all pixels. A picture may have more bytes: its colours.
    package var length: Int { bytesPerRow * height }

    /// Returns the brightness of a picture; `nil` if the picture is shorter than `length`.
    package func frame(of picture: [UInt8]) -> GreyFrame? {
        guard picture.count >= length else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            let first = row * bytesPerRow + format.start
            for index in stride(from: first, to: first + width * format.step, by: format.step) {
                pixels.append(picture[index])
            }
        }
        return GreyFrame(width: width, height: height, pixels: pixels)
    }
}
