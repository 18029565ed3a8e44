internal import BlueZTransport
internal import PCSCTransport
internal import Reports
internal import Transport

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

extension FieldTraceHeader {
    /// The versions of this program and of the kernel.
    package static var ofThisProgram: FieldTraceHeader { FieldTraceHeader(bluez: nil) }

    /// The same with that of bluetoothd, where one runs.
    package static func ofThisComputer() async -> FieldTraceHeader {
        let bluetooth = try? await BluetoothDescription.current(within: .seconds(1))
        return FieldTraceHeader(bluez: bluetooth?.daemon.version.flatMap { TraceVersion($0.description) })
    }

    private init(bluez: TraceVersion?) {
        self.init(
            countersign: TraceVersion(Version.number), pcsc: TraceVersion(PCSCLibrary.version), bluez: bluez,
            kernel: SystemFile.text(of: "/proc/sys/kernel/osrelease").flatMap { TraceVersion($0) })
    }
}

extension NFCReaderFacts {
    init(_ reader: ReaderDescription) {
        self.init(
            usb: reader.usb, isVirtual: reader.name.hasPrefix("Virtual PCD"), slot: Slot(reader.slot),
            firmware: reader.firmware.flatMap { TraceVersion($0) },
            limits: ContactlessLimits(
                commandData: reader.limits.commandData, responseData: reader.limits.responseData,
                allowsExtended: reader.limits.allowsExtended))
    }
}

extension NFCReaderFacts.Slot {
    fileprivate init(_ slot: SlotKind) {
        self =
            switch slot {
            case .contactless: .contactless
            case .contact: .contact
            case .securityModule: .securityModule
            case .unmarked: .unmarked
            }
    }
}

extension PresenceFacts {
    init(_ event: ReaderEvent) {
        switch event {
        case .serviceAvailable: self.init(change: .serviceAvailable)
        case .serviceLost: self.init(change: .serviceLost)
        case .readerArrived: self.init(change: .readerArrived)
        case .readerRemoved: self.init(change: .readerRemoved)
        case .cardInserted(_, let counter): self.init(change: .inserted, counter: counter)
        case .cardMute(_, let counter): self.init(change: .mute, counter: counter)
        case .cardRemoved(_, let counter): self.init(change: .removed, counter: counter)
        }
    }
}
