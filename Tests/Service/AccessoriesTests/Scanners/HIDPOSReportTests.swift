import Accessories
import Testing
import VectorFiles

@Suite("Codes in the reports of a HID POS scanner")
struct HIDPOSReportTests {
    private static func scanner(_ descriptor: [UInt8]) throws -> HIDPOSReport {
        try #require(HIDPOSReport(HIDReportDescriptor(descriptor[...])))
    }

    /// Receives reports that come within a millisecond.
    private static func received(
        _ reports: [[UInt8]], by scanner: inout HIDPOSReport, at time: Duration = .zero
    ) -> [ScannedBytes] {
        reports.compactMap { scanner.receive($0[...], at: time) }
    }

    @Test("One report gives a code and its symbology")
    func oneReport() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let codes = Self.received([ScannerDescriptors.longReport("mdoc:AQIDBA")], by: &scanner)
        #expect(codes == [.text("mdoc:AQIDBA", .qr)])
    }

    @Test("Reports that continue each other are one code", arguments: [56, 57, 112, 113, 167, 400])
    func joined(_ count: Int) throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let text = String((SampleCode.uri + SampleCode.data + SampleCode.inverted).prefix(count))
        let reports = ScannerDescriptors.longReports(text)
        #expect(reports.count == (count + 55) / 56)
        #expect(Self.received(reports, by: &scanner) == [.text(text, .qr)])
    }

    @Test("A code whose last report is missing is no code")
    func unfinished() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let reports = ScannerDescriptors.longReports(SampleCode.uri)
        #expect(Self.received(Array(reports.dropLast()), by: &scanner) == [])
    }

    @Test("Only the count of data is read, not what fills the report")
    func count() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let report = ScannerDescriptors.longReport("abc", fill: UInt8(ascii: "x"))
        #expect(Self.received([report], by: &scanner) == [.text("abc", .qr)])
        let short = ScannerDescriptors.longReport("abcd", count: 2)
        #expect(Self.received([short], by: &scanner) == [.text("ab", .qr)])
        let empty = ScannerDescriptors.longReport("abc", count: 0)
        #expect(Self.received([empty], by: &scanner) == [])
    }

    @Test(
        "A count past the report is refused and drops the whole code",
        arguments: [57, 58, 64, 255] as [UInt8])
    func countTooLarge(_ count: UInt8) throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let wrong = ScannerDescriptors.longReport("abc", count: count)
        #expect(Self.received([wrong], by: &scanner) == [])
        // The code after it is read.
        #expect(Self.received([ScannerDescriptors.longReport("abc")], by: &scanner) == [.text("abc", .qr)])
        // Within a code its other reports are dropped, too.
        var reports = ScannerDescriptors.longReports(SampleCode.uri)
        #expect(reports.count == 3)
        reports[1][1] = count
        #expect(Self.received(reports, by: &scanner) == [])
        reports[1][1] = 56
        #expect(Self.received(reports, by: &scanner) == [.text(SampleCode.uri, .qr)])
    }

    @Test("Of the last byte only bit 0 says that more follows")
    func continuedBit() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        var report = ScannerDescriptors.longReport("abc")
        report[63] = 0xfe
        #expect(Self.received([report], by: &scanner) == [.text("abc", .qr)])
        report[63] = 0xff
        #expect(Self.received([report], by: &scanner) == [])
    }

    @Test("A report of another number changes nothing")
    func otherReports() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let reports = ScannerDescriptors.longReports(SampleCode.uri)
        var other = ScannerDescriptors.longReport("xyz")
        other[0] = 3
        let mixed = [other, reports[0], other, [3], [], reports[1], other, reports[2], other]
        // An empty report has no number.
        #expect(Self.received(mixed, by: &scanner) == [.text(SampleCode.uri, .qr)])
    }

    @Test("A report that is too short drops its code; one that is too long is read")
    func length() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let report = ScannerDescriptors.longReport("abc")
        #expect(Self.received([report + [0xff, 0xff]], by: &scanner) == [.text("abc", .qr)])
        let cut = Array(ScannerDescriptors.longReport("def").dropLast())
        #expect(Self.received([cut], by: &scanner) == [])
        // The next report may be the rest of the same code.
        #expect(Self.received([ScannerDescriptors.longReport("ghi")], by: &scanner) == [])
        #expect(Self.received([ScannerDescriptors.longReport("ghi")], by: &scanner) == [.text("ghi", .qr)])
        // After a second it is not.
        #expect(Self.received([cut], by: &scanner) == [])
        let next = Self.received([ScannerDescriptors.longReport("jkl")], by: &scanner, at: .seconds(1))
        #expect(next == [.text("jkl", .qr)])
    }

    @Test("A code whose next report does not come within a second is dropped")
    func lateReport() throws {
        let reports = ScannerDescriptors.longReports(String(SampleCode.uri.prefix(100)))
        for (time, text) in [
            (999, String(SampleCode.uri.prefix(100))), (1000, String(SampleCode.uri.prefix(100).suffix(44))),
        ] {
            var scanner = try Self.scanner(ScannerDescriptors.long)
            #expect(scanner.receive(reports[0][...], at: .zero) == nil)
            // A late report is the beginning of a code of its own, which is foreign.
            let code = scanner.receive(reports[1][...], at: .milliseconds(time))
            #expect(code == .text(text, .qr))
        }
    }

    @Test("8192 bytes are a code; more are reported once, and dropped up to the last report")
    func limit() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let longest = String(repeating: "a", count: 8192)
        #expect(Self.received(ScannerDescriptors.longReports(longest), by: &scanner) == [.text(longest, .qr)])
        let tooLong = ScannerDescriptors.longReports(longest + longest)
        #expect(Self.received(tooLong, by: &scanner) == [.tooLong])
        #expect(Self.received([ScannerDescriptors.longReport("abc")], by: &scanner) == [.text("abc", .qr)])
        #expect(Self.received(ScannerDescriptors.longReports(longest + "a"), by: &scanner) == [.tooLong])
    }

    @Test("The same code within 2 s is the same, and after 2 s a new one")
    func repetition() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        let report = [ScannerDescriptors.longReport("abc")]
        let times = [0, 1, 1999, 2000, 3999, 4000]
        let codes = times.map { Self.received(report, by: &scanner, at: .milliseconds($0)).count }
        #expect(codes == [1, 0, 0, 1, 0, 1])
    }

    @Test("No byte of a code is in the machine's description")
    func redacted() throws {
        var scanner = try Self.scanner(ScannerDescriptors.long)
        _ = scanner.receive(ScannerDescriptors.longReport("secret", isContinued: true)[...], at: .zero)
        var dumped = ""
        dump(scanner, to: &dumped)
        for text in ["\(scanner)", String(reflecting: scanner), dumped] {
            #expect(text.contains("HIDPOSReport(redacted)") && !text.contains("115"))
        }
    }
}

