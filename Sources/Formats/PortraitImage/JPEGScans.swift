/// A check that the entropy-coded data of a JPEG image is complete (ITU-T T.81). The check reads all blocks
/// but calculates no pixels (Q247).
///
/// Browsers show an image with broken data without a warning. They show only a part of the image, grey areas,
/// or the coarse picture of its first scans. Such a picture must not be compared with a face. An image is
/// complete if
///
/// - every block of every component is present in full precision,
/// - each code is in its Huffman table, and each component has its quantization table,
/// - a marker follows the last block of each scan. Bytes left over after that block show that its bits were
///   read from a wrong position. Zero bytes before a marker are ignored.
///
/// `ImageHeader` must have parsed the image before, because it bounds the number of pixels and parts. The
/// check does no I/O. Damage that turns codes into other valid codes is not detected.
package struct JPEGScans {
    /// The maximum number of scans, which is more than any encoder writes. The limit bounds the time, since
    /// each scan of a progressive image visits all blocks.
    private static let mostScans = 256

    private var frame: JPEGFrame?
    private var tables = JPEGTables()
    /// The number of minimum coded units (MCU) between two restart markers; 0 if the image has no restart
    /// markers.
    private var interval = 0
    /// The number of scans so far.
    private var count = 0

    /// Reads all scans of an image whose header was parsed.
    ///
    /// - Parameter image: the bytes from the start of the image to its end marker.
    /// - Throws: `truncated` or `malformed` if the image is not complete, `tooLarge` if it has more scans
    ///   than a portrait needs.
    package static func check(_ image: ArraySlice<UInt8>) throws(ImageHeaderError) {
        var scans = JPEGScans()
        var reader = ImageReader(image)
        // Skips the marker that starts the image.
        try reader.skip(2)
        while true {
            let marker = try ImageHeader.nextMarker(&reader)
            if marker == ImageHeader.endOfImage { return try scans.end(at: reader.index) }
            var segment = try ImageHeader.nextSegment(&reader)
            switch marker {
            // Baseline, extended sequential and progressive frames.
            case 0xc0, 0xc1, 0xc2:
                guard scans.frame == nil else { throw .malformed(at: segment.index) }
                scans.frame = try JPEGFrame(&segment, isProgressive: marker == 0xc2)
            // Huffman tables, quantization tables and the restart interval.
            case 0xc4: try scans.tables.readCodes(&segment)
            case 0xdb: try scans.tables.readSteps(&segment)
            case 0xdd:
                scans.interval = Int(try segment.uint16())
                guard segment.left == 0 else { throw .malformed(at: segment.index) }
            case ImageHeader.startOfScan:
                try scans.read(&segment, &reader)
            default: break
            }
        }
    }

    /// Reads one scan: its header (B.2.3) from `segment`, and its blocks from `reader`.
    private mutating func read(
        _ segment: inout ImageReader, _ reader: inout ImageReader
    ) throws(ImageHeaderError) {
        count += 1
        guard count <= Self.mostScans else { throw .tooLarge }
        guard var frame else { throw .malformed(at: segment.index) }
        var scan = try JPEGScan(&segment, of: &frame, tables)
        var bits = JPEGBits(reader.all, from: reader.index)
        try scan.read(&bits, of: &frame, restartInterval: interval)
        try bits.finish()
        try reader.skip(bits.index - reader.index)
        self.frame = frame
    }

    private func end(at index: Int) throws(ImageHeaderError) {
        guard let frame, frame.components.allSatisfy(\.isComplete) else { throw .malformed(at: index) }
    }
}

