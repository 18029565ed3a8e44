import Accessories
import Testing
import VectorFiles

@Suite("HID report descriptors")
struct HIDReportDescriptorTests {
    private typealias Field = HIDReportDescriptor.Field

    private static func fields(_ hex: String) throws(HIDReportDescriptorError) -> [Field] {
        try HIDReportDescriptor([UInt8](hex: hex)[...]).inputFields
    }

    private static func field(
        _ page: UInt16, _ usage: UInt16, of report: UInt8? = nil, at bit: Int, _ size: Int, count: Int = 1
    ) -> Field {
        Field(
            usagePage: page, usage: usage, reportNumber: report, bitOffset: bit, bitSize: size, count: count)
    }

    @Test("The fields of a scanner have their places in the report")
    func scanner() throws {
        let descriptor = try HIDReportDescriptor(ScannerDescriptors.long[...])
        #expect(
            descriptor.inputFields == [
                Self.field(0x01, 0x3b, of: 2, at: 8, 8),
                Self.field(0x8c, 0xfb, of: 2, at: 16, 8),
                Self.field(0x8c, 0xfc, of: 2, at: 24, 8),
                Self.field(0x8c, 0xfd, of: 2, at: 32, 8),
                Self.field(0x8c, 0xfe, of: 2, at: 40, 8, count: 56),
                Self.field(0xff66, 0x04, of: 2, at: 488, 8),
                Self.field(0xff66, 0x00, of: 2, at: 496, 8),
                Self.field(0x8c, 0xff, of: 2, at: 504, 1, count: 8),
            ])
        #expect(descriptor.inputFields.last?.endOffset == 64 * 8)
    }

    @Test("Padding takes its place and is no field; a report without a number begins with its first field")
    func padding() throws {
        let descriptor = try HIDReportDescriptor(ScannerDescriptors.short[...])
        #expect(
            descriptor.inputFields == [
                Self.field(0x8c, 0xff, at: 3, 1),
                Self.field(0x8c, 0xfe, at: 8, 8, count: 24),
                Self.field(0x8c, 0xfb, at: 200, 8, count: 3),
                Self.field(0x01, 0x3b, at: 224, 16),
            ])
    }

    @Test("A range gives each value its usage, and an array is one field")
    func keyboard() throws {
        let fields = try HIDReportDescriptor(ScannerDescriptors.keyboard[...]).inputFields
        let modifiers = (0..<8).map { Self.field(0x07, 0xe0 + UInt16($0), at: $0, 1) }
        #expect(fields == modifiers + [Self.field(0x07, 0x00, at: 16, 8, count: 6)])
    }

    @Test("Each report has its own places, and output and feature reports have none among them")
    func severalReports() throws {
        let fields = try Self.fields(
            "058c 7508 9501 8501 09fe 8102 8502 09fe 8102 09fd 9102 09fd b102 8501 09ff 8102 8502 09ff 8102")
        #expect(
            fields == [
                Self.field(0x8c, 0xfe, of: 1, at: 8, 8), Self.field(0x8c, 0xfe, of: 2, at: 8, 8),
                Self.field(0x8c, 0xff, of: 1, at: 16, 8), Self.field(0x8c, 0xff, of: 2, at: 16, 8),
            ])
    }

    @Test("The state is pushed and popped")
    func pushed() throws {
        // Within push and pop another page, size and count.
        let fields = try Self.fields("058c 7508 9502 a4 0501 7504 9501 093b 8102 b4 09fe 8102")
        #expect(fields == [Self.field(0x01, 0x3b, at: 0, 4), Self.field(0x8c, 0xfe, at: 4, 8, count: 2)])
    }

    @Test("A usage of four bytes brings its page, and any other has the page of the main item")
    func pages() throws {
        #expect(try Self.fields("0501 7508 9501 0bfe008c00 8102") == [Self.field(0x8c, 0xfe, at: 0, 8)])
        #expect(try Self.fields("0501 7508 9501 09fe 058c 8102") == [Self.field(0x8c, 0xfe, at: 0, 8)])
        #expect(
            try Self.fields("0501 7508 9502 1bfe008c00 2bff008c00 8102") == [
                Self.field(0x8c, 0xfe, at: 0, 8), Self.field(0x8c, 0xff, at: 8, 8),
            ])
    }

    @Test("Usages end with their main item, and values without a usage are no field")
    func localState() throws {
        #expect(try Self.fields("058c 7508 9501 09fe 8102 8102") == [Self.field(0x8c, 0xfe, at: 0, 8)])
        #expect(try Self.fields("058c 7508 9501 09fe a101 8102 c0") == [])
        #expect(try Self.fields("058c 7508 9501 09fe 9102 8102") == [])
    }

    @Test("Values of one usage that follow each other are one field")
    func joined() throws {
        #expect(
            try Self.fields("058c 7508 9502 09fe 8102 9503 09fe 8102") == [
                Self.field(0x8c, 0xfe, at: 0, 8, count: 5)
            ])
        // The twin: a byte of padding is between them.
        #expect(
            try Self.fields("058c 7508 9502 09fe 8102 9501 8101 9503 09fe 8102") == [
                Self.field(0x8c, 0xfe, at: 0, 8, count: 2), Self.field(0x8c, 0xfe, at: 24, 8, count: 3),
            ])
    }

    @Test("Of alternative usages the first counts")
    func delimiters() throws {
        #expect(
            try Self.fields("058c 7508 9502 a901 09fe 0930 a900 09ff 8102") == [
                Self.field(0x8c, 0xfe, at: 0, 8), Self.field(0x8c, 0xff, at: 8, 8),
            ])
    }

    @Test("Long items, strings and unknown items are read over")
    func others() throws {
        let item = "058c 7508 9501 fe02f0aabb fe00f0 7901 39020c 0c 00 09fe 8102"
        #expect(try Self.fields(item) == [Self.field(0x8c, 0xfe, at: 0, 8)])
        #expect(try Self.fields("") == [])
        #expect(try Self.fields("058c 09fe 7500 9508 8102 7508 9500 09fe 8102") == [])
    }
}

