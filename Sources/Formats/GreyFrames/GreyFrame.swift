/// A grey picture of a camera: one byte for each pixel, row after row.
///
/// `countersign-accessories` sends it to `countersign-qrcode`, which looks for a phone's code. Both programs
/// refuse another size than `GreyFrame.widths` and `heights` allow. No description contains pixels.
package struct GreyFrame: Equatable, Sendable {
    /// The widths that are accepted, in pixels.
    package static let widths = 64...1920
    /// The heights that are accepted, in pixels.
    package static let heights = 64...1200
    /// The maximum size of a serialized frame, in bytes.
    package static let longest = headLength + widths.upperBound * heights.upperBound

    /// The length of the head of a serialized frame: width and height, each in two bytes.
    private static let headLength = 4

    package let width: Int
    package let height: Int
    /// `width` times `height` bytes.
    package let pixels: [UInt8]

    /// Creates a frame; `nil` if the size is not accepted or is not that of the pixels.
    package init?(width: Int, height: Int, pixels: [UInt8]) {
        guard Self.widths.contains(width), Self.heights.contains(height), pixels.count == width * height
        else { return nil }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Reads a frame in the form that `serialized()` writes; `nil` if a byte is missing or too many, or if
    /// the size is not accepted.
    package init?(serialized bytes: [UInt8]) {
        guard bytes.count > Self.headLength else { return nil }
        self.init(
            width: Int(bytes[0]) << 8 | Int(bytes[1]), height: Int(bytes[2]) << 8 | Int(bytes[3]),
            pixels: Array(bytes.dropFirst(Self.headLength)))
    }

    /// Returns width and height, each in two bytes, the higher byte first, and then the pixels.
    package func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headLength + pixels.count)
        for side in [width, height] {
            bytes += [UInt8(truncatingIfNeeded: side >> 8), UInt8(truncatingIfNeeded: side)]
        }
        return bytes + pixels
    }

    /// The frame with light and dark exchanged. A phone in dark mode may show a light code on a dark ground.
    package var inverted: GreyFrame {
        GreyFrame(width: width, height: height, accepted: pixels.map { 255 - $0 })
    }

    private init(width: Int, height: Int, accepted pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}

extension GreyFrame: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "GreyFrame(\(width) x \(height))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
