import Foundation

/// A portrait whose header is good and whose data is broken, with the whole image that it was made of.
package struct BrokenPortrait: Sendable {
    package let name: String
    package let bytes: [UInt8]
    package let whole: [UInt8]

    /// One of each kind.
    package static var all: [BrokenPortrait] {
        get throws {
            let (restarts, tiled) = try (vector("restarts.jpg"), vector("tiled.j2k"))
            return try ["grey.jpg", "restarts.jpg", "progressive.jpg"].map { name in
                let whole = try vector(name)
                return BrokenPortrait(
                    name: "\(name), cut and ended", bytes: whole.prefix(whole.count * 3 / 4) + [0xff, 0xd9],
                    whole: whole)
            } + [
                BrokenPortrait(
                    name: "a restart marker with another number", bytes: renumbering(restarts),
                    whole: restarts),
                BrokenPortrait(name: "a tile that ends early", bytes: shortening(tiled), whole: tiled),
            ]
        }
    }

    package static func vector(_ name: String) throws -> [UInt8] {
        try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/\(name)"))
    }

    /// The image with 3 in place of 0 as the number of its last such restart marker.
    private static func renumbering(_ image: [UInt8]) -> [UInt8] {
        var image = image
        let marker = image.indices.dropLast().last { image[$0] == 0xff && image[$0 + 1] == 0xd0 }
        if let marker { image[marker + 1] = 0xd3 }
        return image
    }

    /// The image without the last 20 bytes of its first tile, whose header says so (ISO/IEC 15444-1, A.4.2).
    private static func shortening(_ image: [UInt8]) -> [UInt8] {
        var image = image
        guard let tile = image.indices.dropLast().first(where: { image[$0] == 0xff && image[$0 + 1] == 0x90 })
        else { return image }
        let length = image[tile + 6..<tile + 10].reduce(0) { $0 << 8 | Int($1) }
        image.removeSubrange(tile + length - 20..<tile + length)
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            image[tile + 6 + index] = UInt8(truncatingIfNeeded: (length - 20) >> shift)
        }
        return image
    }
}
