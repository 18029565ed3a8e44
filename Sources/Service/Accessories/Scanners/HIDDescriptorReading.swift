/// The state while the items of a report descriptor are read (HID 1.11, 6.2.2.4 to 6.2.2.8).
struct HIDDescriptorReading {
    /// The state that lasts until it is changed, and that is pushed and popped.
    private struct Globals {
        var usagePage: UInt16 = 0
        var reportSize: UInt32 = 0
        var reportCount: UInt32 = 0
        var reportNumber: UInt8?
    }

    /// Usages that were declared for the next main item.
    private struct Usages {
        let lower: UInt32
        let upper: UInt32
        /// Whether the upper 16 bits are the usage page. Otherwise the page is that of the main item.
        let isExtended: Bool
    }

    /// The widest value that Linux accepts, in bits.
    private static let maximumValueSize: UInt32 = 256
    private static let maximumReportBits = HIDReportDescriptor.maximumReportLength * 8

    private var globals = Globals()
    private var pushed: [Globals] = []
    private var usages: [Usages] = []
    /// The lower end of a range of usages whose upper end has not come yet.
    private var openRange: HIDItem?
    /// The number of alternative usages within a delimiter; `nil` outside a delimiter.
    private var alternatives: Int?
    private var depth = 0
    /// The bits of each input report that are declared so far, by the number of the report. 0 is a report without.
    private var lengths: [UInt8: Int] = [:]
    private var fields: [HIDReportDescriptor.Field] = []

    /// Reads an item.
    mutating func receive(_ item: HIDItem) throws(HIDReportDescriptorError) {
        switch item.tag {
        case .input, .output, .feature, .collection, .endCollection: try receiveMain(item)
        case .usage, .usageMinimum, .usageMaximum, .delimiter: try receiveLocal(item)
        case .usagePage: globals.usagePage = UInt16(truncatingIfNeeded: item.value)
        case .reportSize: globals.reportSize = item.value
        case .reportCount: globals.reportCount = item.value
        case .reportNumber:
            guard let number = UInt8(exactly: item.value), number > 0 else {
                throw .reportNumberInvalid(at: item.offset)
            }
            globals.reportNumber = number
        case .push:
            guard pushed.count < HIDReportDescriptor.maximumDepth else {
                throw .nestingTooDeep(at: item.offset)
            }
            pushed.append(globals)
        case .pop:
            guard let popped = pushed.popLast() else { throw .nestingUnbalanced(at: item.offset) }
            globals = popped
        case nil: break
        }
    }

    /// Ends the descriptor.
    ///
    /// - Returns: the input fields.
    consuming func end() throws(HIDReportDescriptorError) -> [HIDReportDescriptor.Field] {
        guard depth == 0 else { throw .collectionOpen }
        // If one report has a number, the first byte of all reports is a number.
        guard lengths[0] == nil || lengths.count == 1 else { throw .reportNumberMissing }
        return fields
    }

    private mutating func receiveMain(_ item: HIDItem) throws(HIDReportDescriptorError) {
        guard openRange == nil else { throw .usageRangeInvalid(at: item.offset) }
        switch item.tag {
        case .input: try addInput(item)
        case .collection:
            guard depth < HIDReportDescriptor.maximumDepth else { throw .nestingTooDeep(at: item.offset) }
            depth += 1
        case .endCollection:
            guard depth > 0 else { throw .nestingUnbalanced(at: item.offset) }
            depth -= 1
        default: break
        }
        // What is local ends with each main item.
        usages = []
        alternatives = nil
    }

    private mutating func receiveLocal(_ item: HIDItem) throws(HIDReportDescriptorError) {
        switch item.tag {
        case .delimiter: alternatives = item.value == 1 ? 0 : nil
        case .usage: addUsages(from: item.value, to: item.value, isExtended: item.size == 4)
        case .usageMinimum:
            guard openRange == nil else { throw .usageRangeInvalid(at: item.offset) }
            openRange = item
        default:
            guard let lower = openRange, lower.value <= item.value else {
                throw .usageRangeInvalid(at: item.offset)
            }
            openRange = nil
            addUsages(from: lower.value, to: item.value, isExtended: lower.size == 4)
        }
    }

    /// Adds usages for the next main item. Of the usages within a delimiter only the first is kept: the others are
    /// further names of the same value (HID 1.11, 6.2.2.8).
    private mutating func addUsages(from lower: UInt32, to upper: UInt32, isExtended: Bool) {
        if let count = alternatives {
            alternatives = count + 1
            guard count == 0 else { return }
        }
        usages.append(Usages(lower: lower, upper: upper, isExtended: isExtended))
    }

    private mutating func addInput(_ item: HIDItem) throws(HIDReportDescriptorError) {
        let (size, count) = (globals.reportSize, globals.reportCount)
        let number = globals.reportNumber
        // The byte with the report's number comes first.
        let start = lengths[number ?? 0] ?? (number == nil ? 0 : 8)
        guard size <= Self.maximumValueSize, count <= UInt32(Self.maximumReportBits),
            Int(size) * Int(count) <= Self.maximumReportBits - start
        else { throw .reportTooLong(at: item.offset) }
        lengths[number ?? 0] = start + Int(size) * Int(count)
        // Bit 0 marks a constant, which is padding. Bit 1 marks values with a usage each; without it the item is an
        // array.
        guard size > 0, count > 0, item.value & 1 == 0 else { return }
        try addFields(at: start, isArray: item.value & 2 == 0, item.offset)
    }

    /// Adds the fields of an input item. Each value has the next usage, and the last usage is that of all further
    /// values.
    private mutating func addFields(
        at start: Int, isArray: Bool, _ offset: Int
    ) throws(HIDReportDescriptorError) {
        var bit = start
        var missing = Int(globals.reportCount)
        for (index, range) in usages.enumerated() {
            var usage = range.lower
            while missing > 0 {
                let isLast = index == usages.count - 1 && usage == range.upper
                let count = isArray || isLast ? missing : 1
                try add(usage, isExtended: range.isExtended, at: bit, count: count, offset)
                missing -= count
                bit += count * Int(globals.reportSize)
                guard usage < range.upper else { break }
                usage += 1
            }
        }
    }

    /// Adds a field, or lengthens the field before it if both have one usage.
    private mutating func add(
        _ usage: UInt32, isExtended: Bool, at bit: Int, count: Int, _ offset: Int
    ) throws(HIDReportDescriptorError) {
        let page = isExtended ? UInt16(usage >> 16) : globals.usagePage
        let number = UInt16(truncatingIfNeeded: usage)
        let size = Int(globals.reportSize)
        var (start, total) = (bit, count)
        if let last = fields.last, last.usagePage == page, last.usage == number,
            last.reportNumber == globals.reportNumber, last.bitSize == size, last.endOffset == bit
        {
            (start, total) = (last.bitOffset, last.count + count)
            fields.removeLast()
        }
        guard fields.count < HIDReportDescriptor.maximumFields else { throw .tooManyFields(at: offset) }
        fields.append(
            HIDReportDescriptor.Field(
                usagePage: page, usage: number, reportNumber: globals.reportNumber, bitOffset: start,
                bitSize: size, count: total))
    }
}
