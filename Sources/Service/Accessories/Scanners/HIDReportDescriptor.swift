/// The input fields that a HID report descriptor declares (Device Class Definition for HID 1.11, 6.2.2).
///
/// The descriptor comes from the device, so everything in it is bounded. Output and feature reports, physical
/// descriptors, strings and units are read over. Constant fields are padding: they take their place in the report, and
/// are not listed.
package struct HIDReportDescriptor: Equatable, Sendable {
    /// Consecutive values of an input report that have one usage.
    package struct Field: Equatable, Sendable {
        package let usagePage: UInt16
        /// The usage on its page. For an array, whose values are usages themselves, the first usage of the array.
        package let usage: UInt16
        /// The number in the first byte of the report, or `nil` if the device's reports have no numbers.
        package let reportNumber: UInt8?
        /// The position of the first value, in bits from the beginning of the report. The byte of the report's number
        /// is part of the report.
        package let bitOffset: Int
        /// The size of one value, in bits.
        package let bitSize: Int
        /// The number of values, which follow each other without gaps.
        package let count: Int

        package init(
            usagePage: UInt16, usage: UInt16, reportNumber: UInt8?, bitOffset: Int, bitSize: Int, count: Int
        ) {
            self.usagePage = usagePage
            self.usage = usage
            self.reportNumber = reportNumber
            self.bitOffset = bitOffset
            self.bitSize = bitSize
            self.count = count
        }

        /// The position after the last value, in bits.
        package var endOffset: Int { bitOffset + bitSize * count }
    }

    /// The maximum length of a descriptor, in bytes. Linux has the same limit (`HID_MAX_DESCRIPTOR_SIZE`).
    package static let maximumLength = 4096
    /// The maximum depth of collections, and of pushed states.
    package static let maximumDepth = 16
    /// The maximum length of a report, in bytes. Linux has the same limit (`HID_MAX_BUFFER_SIZE`).
    package static let maximumReportLength = 16_384
    /// The maximum number of input fields.
    package static let maximumFields = 1024

    /// The input fields in the order of the descriptor.
    package let inputFields: [Field]

    /// Parses a descriptor as `HIDIOCGRDESC` or `report_descriptor` in `/sys` gives it.
    package init(_ bytes: ArraySlice<UInt8>) throws(HIDReportDescriptorError) {
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        var rest = bytes
        var reading = HIDDescriptorReading()
        while !rest.isEmpty {
            let offset = bytes.count - rest.count
            try reading.receive(HIDItem(parsing: &rest, at: offset))
        }
        inputFields = try reading.end()
    }
}

/// One item of a report descriptor (HID 1.11, 6.2.2.1 to 6.2.2.3).
struct HIDItem {
    /// The tags that matter here, with the type of the item in bits 2 and 3.
    enum Tag: UInt8 {
        case input = 0x80
        case output = 0x90
        case collection = 0xa0
        case feature = 0xb0
        case endCollection = 0xc0
        case usagePage = 0x04
        case reportSize = 0x74
        case reportNumber = 0x84
        case reportCount = 0x94
        case push = 0xa4
        case pop = 0xb4
        case usage = 0x08
        case usageMinimum = 0x18
        case usageMaximum = 0x28
        case delimiter = 0xa8
    }

    /// The first byte of a long item, whose second byte is the length of its data.
    private static let longItem: UInt8 = 0xfe

    /// `nil` for an item that does not matter here.
    let tag: Tag?
    /// The data as an unsigned number, little-endian.
    let value: UInt32
    /// The number of bytes of the data: 0, 1, 2 or 4.
    let size: Int
    /// The offset of the item in the descriptor.
    let offset: Int

    /// Removes an item from the beginning of `rest`, which is not empty.
    init(parsing rest: inout ArraySlice<UInt8>, at offset: Int) throws(HIDReportDescriptorError) {
        self.offset = offset
        guard let prefix = rest.popFirst() else { throw .truncated(at: offset) }
        guard prefix != Self.longItem else {
            // No long item is defined. The byte after the length is a tag.
            guard let length = rest.popFirst(), rest.count > Int(length) else { throw .truncated(at: offset) }
            rest = rest.dropFirst(Int(length) + 1)
            (tag, value, size) = (nil, 0, 0)
            return
        }
        // The size 3 stands for four bytes.
        size = prefix & 3 == 3 ? 4 : Int(prefix & 3)
        guard rest.count >= size else { throw .truncated(at: offset) }
        value = rest.prefix(size).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        rest = rest.dropFirst(size)
        tag = Tag(rawValue: prefix & 0xfc)
    }
}
