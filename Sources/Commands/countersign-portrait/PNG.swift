internal import CZlib

/// A writer of PNG (ISO/IEC 15948). It uses no filter and the fastest compression, since the image is shown
/// once and not kept.
enum PNG {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    static func encode(_ pixels: Pixels) throws(RenderingError) -> [UInt8] {
        let colour: UInt8 = pixels.colour == .grey ? 0 : 2
        // IHDR: width, height, eight bits a sample, the colour type (0 grey, 2 RGB), and the methods of
        // compression, filters and interlacing, which are all 0.
        let header = bytes(of: pixels.width) + bytes(of: pixels.height) + [8, colour, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", try compressed(rows(of: pixels)))
            + chunk("IEND", [])
    }

    /// Returns the rows of the image. Each row begins with the number of its filter, which is 0 (no filter).
    private static func rows(of pixels: Pixels) -> [UInt8] {
        let length = pixels.width * pixels.colour.rawValue
        var rows: [UInt8] = []
        rows.reserveCapacity((length + 1) * pixels.height)
        for row in 0..<pixels.height {
            rows.append(0)
            rows += pixels.samples[row * length..<(row + 1) * length]
        }
        return rows
    }

    /// Compresses the rows to one zlib stream, at the fastest level.
    private static func compressed(_ rows: [UInt8]) throws(RenderingError) -> [UInt8] {
        var status = Z_OK
        let capacity = compressBound(UInt(rows.count))
        let stream = unsafe [UInt8](unsafeUninitializedCapacity: Int(capacity)) { target, count in
            var written = capacity
            status = unsafe rows.withUnsafeBufferPointer {
                unsafe compress2(target.baseAddress, &written, $0.baseAddress, UInt($0.count), 1)
            }
            count = status == Z_OK ? Int(written) : 0
        }
        guard status == Z_OK else { throw .notDecodable }
        return stream
    }

    /// Makes a chunk: its length, name and contents, and the CRC-32 of name and contents.
    private static func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + contents
        let sum = unsafe checked.withUnsafeBufferPointer {
            unsafe crc32(0, $0.baseAddress, UInt32($0.count))
        }
        return bytes(of: contents.count) + checked + bytes(of: Int(sum))
    }

    /// Returns the low 32 bits of a number, the highest byte first.
    private static func bytes(of number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
