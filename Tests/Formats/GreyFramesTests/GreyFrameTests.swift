import GreyFrames
import Testing

@Suite("A grey frame")
struct GreyFrameTests {
    private static func frame(_ width: Int, _ height: Int) -> GreyFrame? {
        GreyFrame(
            width: width, height: height,
            pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    @Test("A frame reads as it was written", arguments: [(64, 64), (640, 480), (257, 65), (1920, 1200)])
    func roundTrip(_ width: Int, _ height: Int) throws {
        let frame = try #require(Self.frame(width, height))
        let bytes = frame.serialized()
        #expect(bytes.count == 4 + width * height && bytes.count <= GreyFrame.longest)
        #expect(GreyFrame(serialized: bytes) == frame)
    }

    @Test("A size outside of the limits is refused", arguments: [(63, 64), (64, 63), (1921, 64), (64, 1201)])
    func size(_ width: Int, _ height: Int) {
        #expect(Self.frame(width, height) == nil)
        let head = [width >> 8, width & 255, height >> 8, height & 255].map { UInt8($0) }
        #expect(GreyFrame(serialized: head + [UInt8](repeating: 0, count: width * height)) == nil)
    }

    @Test("A frame with a byte too few or too many, or without pixels, is refused")
    func length() throws {
        let bytes = try #require(Self.frame(64, 64)).serialized()
        #expect(GreyFrame(serialized: bytes) != nil)
        let others: [[UInt8]] = [
            bytes.dropLast(), bytes + [0], Array(bytes.prefix(4)), Array(bytes.prefix(3)), [],
        ]
        for other in others {
            #expect(GreyFrame(serialized: other) == nil)
        }
        #expect(GreyFrame(width: 64, height: 64, pixels: [UInt8](repeating: 0, count: 64 * 64 - 1)) == nil)
    }

    @Test("Light becomes dark, and twice inverted is the frame")
    func inverted() throws {
        let frame = try #require(Self.frame(64, 64))
        #expect(frame.inverted.pixels.first == 255 && frame.inverted != frame)
        #expect(frame.inverted.inverted == frame)
    }

    @Test("No description has pixels")
    func redacted() throws {
        let frame = try #require(Self.frame(64, 65))
        #expect("\(frame)" == "GreyFrame(64 x 65)" && String(reflecting: frame) == "GreyFrame(64 x 65)")
        #expect(Mirror(reflecting: frame).children.isEmpty)
    }
}

@Suite("A camera's picture in memory")
struct PictureLayoutTests {
    /// A picture whose brightness is the number of the pixel, with other bytes everywhere else.
    private static func picture(_ format: PictureFormat, bytesPerRow: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xee, count: bytesPerRow * 64)
        for row in 0..<64 {
            for column in 0..<64 {
                let place =
                    switch format {
                    case .yuyv: 2 * column
                    case .uyvy: 2 * column + 1
                    case .grey, .nv12, .yu12: column
                    }
                bytes[row * bytesPerRow + place] = UInt8(truncatingIfNeeded: row * 64 + column)
            }
        }
        return bytes
    }

    @Test(
        "The brightness is found in each format, also in rows that are filled up",
        arguments: PictureFormat.allCases)
    func brightness(_ format: PictureFormat) throws {
        for bytesPerRow in [128, 160] {
            let layout = try #require(
                PictureLayout(format: format, width: 64, height: 64, bytesPerRow: bytesPerRow))
            let picture = Self.picture(format, bytesPerRow: bytesPerRow)
            let expected = (0..<64 * 64).map { UInt8(truncatingIfNeeded: $0) }
            #expect(layout.frame(of: picture)?.pixels == expected)
            // The colours may follow.
            #expect(layout.frame(of: picture + [1, 2, 3])?.pixels == expected)
            #expect(layout.frame(of: Array(picture.dropLast())) == nil)
            #expect(layout.frame(of: []) == nil)
        }
    }

    @Test("Rows that are too short or absurdly long, and sizes outside of the limits, are refused")
    func refused() {
        for (format, shortest) in [(PictureFormat.yuyv, 128), (.uyvy, 128), (.grey, 64), (.nv12, 64)] {
            for (bytesPerRow, isAccepted) in [
                (shortest - 1, false), (shortest, true), (7680, true), (7681, false), (0, false),
            ] {
                let layout = PictureLayout(format: format, width: 64, height: 64, bytesPerRow: bytesPerRow)
                #expect((layout != nil) == isAccepted, "\(format) \(bytesPerRow)")
            }
        }
        for (width, height) in [(63, 64), (64, 63), (1921, 64), (64, 1201), (0, 0)] {
            #expect(
                PictureLayout(format: .grey, width: width, height: height, bytesPerRow: 4000) == nil)
        }
    }

    @Test("The formats have the kernel's codes of four characters")
    func codes() {
        let names = PictureFormat.allCases.map { format in
            String(
                decoding: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: format.rawValue >> $0) },
                as: UTF8.self)
        }
        #expect(names == ["YUYV", "UYVY", "GREY", "NV12", "YU12"])
    }
}
