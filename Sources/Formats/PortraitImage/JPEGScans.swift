/// Follows the entropy-coded data of a JPEG image (ITU-T T.81) from the first block to the last, without making pixels of it.
///
/// Browsers show a picture whose data is broken: in part, in grey, or as it was before its last scans. Such a picture must not be
/// compared with a face. An image is whole if every block of every component is there in full precision, each code is one of its
/// tables, and a marker follows where the last block ends: data that is left over was read from a wrong place on. Zero bytes before a
/// marker are no data.
package struct JPEGScans {
    /// More than any encoder writes. Each scan of a progressive image visits all of its blocks.
    private static let mostScans = 256

    private var frame: JPEGFrame?
    private var tables = JPEGTables()
    /// How many units of a scan are between two restart markers; 0 for no markers.
    private var interval = 0
    private var count = 0

    /// Reads all scans of an image whose header was parsed.
    ///
    /// - Parameter image: the bytes from the start of the image to its end marker.
    /// - Throws: `truncated` or `malformed` where the image is not whole, `tooLarge` for more scans than a portrait has.
    package static func check(_ image: ArraySlice<UInt8>) throws(ImageHeaderError) {
        var scans = JPEGScans()
        var reader = ImageReader(image)
        try reader.skip(2)
        while true {
            let marker = try ImageHeader.nextMarker(&reader)
            if marker == ImageHeader.endOfImage { return try scans.end(at: reader.index) }
            var segment = try ImageHeader.nextSegment(&reader)
            switch marker {
            case 0xc0, 0xc1, 0xc2:
                guard scans.frame == nil else { throw .malformed(at: segment.index) }
                scans.frame = try JPEGFrame(&segment, isProgressive: marker == 0xc2)
            case 0xc4: try scans.tables.readCodes(&segment)
            case 0xdb: try scans.tables.readSteps(&segment)
            case 0xdd:
                scans.interval = Int(try segment.two())
                guard segment.left == 0 else { throw .malformed(at: segment.index) }
            case ImageHeader.startOfScan:
                try scans.read(&segment, &reader)
            default: break
            }
        }
    }

    /// Reads a scan, from its header (B.2.3) to its last block.
    private mutating func read(
        _ segment: inout ImageReader, _ reader: inout ImageReader
    ) throws(ImageHeaderError) {
        count += 1
        guard count <= Self.mostScans else { throw .tooLarge }
        guard var frame else { throw .malformed(at: segment.index) }
        var scan = try JPEGScan(&segment, of: &frame, tables)
        var bits = JPEGBits(reader.all, from: reader.index)
        try scan.read(&bits, &frame, interval)
        try bits.finish()
        try reader.skip(bits.index - reader.index)
        self.frame = frame
    }

    private func end(at index: Int) throws(ImageHeaderError) {
        guard let frame, frame.components.allSatisfy(\.isComplete) else { throw .malformed(at: index) }
    }
}

/// The frame header (B.2.2), and how far its components have come.
struct JPEGFrame {
    struct Component {
        let identifier: UInt8
        /// The sampling factors: the blocks of one unit of an interleaved scan.
        let across: Int
        let down: Int
        /// The number of its quantization table.
        let steps: UInt8
        /// The blocks of a scan of this component alone.
        fileprivate(set) var columns = 0
        fileprivate(set) var rows = 0
        /// The blocks in a row, with those that only fill the last unit.
        fileprivate(set) var stride = 0
        /// The precision that each coefficient has come to: how many of its low bits are to follow; nil before its first scan.
        var missingBits = [Int?](repeating: nil, count: 64)

        var isComplete: Bool { missingBits.allSatisfy { $0 == 0 } }
    }

    let isProgressive: Bool
    /// The units of an interleaved scan.
    let columns: Int
    let rows: Int
    var components: [Component] = []
    /// The coefficients that are not zero, a bit for each, in each block of each component of a progressive image.
    var nonzero: [[UInt64]] = []

    init(_ segment: inout ImageReader, isProgressive: Bool) throws(ImageHeaderError) {
        self.isProgressive = isProgressive
        try segment.skip(1)
        let (height, width) = (Int(try segment.two()), Int(try segment.two()))
        for _ in 0..<(try segment.byte()) {
            let identifier = try segment.byte()
            let factors = try segment.byte()
            let steps = try segment.byte()
            let (across, down) = (Int(factors >> 4), Int(factors & 15))
            guard (1...4).contains(across), (1...4).contains(down) else {
                throw .malformed(at: segment.index)
            }
            components.append(Component(identifier: identifier, across: across, down: down, steps: steps))
        }
        let most = (
            across: components.map(\.across).max() ?? 1, down: components.map(\.down).max() ?? 1
        )
        // Decoders do not scale components by fractions.
        guard components.allSatisfy({ most.across % $0.across == 0 && most.down % $0.down == 0 }) else {
            throw .malformed(at: segment.index)
        }
        columns = Self.divided(width, by: 8 * most.across)
        rows = Self.divided(height, by: 8 * most.down)
        for index in components.indices {
            let (across, down) = (components[index].across, components[index].down)
            components[index].columns = Self.divided(Self.divided(width * across, by: most.across), by: 8)
            components[index].rows = Self.divided(Self.divided(height * down, by: most.down), by: 8)
            components[index].stride = columns * across
            guard isProgressive else { continue }
            nonzero.append(Array(repeating: 0, count: columns * across * rows * down))
        }
    }

    private static func divided(_ number: Int, by divisor: Int) -> Int { (number + divisor - 1) / divisor }
}

/// The quantization and Huffman tables that are in force (B.2.4.1, B.2.4.2).
struct JPEGTables {
    /// The largest size of a difference that a table may have a code for, in bits.
    private static let largestSize = 15

