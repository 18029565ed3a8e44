import Testing

@testable import Transport

@Suite("Frames out of a stream")
struct FrameReaderTests {
    @Test("Frames come whole however the stream is cut", arguments: [1, 2, 3, 4, 5, 7, 64])
    func pieces(_ size: Int) throws {
        let frames: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 7, count: 300), [9]]
        var stream = Stream(frames.flatMap(Self.encode), piece: size)
        var reader = FrameReader(maximumFrame: 300)
        var found: [[UInt8]] = []
        while found.count < frames.count {
            if let frame = try stream.read(into: &reader) { found.append(frame) }
        }
        #expect(found == frames)
        #expect(!reader.isInsideFrame)
    }

    @Test(
        "Q195 A length above the limit is refused before room is made",
        arguments: [301, 0x1000_0000, 0xFFFF_FFFF])
    func tooLong(_ length: Int) {
        var stream = Stream(Self.encode(length: length), piece: 4)
        var reader = FrameReader(maximumFrame: 300)
        #expect(throws: TransportError.frameTooLong(length: length, limit: 300)) {
            try stream.read(into: &reader)
        }
    }

    @Test("A frame of the longest length is taken")
    func longest() throws {
        var stream = Stream(Self.encode([UInt8](repeating: 1, count: 300)), piece: 304)
        var reader = FrameReader(maximumFrame: 300)
        #expect(try stream.read(into: &reader) == nil)
        #expect(try stream.read(into: &reader)?.count == 300)
    }

    @Test("A stream that ends between frames is closed, one that ends inside is cut off")
    func ends() throws {
        var whole = Stream([], piece: 4)
        var reader = FrameReader(maximumFrame: 300)
        #expect(throws: TransportError.closed(by: .peer)) { try whole.read(into: &reader) }
        for count in 1..<6 {
            var cut = Stream(Array(Self.encode([1, 2]).prefix(count)), piece: 1)
            var reader = FrameReader(maximumFrame: 300)
            for _ in 0..<count { #expect(try cut.read(into: &reader) == nil) }
            #expect(reader.isInsideFrame)
            #expect(throws: TransportError.truncatedFrame) { try cut.read(into: &reader) }
        }
    }

    static func encode(_ frame: [UInt8]) -> [UInt8] { encode(length: frame.count) + frame }

    static func encode(length: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    }
}

/// Bytes that come in pieces.
private struct Stream {
    private var rest: ArraySlice<UInt8>
    private let piece: Int

    init(_ bytes: [UInt8], piece: Int) {
        rest = bytes[...]
        self.piece = piece
    }

    mutating func read(into reader: inout FrameReader) throws(TransportError) -> [UInt8]? {
        try unsafe reader.read { buffer in
            let part = rest.prefix(min(piece, buffer.count))
            unsafe buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }
}
