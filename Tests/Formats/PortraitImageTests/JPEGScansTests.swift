import Foundation
import Testing
import VectorFiles

@testable import PortraitImage

@Suite("The data of a JPEG image, to its last block")
struct JPEGScansTests {
    private static let names = ["grey.jpg", "restarts.jpg", "progressive.jpg"]
    private static let endOfImage: [UInt8] = [0xff, 0xd9]

    private static func vector(_ name: String) throws -> [UInt8] {
        try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/\(name)"))
    }

    /// The fault of an image, of its header or its data; nil if it is whole.
    private static func fault(of image: [UInt8]) -> ImageHeaderError? {
        do throws(ImageHeaderError) {
            let header = try ImageHeader.parse(image[...])
            try JPEGScans.check(image[header.image])
            return nil
        } catch {
            return error
        }
    }

    /// Where the data of the first scan begins.
    private static func firstScan(of image: [UInt8]) throws -> Int {
        let marker = try #require(
            image.indices.dropLast().first { image[$0] == 0xff && image[$0 + 1] == 0xda })
        return marker + 2 + Int(image[marker + 3])
    }

    /// Where the restart markers are.
    private static func restarts(of image: [UInt8]) throws -> [Int] {
        (try firstScan(of: image)..<image.count - 1).filter {
            image[$0] == 0xff && (0xd0...0xd7).contains(image[$0 + 1])
        }
    }

    @Test("Sequential, progressive and grey images are whole, with restart markers or without, padded or not")
    func whole() throws {
        let drawing = try VectorFiles.bytes(
            of: VectorFiles.repository.appending(path: "Sources/Mdoc/MdocWallet/Resources/portrait.jpg"))
        for image in try Self.names.map(Self.vector) + [drawing] {
            #expect(Self.fault(of: image) == nil)
            #expect(Self.fault(of: image + Array("more".utf8)) == nil)
            // Zero bytes and fill bytes before the last marker.
            for padding: [UInt8] in [[0, 0, 0], [0xff, 0xff], [0, 0xff]] {
                #expect(Self.fault(of: image.dropLast(2) + padding + Self.endOfImage) == nil)
            }
        }
    }

    @Test("An image that was cut in the middle and ended is not whole, wherever it was cut", arguments: names)
    func cut(_ name: String) throws {
        let image = try Self.vector(name)
        let begin = try Self.firstScan(of: image)
        for count in stride(from: begin, to: image.count - 4, by: 7) where image[count - 1] != 0xff {
            let fault = Self.fault(of: Array(image[..<count]) + Self.endOfImage)
            #expect(fault != nil, "\(count) of \(image.count) bytes")
        }
    }

    @Test("An image that lacks a part in its middle is not whole", arguments: names)
    func gap(_ name: String) throws {
        let image = try Self.vector(name)
        let begin = try Self.firstScan(of: image)
        // Of so many bytes some blocks are missing, however soon the codes are in step again.
        let length = (image.count - begin) / 2
        for start in stride(from: begin + 8, to: image.count - length - 8, by: 11) {
            var broken = image
            broken.removeSubrange(start..<start + length)
            #expect(Self.fault(of: broken) != nil, "without \(length) bytes from \(start) on")
        }
    }

    @Test("Damaged restart markers are found: missing, renumbered, exchanged, covered")
    func restartMarkers() throws {
        let image = try Self.vector("restarts.jpg")
        let markers = try Self.restarts(of: image)
        #expect(markers.count == 9)
        for marker in markers {
            var missing = image
            missing.removeSubrange(marker...marker + 1)
            var (renumbered, covered) = (image, image)
            renumbered[marker + 1] = 0xd0 + (image[marker + 1] + 1) % 8
            covered[marker + 1] = 0
            var moved = image
            moved.removeSubrange(marker...marker + 1)
            moved.insert(contentsOf: image[marker...marker + 1], at: marker - 20)
            for broken in [missing, renumbered, covered, moved] {
                #expect(Self.fault(of: broken) != nil, "the marker at \(marker)")
            }
        }
        // An interval of markers that are not there.
        let sequential = try Self.vector("grey.jpg")
        #expect(
            Self.fault(of: sequential[..<2] + [0xff, 0xdd, 0, 4, 0, 3] + sequential[2...]) != nil)
    }

    @Test("A progressive image without its last scans is not whole, nor is one with a scan twice")
    func scans() throws {
        let image = try Self.vector("progressive.jpg")
        let starts = image.indices.dropLast().filter { image[$0] == 0xff && image[$0 + 1] == 0xda }
        #expect(starts.count == 10)
        for start in starts.dropFirst() {
            #expect(Self.fault(of: Array(image[..<start]) + Self.endOfImage) != nil)
        }
        let first = image[starts[0]..<starts[1]]
        #expect(Self.fault(of: Array(image[..<starts[1]] + first + image[starts[1]...])) != nil)
    }

    @Test("A code that is in no table, a table that is not there and one that cannot be are found")
    func tables() throws {
        let image = try Self.vector("grey.jpg")
        let begin = try Self.firstScan(of: image)
        var ones = image
        for index in begin..<begin + 20 { ones[index] = index % 2 == begin % 2 ? 0xff : 0 }
        #expect(Self.fault(of: ones) != nil)
        let table = try #require(
            image.indices.dropLast().first { image[$0] == 0xff && image[$0 + 1] == 0xc4 })
        var (absent, impossible) = (image, image)
        // A comment in its place.
        absent[table + 1] = 0xfe
        impossible[table + 5] = 3
        #expect(Self.fault(of: absent) != nil && Self.fault(of: impossible) != nil)
    }

    @Test("Mutated images end with a result")
    func mutated() throws {
        var random = SplitMix64(seed: 81)
        let seeds = try Self.names.map(Self.vector)
        for _ in 0..<3000 {
            let input = random.mutate(try #require(seeds.randomElement(using: &random)))
            _ = Self.fault(of: input)
        }
    }
}
