/// A scan of a JPEG image: its components, and the part of their coefficients that the scan contains.
struct JPEGScan {
    /// A component of the scan with its Huffman tables.
    private struct Part {
        /// The index of the component in the frame.
        let component: Int
        let differences: JPEGCodes?
        let coefficients: JPEGCodes?
    }

    /// The maximum size of a DC difference in bits (F.1.2.1.1).
    private static let largestDifference = 11
    /// The maximum size of an AC coefficient in bits (F.1.2.2.1).
    private static let largestCoefficient = 10
    /// The maximum number of blocks in a minimum coded unit (MCU) of an interleaved scan (B.2.3).
    private static let mostBlocks = 10

    private let isProgressive: Bool
    private var parts: [Part] = []
    /// The coefficients in the scan, counted in zigzag order.
    private let band: ClosedRange<Int>
    /// Whether earlier scans contained the upper bits of the coefficients in `band`.
    private let isRefinement: Bool
    /// The number of blocks left in the current run, in which no further coefficient of the band becomes
    /// nonzero (G.1.2.2).
    private var run = 0

    /// Reads the header of a scan (B.2.3), and records in the frame which bits the scan adds to its
    /// components.
    init(
        _ segment: inout ImageReader, of frame: inout JPEGFrame, _ tables: JPEGTables
    ) throws(ImageHeaderError) {
        isProgressive = frame.isProgressive
        for _ in 0..<(try segment.byte()) {
            let (identifier, numbers) = (try segment.byte(), try segment.byte())
            let component = frame.components.firstIndex { $0.identifier == identifier }
            guard let component, !parts.contains(where: { $0.component == component }) else {
                throw .malformed(at: segment.index)
            }
            // The high four bits are the number of the DC table, the low four bits of the AC table (B.2.3).
            parts.append(
                Part(
                    component: component, differences: tables.differences(numbers >> 4),
                    coefficients: tables.coefficients(numbers & 15)))
        }
        let (first, last) = (Int(try segment.byte()), Int(try segment.byte()))
        let bits = try segment.byte()
        guard !parts.isEmpty, segment.left == 0 else { throw .malformed(at: segment.index) }
        let components = parts.map { frame.components[$0.component] }
        guard components.allSatisfy({ tables.hasSteps($0.steps) }),
            components.count == 1 || components.reduce(0, { $0 + $1.across * $1.down }) <= Self.mostBlocks
        else {
            throw .malformed(at: segment.index)
        }
        guard frame.isProgressive else {
            // In a sequential image, these header fields have no meaning, and some encoders write other
            // values than the standard requires.
            (band, isRefinement) = (0...63, false)
            for part in parts {
                frame.components[part.component].missingBits = Array(repeating: 0, count: 64)
            }
            return
        }
        // A progressive scan has either DC coefficients only, or AC coefficients of a single component
        // (G.1.1.1.1).
        guard first <= last, last <= 63, first > 0 ? parts.count == 1 : last == 0 else {
            throw .malformed(at: segment.index)
        }
        // The numbers of low bits that are missing before and after this scan (Ah and Al). In the first scan
        // of a coefficient, the header has 0 for `before`, although all bits are missing. Each further scan
        // adds one bit.
        let (before, after) = (Int(bits >> 4), Int(bits & 15))
        (band, isRefinement) = (first...last, before > 0)
        // The standard limits Al to 13 (B.2.3).
        guard before == 0 ? after <= 13 : after == before - 1 else { throw .malformed(at: segment.index) }
        for part in parts {
            for coefficient in band {
                let missing = frame.components[part.component].missingBits[coefficient]
                // A refinement must follow the scan with the next higher bit, and each coefficient must have
                // exactly one first scan. Otherwise bits would be missing at the end, and the picture would
                // be incomplete.
                guard missing == (before == 0 ? nil : before) else { throw .malformed(at: segment.index) }
                frame.components[part.component].missingBits[coefficient] = after
            }
        }
    }

    /// Reads all blocks of the scan.
    ///
    /// - Parameter interval: the number of minimum coded units (MCU) between two restart markers; 0 for an
    ///   image without restart markers.
    mutating func read(
        _ bits: inout JPEGBits, of frame: inout JPEGFrame, restartInterval interval: Int
    ) throws(ImageHeaderError) {
        let isAlone = parts.count == 1
        let first = frame.components[parts[0].component]
        // An MCU of a scan with one component is one block of that component (A.2.2). An MCU of a scan with
        // several components has blocks of each of them (A.2.3).
        let (columns, rows) = isAlone ? (first.columns, first.rows) : (frame.columns, frame.rows)
        for unit in 0..<columns * rows {
            if interval > 0, unit > 0, unit % interval == 0 {
                try bits.restart(unit / interval - 1)
                run = 0
            }
            let (column, row) = (unit % columns, unit / columns)
            for part in parts {
                let component = frame.components[part.component]
                let (across, down) = isAlone ? (1, 1) : (component.across, component.down)
                for y in 0..<down {
                    for x in 0..<across {
                        let block = (row * down + y) * component.stride + column * across + x
                        try read(block, of: part, &bits, &frame)
                    }
                }
            }
        }
    }