@Suite("Other layouts of HID POS scanners")
struct HIDPOSLayoutTests {
    private static func scanner(_ descriptor: [UInt8]) throws -> HIDPOSReport {
        try #require(HIDPOSReport(HIDReportDescriptor(descriptor[...])))
    }

    /// A report of `ScannerDescriptors.short`.
    private static func shortReport(_ text: String, isContinued: Bool, count: UInt16? = nil) -> [UInt8] {
        let count = count ?? UInt16(text.utf8.count)
        // All bits of the first byte but bit 3 are padding.
        var report: [UInt8] = [isContinued ? 0xff : 0xf7]
        report += text.utf8
        report += [UInt8](repeating: 0, count: 25 - report.count)
        report += "]L0".utf8
        report += [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        return report
    }

    @Test("A report without a number, with its fields in another order, gives the same")
    func short() throws {
        var scanner = try Self.scanner(ScannerDescriptors.short)
        #expect(
            scanner.receive(Self.shortReport("mdoc:AQIDBAAQIDBAAQIDBA", isContinued: true)[...], at: .zero)
                == nil)
        let code = scanner.receive(Self.shortReport("AQID", isContinued: false)[...], at: .zero)
        #expect(code == .text("mdoc:AQIDBAAQIDBAAQIDBAAQID", .pdf417))
    }

    @Test("A count of 16 bits is read whole", arguments: [25, 256, 257, 0xffff] as [UInt16])
    func wideCount(_ count: UInt16) throws {
        var scanner = try Self.scanner(ScannerDescriptors.short)
        let report = Self.shortReport("abc", isContinued: false, count: count)
        #expect(scanner.receive(report[...], at: .zero) == nil)
    }

    @Test("Without a count, zeros at the end are no data")
    func plain() throws {
        var scanner = try Self.scanner(ScannerDescriptors.plain)
        let report = [0x05] + Array("]Q1mdoc:AQID".utf8) + [0, 0, 0, 0]
        #expect(scanner.receive(report[...], at: .zero) == .text("mdoc:AQID", .qr))
        let empty = [0x05] + [UInt8](repeating: 0, count: 16)
        #expect(scanner.receive(empty[...], at: .zero) == nil)
        let full = [0x05] + Array("mdoc:AQIDBAQIDBA".utf8)
        #expect(scanner.receive(full[...], at: .zero) == .text("mdoc:AQIDBAQIDBA"))
    }

    @Test(
        "A device without decoded data in an input report is no scanner",
        arguments: [
            "0501 7508 9508 09fe 8102",  // another page
            "058c 7508 9508 09fd 8102",  // another usage
            "058c 7508 9508 09fe 9102",  // an output report
            "058c 7508 9508 09fe b102",  // a feature report
            "058c 7508 9508 09fe 8103",  // a constant
            "058c 7507 9508 09fe 8102",  // values of seven bits
            "058c 7501 9501 09ff 8102 7508 9508 09fe 8102",  // not at the beginning of a byte
            "",
        ])
    func noScanner(_ hex: String) throws {
        #expect(HIDPOSReport(try HIDReportDescriptor([UInt8](hex: hex)[...])) == nil)
    }

    @Test("The twin: decoded data are enough, as values or as an array")
    func twin() throws {
        for hex in ["058c 7508 9508 09fe 8102", "058c 7508 9508 09fe 8100", "058c 7508 9508 09fe 820201"] {
            var scanner = try Self.scanner([UInt8](hex: hex))
            #expect(scanner.receive(SampleCode.bytes("abcdefgh"), at: .zero) == .text("abcdefgh"))
        }
    }

    @Test("A keyboard is no scanner")
    func keyboard() throws {
        #expect(HIDPOSReport(try HIDReportDescriptor(ScannerDescriptors.keyboard[...])) == nil)
    }
}