@Suite("Limits of HID report descriptors")
struct HIDReportDescriptorLimitTests {
    private static func error(_ bytes: [UInt8]) -> HIDReportDescriptorError? {
        do throws(HIDReportDescriptorError) {
            _ = try HIDReportDescriptor(bytes[...])
            return nil
        } catch {
            return error
        }
    }

    private static func error(_ hex: String) -> HIDReportDescriptorError? { error([UInt8](hex: hex)) }

    @Test(
        "What breaks off or contradicts itself is refused at its place",
        arguments: [
            ("05", HIDReportDescriptorError.truncated(at: 0)),
            ("058c 26ff", .truncated(at: 2)),
            ("058c 0bfe008c", .truncated(at: 2)),
            ("fe", .truncated(at: 0)),
            ("058c fe02f0aa", .truncated(at: 2)),
            ("058c 8500", .reportNumberInvalid(at: 2)),
            ("860001", .reportNumberInvalid(at: 0)),
            ("058c 7508 9501 09fe 8102 8501 09fe 8102", .reportNumberMissing),
            ("c0", .nestingUnbalanced(at: 0)),
            ("a101 c0 c0", .nestingUnbalanced(at: 3)),
            ("b4", .nestingUnbalanced(at: 0)),
            ("a101", .collectionOpen),
            ("1905 2904", .usageRangeInvalid(at: 2)),
            ("2904", .usageRangeInvalid(at: 0)),
            ("1901 1902", .usageRangeInvalid(at: 2)),
            ("1901 8102", .usageRangeInvalid(at: 2)),
        ])
    func refused(_ hex: String, expected: HIDReportDescriptorError) {
        #expect(Self.error(hex) == expected)
    }

