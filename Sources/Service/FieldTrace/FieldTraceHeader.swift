/// The first line of a field trace: what wrote it.
package struct FieldTraceHeader: Equatable, Sendable {
    /// The name and version of the format; a reader of another version refuses the file.
    package static let format = "countersign.fieldTrace/1"

    package enum Format: String, CaseIterable, Sendable {
        case first = "countersign.fieldTrace/1"
    }

    package let format: TraceWord<Format>
    package let countersign: TraceVersion?
    /// The PC/SC lite that this program was built against; the library does not report one at run time.
    package let pcsc: TraceVersion?
    package let bluez: TraceVersion?
    package let kernel: TraceVersion?

    package init(
        countersign: TraceVersion?, pcsc: TraceVersion?, bluez: TraceVersion?, kernel: TraceVersion?
    ) {
        format = TraceWord(.first)
        self.countersign = countersign
        self.pcsc = pcsc
        self.bluez = bluez
        self.kernel = kernel
    }
}

extension FieldTraceHeader: Codable {}