/// The frame header (B.2.2), and for each component a record of the bits that the scans so far contained.
struct JPEGFrame {
    struct Component {
        let identifier: UInt8
        /// The horizontal sampling factor: the number of blocks side by side in a minimum coded unit (MCU) of
        /// an interleaved scan.
        let across: Int
        /// The vertical sampling factor: the number of blocks above each other in an MCU.
        let down: Int
        /// The number of the component's quantization table.
        let steps: UInt8
        /// The number of blocks side by side in a scan of this component alone.
        fileprivate(set) var columns = 0
        /// The number of blocks above each other in a scan of this component alone.
        fileprivate(set) var rows = 0
        /// The number of blocks in a row, including blocks that only fill up the last MCU.
        fileprivate(set) var stride = 0
        /// The number of low bits of each coefficient that later scans must contain; `nil` before the
        /// coefficient's first scan.
        var missingBits = [Int?](repeating: nil, count: 64)

        var isComplete: Bool { missingBits.allSatisfy { $0 == 0 } }
    }

    let isProgressive: Bool
    /// The number of minimum coded units (MCU) side by side in an interleaved scan.
    let columns: Int
    /// The number of minimum coded units (MCU) above each other in an interleaved scan.
    let rows: Int
    var components: [Component] = []
    /// The coefficients that are not zero in each block of each component, one bit for each coefficient. Only
    /// for progressive images.
    var nonzero: [[UInt64]] = []

