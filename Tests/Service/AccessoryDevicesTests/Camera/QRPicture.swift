import CQREncode
import Glibc
import GreyFrames
import Testing

/// A QR code as a camera sees it, made with libqrencode.
struct QRPicture {
    var text: String
    var width = 640
    var height = 480
    /// The width of a module, in pixels.
    var module = 4.0
    /// The angle by which the phone is turned, in degrees.
    var angle = 0.0
    /// The number of times that each pixel becomes the mean of its neighbours.
    var blur = 0
    /// The brightness of light and dark modules.
    var light: UInt8 = 235
    var dark: UInt8 = 20

    /// Returns the picture, with the code in its middle on a ground of `light`.
    func frame() throws -> GreyFrame {
        let (side, modules) = try symbol()
        let (cosine, sine) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let (x, y) = (Double(column - width / 2), Double(row - height / 2))
                let u = Int(((cosine * x + sine * y) / module + Double(side) / 2).rounded(.down))
                let v = Int(((cosine * y - sine * x) / module + Double(side) / 2).rounded(.down))
                let isInside = u >= 0 && v >= 0 && u < side && v < side
                pixels.append(isInside && modules[v * side + u] ? dark : light)
            }
        }
        for _ in 0..<blur { pixels = blurred(pixels) }
        return try #require(GreyFrame(width: width, height: height, pixels: pixels))
    }

    /// The number of modules of a side, and whether each of them is dark.
    private func symbol() throws -> (side: Int, modules: [Bool]) {
        guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
            throw QRPictureError.notEncoded
        }
        defer { unsafe QRcode_free(code) }
        let side = unsafe Int(code.pointee.width)
        let modules = unsafe Array(UnsafeBufferPointer(start: code.pointee.data, count: side * side))
        // The lowest bit of a module is its colour.
        return (side, modules.map { $0 & 1 == 1 })
    }

    private func blurred(_ pixels: [UInt8]) -> [UInt8] {
        var result = pixels
        for row in 1..<height - 1 {
            for column in 1..<width - 1 {
                var sum = 0
                for line in row - 1...row + 1 {
                    let first = line * width + column - 1
                    sum += Int(pixels[first]) + Int(pixels[first + 1]) + Int(pixels[first + 2])
                }
                result[row * width + column] = UInt8(sum / 9)
            }
        }
        return result
    }
}

enum QRPictureError: Error {
    /// The text is too long for a QR code.
    case notEncoded
}
