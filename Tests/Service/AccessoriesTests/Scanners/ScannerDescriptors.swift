import Accessories
import VectorFiles

/// Report descriptors of the tests.
enum ScannerDescriptors {
    /// A report of 64 bytes with the number 2: the count of data, an AIM identifier, 56 bytes of data, a further
    /// identifier, a reserved byte, and in bit 0 of the last byte whether more follows. The manuals of Access-IS
    /// (LSR110, LSR118, ATR110) describe this report. The lines are: the collection; report 2, bytes; the count; the
    /// three characters of the identifier; the data; two bytes of the maker's page; and eight bits, of which the first
    /// says whether more follows, because the last usage counts for all further values.
    static let long = [UInt8](
        hex: """
            058c 0902 a101
            8502 1500 26ff00 7508
            0501 093b 9501 8102
            058c 09fb 09fc 09fd 9503 8102
            09fe 9538 820201
            0666ff 0904 0900 9502 8102
            058c 2501 7501 9508 09ff 8102
            c0
            """)

    /// A report of 30 bytes without a number: in bit 3 of the first byte whether more follows, 24 bytes of data, an
    /// AIM identifier as one field, and the count of data as 16 bits. The lines are: the collection; three bits of
    /// padding; the continuation; four bits of padding; the data; the identifier; and the count.
    static let short = [UInt8](
        hex: """
            058c 0902 a101
            7501 9503 8103
            9501 09ff 8102
            9504 8103
            7508 9518 09fe 8102
            9503 09fb 8102
            0501 7510 9501 093b 8102
            c0
            """)

    /// A report of 17 bytes with the number 5: 16 bytes of data, and nothing else.
    static let plain = [UInt8](hex: "058c 0902 a101 8505 7508 9510 09fe 8102 c0")

    /// A keyboard (HID 1.11, appendix B.1), without its lamps.
    static let keyboard = [UInt8](
        hex: """
            0501 0906 a101
            0507 19e0 29e7 1500 2501 7501 9508 8102
            9501 7508 8101
            9506 7508 1500 2565 0507 1900 2965 8100
            c0
            """)

    /// A report of `long`.
    static func longReport(
        _ text: String, isContinued: Bool = false, count: UInt8? = nil, fill: UInt8 = 0
    ) -> [UInt8] {
        var report: [UInt8] = [0x02, count ?? UInt8(text.utf8.count)]
        report += "]Q1".utf8
        report += text.utf8
        report += [UInt8](repeating: fill, count: 61 - report.count)
        report += [UInt8(ascii: "s"), 0x00, isContinued ? 0x01 : 0x00]
        return report
    }

    /// The reports of `long` for a text.
    static func longReports(_ text: String) -> [[UInt8]] {
        var rest = text[...]
        var reports: [[UInt8]] = []
        while !rest.isEmpty {
            let part = rest.prefix(56)
            rest = rest.dropFirst(56)
            reports.append(longReport(String(part), isContinued: !rest.isEmpty))
        }
        return reports
    }
}