    /// Reads the header, and calculates the numbers of MCUs and blocks from the size and the sampling
    /// factors.
    init(_ segment: inout ImageReader, isProgressive: Bool) throws(ImageHeaderError) {
        self.isProgressive = isProgressive
        // Skips the precision, which is 8 bits: `ImageHeader` has checked it.
        try segment.skip(1)
        let (height, width) = (Int(try segment.uint16()), Int(try segment.uint16()))
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
        // The largest sampling factors must be multiples of each component's factors. Decoders do not support
        // components that must be scaled by a fraction.
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

/// The current quantization and Huffman tables (B.2.4.1, B.2.4.2).
struct JPEGTables {
    /// The maximum size, in bits, of a DC difference that a Huffman table may encode.
    private static let largestSize = 15

    private var tables = [JPEGCodes?](repeating: nil, count: 8)
    private var areStepsDefined = [Bool](repeating: false, count: 4)

    /// Reads Huffman tables.
    mutating func readCodes(_ segment: inout ImageReader) throws(ImageHeaderError) {
        while segment.left > 0 {
            // The high four bits are 0 for DC and 1 for AC coefficients. The low four bits are the number of
            // the table.
            let place = try segment.byte()
            guard place >> 4 < 2, place & 15 < 4 else { throw .malformed(at: segment.index) }
            let codes = try JPEGCodes(&segment)
            // Decoders refuse a table with a larger size even if the data does not use it.
            guard place >> 4 == 1 || codes.largestValue <= Self.largestSize else {
                throw .malformed(at: segment.index)
            }
            tables[Int(place >> 4) * 4 + Int(place & 15)] = codes
        }
    }

    /// Reads quantization tables. A table with a step of zero counts as absent, because the step would erase
    /// its coefficient.
    mutating func readSteps(_ segment: inout ImageReader) throws(ImageHeaderError) {
        while segment.left > 0 {
            // The high four bits are 0 for steps of one byte and 1 for steps of two bytes. The low four bits
            // are the number of the table.
            let place = try segment.byte()
            guard place >> 4 < 2, place & 15 < 4 else { throw .malformed(at: segment.index) }
            var isWhole = true
            for _ in 0..<64 {
                let step = place >> 4 == 0 ? UInt16(try segment.byte()) : UInt16(try segment.uint16())
                isWhole = isWhole && step > 0
            }
            areStepsDefined[Int(place & 15)] = isWhole
        }
    }

    /// Whether the quantization table number `number` is defined and has no step of zero.
    func hasSteps(_ number: UInt8) -> Bool { number < 4 && areStepsDefined[Int(number)] }

    /// Returns the Huffman table number `number` for DC differences; `nil` if it is absent.
    func differences(_ number: UInt8) -> JPEGCodes? { number < 4 ? tables[Int(number)] : nil }

    /// Returns the Huffman table number `number` for AC coefficients; `nil` if it is absent.
    func coefficients(_ number: UInt8) -> JPEGCodes? { number < 4 ? tables[4 + Int(number)] : nil }
}

/// A Huffman table: codes of up to 16 bits, in the order of their lengths (C.2).
struct JPEGCodes {
    /// The first code of each length in bits.
    private var firstCode = [Int](repeating: 0, count: 17)
    /// The index in `values` of the first code of each length.
    private var firstValue = [Int](repeating: 0, count: 17)
    /// The number of codes of each length.
    private var counts = [Int](repeating: 0, count: 17)
    /// The values of all codes, in the order of the codes.
    private var values: [UInt8] = []

    var largestValue: Int { Int(values.max() ?? 0) }

    /// Reads a table. A table is refused if all bits of one of its codes are 1 (C.2).
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

    /// Reads the next code and returns its value.
    func next(_ bits: inout JPEGBits) throws(ImageHeaderError) -> Int {
        var code = 0
        for length in 1...16 {
            code = code << 1 | (try bits.next())
            let offset = code - firstCode[length]
            // `offset` is not negative, because a code below the first one of this length would begin with a
            // shorter code.
            if offset < counts[length] { return Int(values[firstValue[length] + offset]) }
        }
        throw .malformed(at: bits.index)
    }
}

/// A reader of the bits of entropy-coded data up to the next marker (F.1.2.3).
struct JPEGBits {
    private let bytes: ArraySlice<UInt8>
    /// The index of the byte after the current one.
    private(set) var index: Int
    private var byte: UInt8 = 0
    /// The number of bits of the current byte that have not been read.
    private var left = 0

    init(_ bytes: ArraySlice<UInt8>, from index: Int) {
        self.bytes = bytes
        self.index = index
    }

    /// Reads the next bit. A zero byte after the byte FF is stuffed and skipped (F.1.2.3).
    mutating func next() throws(ImageHeaderError) -> Int {
        if left == 0 {
            guard index < bytes.endIndex else { throw .truncated(at: index) }
            byte = bytes[index]
            index += 1
            if byte == 0xff {
                // After the byte FF, any other byte than zero belongs to a marker, which would end the data
                // before the last block.
                guard index < bytes.endIndex, bytes[index] == 0 else { throw .malformed(at: index) }
                index += 1
            }
            left = 8
        }
        left -= 1
        return Int(byte >> left & 1)
    }

    /// Reads the next `count` bits as a number.
    mutating func next(_ count: Int) throws(ImageHeaderError) -> Int {
        var number = 0
        for _ in 0..<count { number = number << 1 | (try next()) }
        return number
    }

    /// Reads the restart marker, which must be next.
    ///
    /// - Parameter number: the number of the marker in the scan, from 0. The marker itself states this number
    ///   modulo 8.
    mutating func restart(_ number: Int) throws(ImageHeaderError) {
        try end()
        guard bytes[index + 1] == 0xd0 + UInt8(number & 7) else { throw .malformed(at: index) }
        index += 2
    }

    /// Moves to the marker after the scan. Some encoders write a restart marker after the last block. This
    /// marker is skipped.
    mutating func finish() throws(ImageHeaderError) {
        try end()
        // `end()` has checked that the marker's two bytes exist.
        while (0xd0...0xd7).contains(bytes[index + 1]) {
            index += 2
            try end()
        }
    }

    /// Moves to the next marker. Only zero bytes and fill bytes (B.1.1.2) may come before it.
    mutating func end() throws(ImageHeaderError) {
        left = 0
        while index < bytes.endIndex, bytes[index] == 0 { index += 1 }
        while index + 1 < bytes.endIndex, bytes[index] == 0xff, bytes[index + 1] == 0xff { index += 1 }
        guard index + 1 < bytes.endIndex else { throw .truncated(at: bytes.endIndex) }
        guard bytes[index] == 0xff, bytes[index + 1] != 0 else { throw .malformed(at: index) }
    }
}
