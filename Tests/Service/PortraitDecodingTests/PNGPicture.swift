import CZlib
import Testing

/// A PNG of the kind that the decoder writes: eight bits, no filter, one IDAT; sums are checked.
struct PNGPicture {
    let width: Int
    let height: Int
    let channels: Int
    private let rows: [UInt8]

    init(_ bytes: [UInt8]) throws {
        var chunks: [String: [UInt8]] = [:]
        var index = 8
        while index < bytes.count {
            let length = Self.number(bytes[index..<index + 4])
            let checked = Array(bytes[index + 4..<index + 8 + length])
            let sum = unsafe checked.withUnsafeBufferPointer {
                unsafe crc32(0, $0.baseAddress, UInt32($0.count))
            }
            try #require(Int(sum) == Self.number(bytes[index + 8 + length..<index + 12 + length]))
            chunks[String(decoding: checked[..<4], as: UTF8.self)] = Array(checked[4...])
            index += 12 + length
        }
        let header = try #require(chunks["IHDR"])
        width = Self.number(header[0..<4])
        height = Self.number(header[4..<8])
        try #require(header[8] == 8)
        channels = header[9] == 2 ? 3 : 1
        let data = try #require(chunks["IDAT"])
        var count = UInt((width * channels + 1) * height)
        var rows = [UInt8](repeating: 0xff, count: Int(count))
        let status = unsafe uncompress(&rows, &count, data, UInt(data.count))
        try #require(status == Z_OK && count == rows.count)
        self.rows = rows
    }

    func sample(_ x: Int, _ y: Int) -> [UInt8] {
        let row = y * (width * channels + 1)
        #expect(rows[row] == 0)
        return Array(rows[row + 1 + x * channels..<row + 1 + (x + 1) * channels])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