    /// Reads the part of one block that the scan contains.
    private mutating func read(
        _ block: Int, of part: Part, _ bits: inout JPEGBits, _ frame: inout JPEGFrame
    ) throws(ImageHeaderError) {
        if band.lowerBound == 0 {
            // A refinement adds one bit to the DC coefficient. The value of the bit is not needed.
            if isRefinement { _ = try bits.next() } else { try readDifference(part, &bits) }
        }
        guard band.upperBound > 0 else { return }
        guard let codes = part.coefficients else { throw .malformed(at: bits.index) }
        guard isProgressive else { return try readSequential(codes, &bits) }
        if isRefinement {
            try refine(&frame.nonzero[part.component][block], codes, &bits)
        } else {
            try readFirst(&frame.nonzero[part.component][block], codes, &bits)
        }
    }

    /// Reads a DC coefficient, which is encoded as the difference from the previous block's DC coefficient
    /// (F.2.2.1).
    private func readDifference(_ part: Part, _ bits: inout JPEGBits) throws(ImageHeaderError) {
        guard let codes = part.differences else { throw .malformed(at: bits.index) }
        let size = try codes.next(&bits)
        guard size <= Self.largestDifference else { throw .malformed(at: bits.index) }
        // The value itself is not needed, because nothing is drawn.
        _ = try bits.next(size)
    }

    /// Reads the 63 AC coefficients of a block of a sequential image (F.2.2.2).
    private func readSequential(_ codes: JPEGCodes, _ bits: inout JPEGBits) throws(ImageHeaderError) {
        var place = 1
        while place <= 63 {
            let code = try codes.next(&bits)
            let (zeros, size) = (code >> 4, code & 15)
            // A size of 0 means that no coefficient follows. With this size, 15 in `zeros` stands for 16
            // zeros, and any other number ends the block.
            if size == 0 {
                guard zeros == 15 else { return }
                place += 16
                continue
            }
            place += zeros
            guard place <= 63, size <= Self.largestCoefficient else { throw .malformed(at: bits.index) }
            // The value itself is not needed, because nothing is drawn.
            _ = try bits.next(size)
            place += 1
        }
    }

    /// Reads the upper bits of the band's coefficients in one block (G.1.2.2).
    private mutating func readFirst(
        _ nonzero: inout UInt64, _ codes: JPEGCodes, _ bits: inout JPEGBits
    ) throws(ImageHeaderError) {
        // A block within a run has no coefficients in this band.
        guard run == 0 else {
            run -= 1
            return
        }
        var place = band.lowerBound
        while place <= band.upperBound {
            let code = try codes.next(&bits)
            let (zeros, size) = (code >> 4, code & 15)
            // A size of 0 means that no coefficient follows. With this size, 15 in `zeros` stands for 16
            // zeros. Any other number begins a run of blocks without further coefficients in the band, and
            // this block is the first of the run.
            if size == 0 {
                guard zeros == 15 else {
                    run = (1 << zeros) + (try bits.next(zeros)) - 1
                    return
                }
                place += 16
                continue
            }
            place += zeros
            guard place <= band.upperBound, size <= Self.largestCoefficient else {
                throw .malformed(at: bits.index)
            }
            // Later scans need to know which coefficients are not zero, but not their values.
            _ = try bits.next(size)
            nonzero |= 1 << UInt64(place)
            place += 1
        }
    }

    /// Reads the next lower bit of the band's coefficients in one block (G.1.2.3). The bit is present for
    /// each coefficient that is nonzero already, and for each coefficient that becomes nonzero with this bit.
    private mutating func refine(
        _ nonzero: inout UInt64, _ codes: JPEGCodes, _ bits: inout JPEGBits
    ) throws(ImageHeaderError) {
        var place = band.lowerBound
        while run == 0, place <= band.upperBound {
            let code = try codes.next(&bits)
            let (zeros, size) = (code >> 4, code & 15)
            // A size of 1 means that a coefficient becomes nonzero. A size of 0 means that none does: 15 in
            // `zeros` then stands for 16 zeros, and any other number begins a run of blocks, of which this
            // block is the first.
            guard size <= 1 else { throw .malformed(at: bits.index) }
            if size == 0, zeros < 15 {
                run = (1 << zeros) + (try bits.next(zeros))
                break
            }
            // This bit is the sign of the new coefficient, which is not needed.
            _ = try bits.next(size)
            try skip(zeros, from: &place, nonzero, &bits)
            guard place <= band.upperBound || size == 0 else { throw .malformed(at: bits.index) }
            if size == 1 { nonzero |= 1 << UInt64(place) }
            place += 1
        }
        guard run > 0 else { return }
        run -= 1
        // 64 zeros are more than any band has, so this call moves `place` to the end of the band.
        try skip(64, from: &place, nonzero, &bits)
    }

    /// Moves `place` past a number of coefficients that stay zero, or to the end of the band. Reads one bit
    /// for each coefficient in between that is not zero.
    private func skip(
        _ zeros: Int, from place: inout Int, _ nonzero: UInt64, _ bits: inout JPEGBits
    ) throws(ImageHeaderError) {
        var left = zeros
        while place <= band.upperBound {
            if nonzero >> UInt64(place) & 1 == 1 {
                _ = try bits.next()
            } else {
                // `place` stays at the next zero coefficient, which the caller handles.
                guard left > 0 else { return }
                left -= 1
            }
            place += 1
        }
    }
}
