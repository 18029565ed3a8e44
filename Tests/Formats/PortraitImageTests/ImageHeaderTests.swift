import Foundation
import PortraitImage
import Testing
import VectorFiles

@Suite("Headers of portraits")
struct ImageHeaderTests {
    private static let wallet = VectorFiles.repository.appending(
        path: "Sources/Laboratory/MdocWallet/Resources/portrait.jpg")

    private func vector(_ name: String) throws -> [UInt8] {
        try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/\(name)"))
    }

    private func refusal(of bytes: [UInt8], _ limits: ImageLimits = .portrait) -> ImageHeaderError? {
        do throws(ImageHeaderError) {
            _ = try ImageHeader.parse(bytes[...], limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Kind and size are read",
        arguments: [
            ("lossless.jp2", ImageHeader.Kind.jpeg2000), ("grey.j2k", .jpeg2000), ("tiled.j2k", .jpeg2000),
            ("still.png", .png),
        ])
    func size(name: String, kind: ImageHeader.Kind) throws {
        let header = try ImageHeader.parse(try vector(name)[...])
        #expect(header.kind == kind)
        #expect(header.width == 24)
        #expect(header.height == 30)
    }

    @Test("The test wallet's portrait is a JPEG, and the whole file is the image")
    func jpeg() throws {
        let bytes = try VectorFiles.bytes(of: Self.wallet)
        let header = try ImageHeader.parse(bytes[...])
        #expect(header.kind == .jpeg)
        #expect(header.image == 0..<bytes.count)
    }

    @Test("Of a JP2 file the codestream is the image")
    func codestream() throws {
        let bytes = try vector("lossless.jp2")
        let header = try ImageHeader.parse(bytes[...])
        #expect(bytes[header.image].starts(with: [0xff, 0x4f, 0xff, 0x51]))
        #expect(header.image.upperBound == bytes.count)
    }

    @Test("What follows a JPEG or PNG image is left aside", arguments: ["still.png", "portrait.jpg"])
    func trailing(name: String) throws {
        let bytes = try name == "still.png" ? vector(name) : VectorFiles.bytes(of: Self.wallet)
        let header = try ImageHeader.parse((bytes + [1, 2, 3])[...])
        #expect(header.image == 0..<bytes.count)
    }

    @Test(
        "An image cut short anywhere is refused where its end can be found",
        arguments: ["still.png", "portrait.jpg"])
    func cut(name: String) throws {
        let bytes = try name == "still.png" ? vector(name) : VectorFiles.bytes(of: Self.wallet)
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 400)) {
            #expect(refusal(of: Array(bytes[..<count])) != nil, "\(count) bytes")
        }
    }

