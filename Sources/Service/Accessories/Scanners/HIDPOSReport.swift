/// The machine that joins the reports of a HID POS scanner (USB-IF, Point of Sale Usage Tables 1.02, page 8Ch) to codes.
///
/// The report descriptor says where the data are: no layout is built in. A code that is longer than one report comes in
/// several, each of which says whether another follows. The machine refuses the code if
/// - a report is shorter than the descriptor declares, or states more data than it has room for
/// - the code has more than 8192 bytes, which is reported once as too long
/// - the next report of the code does not come within a second.
///
/// A report of another number, for example of the scanner's state, changes nothing. A code that the machine had within
/// the last two seconds is dropped.
package struct HIDPOSReport: Sendable, RedactedScan {
    /// The usages that matter here. The numbers of page 8Ch agree in the public usage tables and in the descriptors of
    /// several scanners.
    private enum Usage {
        static let genericDesktop: UInt16 = 0x01
        /// The number of bytes of data in this report, which Honeywell's descriptors take from the generic page.
        static let byteCount: UInt16 = 0x3b
        static let barCodeScanner: UInt16 = 0x8c
        /// The three characters of the AIM identifier.
        static let symbologyIdentifiers: [UInt16] = [0xfb, 0xfc, 0xfd]
        static let decodedData: UInt16 = 0xfe
        /// Whether the next report continues the code.
        static let decodedDataContinued: UInt16 = 0xff
    }

    /// The time within which the next report of a code comes.
    package static let continuation = Duration.seconds(1)

    private let data: HIDReportDescriptor.Field
    private let byteCount: HIDReportDescriptor.Field?
    private let continued: HIDReportDescriptor.Field?
    private let identifiers: [HIDReportDescriptor.Field]
    /// The length of a report with all these fields, in bytes.
    private let length: Int

    /// The parts of the code so far.
    private var code: [UInt8] = []
    private var symbology: ScanSymbology?
    /// Whether the rest of the code is dropped.
    private var isDropping = false
    private var lastReport = Duration.zero
    private var repeats = ScanRepeats()

    /// Finds the fields of a scanner in its descriptor.
    ///
    /// - Returns: `nil` if no input report has decoded data, as whole bytes that begin at a byte.
    package init?(_ descriptor: HIDReportDescriptor) {
        let page = descriptor.inputFields.filter { $0.usagePage == Usage.barCodeScanner }
        guard
            let data = page.first(where: {
                $0.usage == Usage.decodedData && $0.bitSize == 8 && $0.bitOffset % 8 == 0
            })
        else { return nil }
        self.data = data
        let report = descriptor.inputFields.filter { $0.reportNumber == data.reportNumber }
        byteCount = report.first {
            $0.usagePage == Usage.genericDesktop && $0.usage == Usage.byteCount && $0.bitSize <= 16
        }
        continued = report.first {
            $0.usagePage == Usage.barCodeScanner && $0.usage == Usage.decodedDataContinued && $0.bitSize <= 16
        }
        identifiers = Usage.symbologyIdentifiers.compactMap { usage in
            report.first { $0.usagePage == Usage.barCodeScanner && $0.usage == usage && $0.bitSize == 8 }
        }
        let end = ([data, byteCount, continued].compactMap { $0 } + identifiers).map(\.endOffset).max() ?? 0
        length = (end + 7) / 8
    }

    /// Receives an input report as hidraw gives it. The first byte is the report's number if reports have numbers.
    ///
    /// - Returns: the code that this report completes, or `tooLong`.
    package mutating func receive(_ report: ArraySlice<UInt8>, at now: Duration) -> ScannedBytes? {
        let bytes = Array(report)
        if let number = data.reportNumber, bytes.first != number { return nil }
        if now - lastReport >= Self.continuation { beginCode() }
        lastReport = now
        guard bytes.count >= length else {
            // Whether another report follows is unknown, so the next report that ends a code ends this one.
            drop()
            return nil
        }
        let isContinued = continued.map { Self.value(of: $0, 0, in: bytes) != 0 } ?? false
        defer { if !isContinued { beginCode() } }
        guard !isDropping, let part = part(of: bytes) else {
            drop()
            return nil
        }
        guard code.count + part.count <= ScannedBytes.maximumLength else {
            drop()
            return .tooLong
        }
        if code.isEmpty { symbology = ScanSymbology(identifier: identifier(in: bytes)) }
        code += part
        return isContinued ? nil : endCode(at: now)
    }

    private mutating func beginCode() {
        code = []
        symbology = nil
        isDropping = false
    }

    private mutating func drop() {
        code = []
        isDropping = true
    }

    private mutating func endCode(at now: Duration) -> ScannedBytes? {
        var text = code[...]
        // A scanner without fields for the identifier may send it as part of the data.
        let symbology = symbology ?? ScanSymbology.removeIdentifier(from: &text)
        guard !text.isEmpty, !repeats.isRepeat(Array(text), at: now) else { return nil }
        return .code(Array(text), symbology: symbology)
    }

    /// Returns the data of a report, or `nil` if the report states more data than it has room for.
    private func part(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let start = data.bitOffset / 8
        let room = bytes[start..<start + data.count]
        guard let byteCount else {
            // Without a count, zeros after the text are filling. A text of a QR code for a phone has no zero.
            var text = room
            while text.last == 0 { text = text.dropLast() }
            return text
        }
        let count = Self.value(of: byteCount, 0, in: bytes)
        return count <= room.count ? room.prefix(count) : nil
    }

    /// Returns the characters of the AIM identifier: one field for each, or one field for all three.
    private func identifier(in bytes: [UInt8]) -> [UInt8] {
        identifiers.flatMap { field in
            (0..<min(field.count, ScanSymbology.identifierLength)).map {
                UInt8(truncatingIfNeeded: Self.value(of: field, $0, in: bytes))
            }
        }
    }

    /// Returns a value of a field of at most 16 bits. The bits of a report count from the lowest bit of its first byte
    /// (HID 1.11, 5.6).
    private static func value(of field: HIDReportDescriptor.Field, _ index: Int, in bytes: [UInt8]) -> Int {
        let start = field.bitOffset + index * field.bitSize
        return (0..<field.bitSize).reduce(0) { value, bit in
            let position = start + bit
            return value | Int(bytes[position / 8] >> (position % 8) & 1) << bit
        }
    }
}
