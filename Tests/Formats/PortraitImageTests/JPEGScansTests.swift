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
            of: VectorFiles.repository.appending(path: "Sources/Laboratory/MdocWallet/Resources/portrait.jpg")
        )
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

    /// A segment with its marker and length.
    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    /// The first segment with this marker.
    private static func segment(_ marker: UInt8, of image: [UInt8]) throws -> Range<Int> {
        let start = try #require(
            image.indices.dropLast().first { image[$0] == 0xff && image[$0 + 1] == marker })
        return start..<start + 2 + Int(image[start + 2]) << 8 + Int(image[start + 3])
    }

    /// A grey or coloured image whose blocks are all of one grey: each has the code of a zero difference and that of its end.
    private static func flat(
        _ factors: [UInt8], units: Int, blocks: Int, differences: [UInt8] = [1, 0],
        differenceValues: [UInt8] = [0]
    ) -> [UInt8] {
        let numbers = factors.indices.map { UInt8($0 + 1) }
        let counts = [differences[0], differences[1]] + [UInt8](repeating: 0, count: 14)
        let bits = units * blocks * 2
        var data = [UInt8](repeating: 0, count: (bits + 7) / 8)
        if bits % 8 != 0 { data[data.count - 1] = UInt8(255 >> (bits % 8)) }
        return [0xff, 0xd8] + segment(0xdb, [0] + [UInt8](repeating: 1, count: 64))
            + segment(
                0xc0,
                [8, 0, 48, 0, 48, UInt8(factors.count)] + zip(numbers, factors).flatMap { [$0, $1, 0] })
            + segment(0xc4, [0] + counts + differenceValues)
            + segment(0xc4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
            + segment(0xda, [UInt8(factors.count)] + numbers.flatMap { [$0, 0] } + [0, 63, 0])
            + data + endOfImage
    }

    @Test("A component needs its quantization table before its scan, without zeros", arguments: names)
    func quantization(_ name: String) throws {
        let image = try Self.vector(name)
        let table = try Self.segment(0xdb, of: image)
        var absent = image
        absent.removeSubrange(table)
        var (zero, number, precise) = (image, image, image)
        zero[table.lowerBound + 40] = 0
        number[table.lowerBound + 4] = 4
        precise[table.lowerBound + 4] |= 0x20
        var late = absent
        late.insert(contentsOf: image[table], at: late.count - 2)
        for broken in [absent, zero, number, precise, late] { #expect(Self.fault(of: broken) != nil) }
        let frame = try #require(
            image.indices.dropLast().first { image[$0] == 0xff && [0xc0, 0xc2].contains(image[$0 + 1]) })
        for number: UInt8 in [2, 3, 4, 255] {
            var unknown = image
            unknown[frame + 12] = number
            #expect(Self.fault(of: unknown) != nil, "table \(number)")
        }
        // A table of 16 bits, and one that is replaced before the scan, are tables.
        let wide = Self.segment(
            0xdb, [image[table.lowerBound + 4] | 0x10] + image[table].dropFirst(5).flatMap { [0, $0] })
        #expect(Self.fault(of: absent[..<table.lowerBound] + wide + absent[table.lowerBound...]) == nil)
        #expect(Self.fault(of: image[..<table.upperBound] + wide + image[table.upperBound...]) == nil)
    }

    @Test("Sampling that decoders refuse is refused: fractions, and more than 10 blocks in a unit")
    func sampling() {
        #expect(Self.fault(of: Self.flat([0x11], units: 36, blocks: 1)) == nil)
        #expect(Self.fault(of: Self.flat([0x22, 0x11, 0x11], units: 9, blocks: 6)) == nil)
        #expect(Self.fault(of: Self.flat([0x42, 0x11, 0x11], units: 6, blocks: 10)) == nil)
        #expect(Self.fault(of: Self.flat([0x31, 0x11, 0x11], units: 12, blocks: 5)) == nil)
        #expect(Self.fault(of: Self.flat([0x44, 0x11, 0x11], units: 4, blocks: 18)) != nil)
        #expect(Self.fault(of: Self.flat([0x43, 0x11, 0x11], units: 4, blocks: 14)) != nil)
        #expect(Self.fault(of: Self.flat([0x31, 0x21, 0x11], units: 12, blocks: 6)) != nil)
        #expect(Self.fault(of: Self.flat([0x13, 0x12, 0x11], units: 12, blocks: 6)) != nil)
    }

    @Test("A table with a code of ones alone or with a difference of more than 15 bits is refused")
    func impossibleCodes() {
        let flat = { Self.flat([0x11], units: 36, blocks: 1, differences: $0, differenceValues: $1) }
        #expect(Self.fault(of: flat([1, 1], [0, 15])) == nil)
        #expect(Self.fault(of: flat([2, 0], [0, 1])) != nil)
        #expect(Self.fault(of: flat([1, 2], [0, 1, 2])) != nil)
        #expect(Self.fault(of: flat([1, 1], [0, 16])) != nil)
        #expect(Self.fault(of: flat([1, 1], [0, 0x40])) != nil)
    }

    @Test("A restart marker after the last block is no fault", arguments: names)
    func lastRestart(_ name: String) throws {
        let image = try Self.vector(name)
        for markers: [UInt8] in [[0xff, 0xd0], [0, 0xff, 0xff, 0xd7], [0xff, 0xd1, 0xff, 0xd2]] {
            #expect(Self.fault(of: image.dropLast(2) + markers + Self.endOfImage) == nil)
        }
        for marker in try Self.restarts(of: image) {
            #expect(Self.fault(of: image[..<marker] + [0xff, 0xff] + image[marker...]) == nil)
        }
        // Data behind it is left over.
        #expect(Self.fault(of: image.dropLast(2) + [0xff, 0xd0, 0x55] + Self.endOfImage) != nil)
    }

    @Test("A scan header or restart interval with more bytes than it has fields is refused")
    func excess() throws {
        let image = try Self.vector("restarts.jpg")
        for marker: UInt8 in [0xda, 0xdd] {
            let segment = try Self.segment(marker, of: image)
            var longer = image
            longer[segment.lowerBound + 3] += 1
            longer.insert(0, at: segment.upperBound)
            #expect(Self.fault(of: longer) != nil, "\(marker)")
        }
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