    @Test(
        "A JPEG 2000 image cut short anywhere is refused",
        arguments: ["grey.j2k", "tiled.j2k", "lossless.jp2"])
    func cutCodestream(name: String) throws {
        let bytes = try vector(name)
        #expect(refusal(of: bytes) == nil)
        for count in bytes.indices { #expect(refusal(of: Array(bytes[..<count])) != nil, "\(count) bytes") }
    }

    @Test("A codestream without a tile-part, or with one shorter than its header, is refused")
    func tileParts() {
        let whole = codestream(64, 64)
        #expect(refusal(of: whole.dropLast(16) + [0xff, 0xd9]) != nil)
        var short = whole
        short[short.count - 7] = 13
        #expect(refusal(of: short) != nil)
        var toTheEnd = whole
        toTheEnd[toTheEnd.count - 7] = 0
        #expect(refusal(of: toTheEnd) == nil, "a last tile-part of length 0 ends with the codestream")
        #expect(refusal(of: Array(toTheEnd.dropLast())) != nil)
    }

    /// A grey JPEG 2000 header of one component with these sizes, and an empty tile-part.
    private func codestream(
        _ width: UInt32, _ height: UInt32, tile: (UInt32, UInt32)? = nil, components: UInt16 = 1,
        precision: UInt8 = 7, step: UInt8 = 1
    ) -> [UInt8] {
        let tile = tile ?? (width, height)
        let sizes = [width, height, 0, 0, tile.0, tile.1, 0, 0].flatMap(\.bigEndianBytes)
        let parts = (0..<Int(components)).flatMap { _ in [precision, step, step] }
        let length = UInt16(truncatingIfNeeded: 38 + 3 * Int(components))
        return [0xff, 0x4f, 0xff, 0x51] + length.bigEndianBytes + [0, 0] + sizes + components.bigEndianBytes
            + parts + [0xff, 0x90, 0, 10, 0, 0, 0, 0, 0, 14, 0, 1, 0xff, 0x93, 0xff, 0xd9]
    }

    @Test("The header of the bombs below is taken where it is none")
    func harmless() {
        #expect(refusal(of: codestream(480, 640)) == nil)
        #expect(refusal(of: codestream(2048, 2048)) == nil)
        #expect(refusal(of: codestream(64, 64, tile: (8, 8))) == nil)
        #expect(refusal(of: codestream(64, 64, components: 4)) == nil)
    }

    @Test("Bombs are refused by their header: sides, pixels, tiles")
    func bombs() {
        #expect(refusal(of: codestream(.max, .max)) == .tooLarge)
        #expect(refusal(of: codestream(4097, 1)) == .tooLarge)
        #expect(refusal(of: codestream(1, 4097)) == .tooLarge)
        #expect(refusal(of: codestream(2049, 2048)) == .tooLarge)
        #expect(refusal(of: codestream(64, 65, tile: (8, 8))) == .tooLarge)
        #expect(refusal(of: codestream(2048, 2048, tile: (1, 1))) == .tooLarge)
    }

    @Test("Components beyond colours, deep ones and sparse ones are refused")
    func components() {
        for (components, precision, step) in [
            (UInt16(0), UInt8(7), UInt8(1)), (5, 7, 1), (16_384, 7, 1), (1, 16, 1), (1, 37, 1), (1, 7, 0),
            (1, 7, 3),
            (1, 7, 255),
        ] {
            let bytes = codestream(64, 64, components: components, precision: precision, step: step)
            guard case .unsupported? = refusal(of: bytes) else {
                Issue.record("taken: \(components) components, \(precision), \(step)")
                continue
            }
        }
    }

    @Test("An image of no size, or whose tiles miss it, is malformed")
    func empty() {
        for bytes in [codestream(0, 64), codestream(64, 0), codestream(64, 64, tile: (0, 64))] {
            guard case .malformed? = refusal(of: bytes) else {
                Issue.record("taken")
                continue
            }
        }
    }

    @Test("A PNG that is larger than allowed or moves is refused")
    func png() throws {
        var bytes = try vector("still.png")
        bytes.replaceSubrange(16..<20, with: [0, 0, 0x10, 0x01])
        #expect(refusal(of: bytes) == .tooLarge)
        let animation = [0, 0, 0, 0] + Array("acTL".utf8) + [0, 0, 0, 0]
        let moving = try vector("still.png")
        guard case .unsupported? = refusal(of: moving[..<33] + animation + moving[33...]) else {
            Issue.record("taken")
            return
        }
    }

    @Test("A JPEG without a size, with two, or without a scan is refused")
    func jpegOrder() {
        let frame: [UInt8] = [0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        let scan: [UInt8] = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0xd2, 0xcf, 0xff, 0, 0xff, 0xd0, 1]
        let (start, end): ([UInt8], [UInt8]) = ([0xff, 0xd8], [0xff, 0xd9])
        #expect(refusal(of: start + frame + scan + end) == nil)
        for wrong in [
            start + scan + end, start + frame + end, start + frame + frame + scan + end, start + end,
        ] {
            #expect(refusal(of: wrong) != nil)
        }
    }

    @Test("A palette, or colours other than sRGB and grey, are refused")
    func colours() throws {
        let bytes = try vector("lossless.jp2")
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "colr".utf8) })
        var other = bytes
        #expect(bytes[place + 10] == 16)
        other[place + 10] = 18
        #expect(refusal(of: other) == .unsupported(at: place + 11))
        other = bytes
        other.replaceSubrange(place..<place + 4, with: "pclr".utf8)
        #expect(refusal(of: other) == .unsupported(at: place + 4))
    }

    @Test("Bytes, parts and other kinds of image have their limits")
    func limits() throws {
        let bytes = try vector("still.png")
        #expect(refusal(of: bytes, ImageLimits(bytes: bytes.count)) == nil)
        #expect(refusal(of: bytes, ImageLimits(bytes: bytes.count - 1)) == .tooLarge)
        #expect(refusal(of: bytes, ImageLimits(parts: 1)) == .tooLarge)
        for other in ["GIF89a", "<svg xmlns=", "RIFF1234WEBP", ""] {
            #expect(refusal(of: Array(other.utf8)) == .kindUnknown)
        }
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