    private var tables = [JPEGCodes?](repeating: nil, count: 8)
    private var areStepsDefined = [Bool](repeating: false, count: 4)

    /// Reads Huffman tables.
    mutating func readCodes(_ segment: inout ImageReader) throws(ImageHeaderError) {
        while segment.left > 0 {
            let place = try segment.byte()
            guard place >> 4 < 2, place & 15 < 4 else { throw .malformed(at: segment.index) }
            let codes = try JPEGCodes(&segment)
            // Decoders refuse a table with a larger size, whether or not the data has its code.
            guard place >> 4 == 1 || codes.largestValue <= Self.largestSize else {
                throw .malformed(at: segment.index)
            }
            tables[Int(place >> 4) * 4 + Int(place & 15)] = codes
        }
    }

    /// Reads quantization tables. A step of zero would erase its coefficient: such a table counts as absent.
    mutating func readSteps(_ segment: inout ImageReader) throws(ImageHeaderError) {
        while segment.left > 0 {
            let place = try segment.byte()
            guard place >> 4 < 2, place & 15 < 4 else { throw .malformed(at: segment.index) }
            var isWhole = true
            for _ in 0..<64 {
                let step = place >> 4 == 0 ? UInt16(try segment.byte()) : UInt16(try segment.two())
                isWhole = isWhole && step > 0
            }
            areStepsDefined[Int(place & 15)] = isWhole
        }
    }

    /// Whether the quantization table with this number is defined.
    func hasSteps(_ number: UInt8) -> Bool { number < 4 && areStepsDefined[Int(number)] }

    /// The table of differences of DC coefficients with this number; nil if it is absent.
    func differences(_ number: UInt8) -> JPEGCodes? { number < 4 ? tables[Int(number)] : nil }

    /// The table of AC coefficients with this number; nil if it is absent.
    func coefficients(_ number: UInt8) -> JPEGCodes? { number < 4 ? tables[4 + Int(number)] : nil }
}

/// A Huffman table: codes of up to 16 bits, in the order of their lengths (C.2).
struct JPEGCodes {
    private var firstCode = [Int](repeating: 0, count: 17)
    private var firstValue = [Int](repeating: 0, count: 17)
    private var counts = [Int](repeating: 0, count: 17)
    private var values: [UInt8] = []

    var largestValue: Int { Int(values.max() ?? 0) }

    /// Reads a table. No code consists of ones alone (C.2).
    init(_ segment: inout ImageReader) throws(ImageHeaderError) {
        for length in 1...16 { counts[length] = Int(try segment.byte()) }
        var (code, value) = (0, 0)
        for length in 1...16 {
            (firstCode[length], firstValue[length]) = (code, value)
            code += counts[length]
            value += counts[length]
            guard code < 1 << length else { throw .malformed(at: segment.index) }
            code <<= 1
        }
        guard value <= 256 else { throw .malformed(at: segment.index) }
        for _ in 0..<value { values.append(try segment.byte()) }
    }

    /// The value of the next code.
    func next(_ bits: inout JPEGBits) throws(ImageHeaderError) -> Int {
        var code = 0
        for length in 1...16 {
            code = code << 1 | (try bits.next())
            let offset = code - firstCode[length]
            if offset < counts[length] { return Int(values[firstValue[length] + offset]) }
        }
        throw .malformed(at: bits.index)
    }
}

/// The bits of entropy-coded data up to the next marker (F.1.2.3).
struct JPEGBits {
    private let bytes: ArraySlice<UInt8>
    /// The byte after the one whose bits are read.
    private(set) var index: Int
    private var byte: UInt8 = 0
    private var left = 0

    init(_ bytes: ArraySlice<UInt8>, from index: Int) {
        self.bytes = bytes
        self.index = index
    }

    mutating func next() throws(ImageHeaderError) -> Int {
        if left == 0 {
            guard index < bytes.endIndex else { throw .truncated(at: index) }
            byte = bytes[index]
            index += 1
            if byte == 0xff {
                // A marker: the data ends before the last block.
                guard index < bytes.endIndex, bytes[index] == 0 else { throw .malformed(at: index) }
                index += 1
            }
            left = 8
        }
        left -= 1
        return Int(byte >> left & 1)
    }

    /// The next bits as a number.
    mutating func next(_ count: Int) throws(ImageHeaderError) -> Int {
        var number = 0
        for _ in 0..<count { number = number << 1 | (try next()) }
        return number
    }

    /// Goes on behind the restart marker with this number (modulo 8), which must be next.
    mutating func restart(_ number: Int) throws(ImageHeaderError) {
        try end()
        guard bytes[index + 1] == 0xd0 + UInt8(number & 7) else { throw .malformed(at: index) }
        index += 2
    }

    /// Goes to the marker after the scan. Some encoders also write a restart marker behind the last block.
    mutating func finish() throws(ImageHeaderError) {
        try end()
        while (0xd0...0xd7).contains(bytes[index + 1]) {
            index += 2
            try end()
        }
    }

    /// Goes to the marker that must be next; zero bytes and fill bytes (B.1.1.2) may come before.
    mutating func end() throws(ImageHeaderError) {
        left = 0
        while index < bytes.endIndex, bytes[index] == 0 { index += 1 }
        while index + 1 < bytes.endIndex, bytes[index] == 0xff, bytes[index + 1] == 0xff { index += 1 }
        guard index + 1 < bytes.endIndex else { throw .truncated(at: bytes.endIndex) }
        guard bytes[index] == 0xff, bytes[index + 1] != 0 else { throw .malformed(at: index) }
    }
}