    @Test(
        "The twins are read",
        arguments: [
            "058c 26ff00", "058c 0bfe008c00", "058c fe02f0aabb", "058c 8501", "85ff",
            "8501 7508 9501 09fe 8102", "a101 a100 c0 c0", "a4 b4", "1904 2904", "1901 2902 8102",
        ])
    func twins(_ hex: String) {
        #expect(Self.error(hex) == nil)
    }

    @Test("4096 bytes are read, and one more is refused")
    func length() {
        #expect(Self.error([UInt8](repeating: 0, count: 4096)) == nil)
        #expect(Self.error([UInt8](repeating: 0, count: 4097)) == .tooLong)
    }

    @Test("Collections are nested 16 deep, and states pushed 16 times")
    func nesting() {
        func nested(_ depth: Int) -> [UInt8] {
            Array([[UInt8]](repeating: [0xa1, 0x01], count: depth).joined())
                + [UInt8](repeating: 0xc0, count: depth)
        }
        #expect(Self.error(nested(16)) == nil)
        #expect(Self.error(nested(17)) == .nestingTooDeep(at: 32))
        #expect(Self.error([UInt8](repeating: 0xa4, count: 16)) == nil)
        #expect(Self.error([UInt8](repeating: 0xa4, count: 17)) == .nestingTooDeep(at: 16))
    }

    @Test("A report has at most 16384 bytes with its number, and a value at most 256 bits")
    func reportLength() {
        #expect(Self.error("7508 960040 8102") == nil)
        #expect(Self.error("7508 960140 8102") == .reportTooLong(at: 5))
        #expect(Self.error("8501 7508 96ff3f 8102") == nil)
        #expect(Self.error("8501 7508 960040 8102") == .reportTooLong(at: 7))
        // Two items together are longer than each.
        #expect(Self.error("7508 960020 8102 8102") == nil)
        #expect(Self.error("7508 960020 8102 8102 9501 8102") == .reportTooLong(at: 11))
        #expect(Self.error("760001 9501 8102") == nil)
        #expect(Self.error("760101 9501 8102") == .reportTooLong(at: 5))
        #expect(Self.error("7508 97ffffffff 8102") == .reportTooLong(at: 7))
        #expect(Self.error("77ffffffff 97ffffffff 8102") == .reportTooLong(at: 10))
    }

    @Test("A descriptor has at most 1024 fields, and a range may be longer than its values")
    func fields() throws {
        #expect(Self.error("1900 2aff03 7501 960004 8102") == nil)
        #expect(Self.error("1900 2a0004 7501 960104 8102") == .tooManyFields(at: 10))
        let wide = try HIDReportDescriptor(
            [UInt8](hex: "1b00000000 2bffffffff 7508 9502 8102")[...])
        #expect(wide.inputFields.map(\.usage) == [0, 1])
    }

    @Test("Random and damaged descriptors are read or refused, and all fields are within a report")
    func random() {
        var generator = SplitMix64(seed: 43)
        let whole = [ScannerDescriptors.long, ScannerDescriptors.short, ScannerDescriptors.keyboard]
        for round in 0..<3000 {
            let count = Int.random(in: 0...64, using: &generator)
            let bytes =
                round % 2 == 0
                ? generator.mutate(whole[round / 2 % 3])
                : (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard let descriptor = try? HIDReportDescriptor(bytes[...]) else { continue }
            #expect(
                descriptor.inputFields.allSatisfy {
                    $0.bitOffset >= 0 && $0.count > 0 && $0.endOffset <= 16_384 * 8
                })
            guard var scanner = HIDPOSReport(descriptor) else { continue }
            for step in 0..<8 {
                let length = Int.random(in: 0...80, using: &generator)
                let report = (0..<length).map { _ in UInt8.random(in: 0...5, using: &generator) }
                _ = scanner.receive(report[...], at: .milliseconds(step * 300))
            }
        }
    }
}
