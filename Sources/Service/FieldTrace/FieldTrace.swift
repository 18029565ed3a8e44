internal import VersionNumber
internal import BlueZTransport
internal import FoundationEssentials
internal import PCSCTransport
internal import Reports
internal import Transport

/// A field trace that was read from a file: its header, and its events in order.
///
/// A field trace records what happened between reader and phone, so that a failure at a counter can be
/// studied or replayed elsewhere. The file has one JSON object on each line: first the header, then one
/// `FieldTraceEvent` with its time. A `FieldTraceRecorder` writes the file; `parse(_:)` reads the file for
/// `countersign-lab replay` and for tests.
///
/// People send these files to one another, so a file must not be able to hide personal data. Parsing accepts
/// only the exact bytes that `encode()` would write:
/// - each word is from a closed list, and everything else is a number, or a token in place of a UUID or an
///   address;
/// - every member is known, and has its fixed form and order;
/// - a file has at most 16 MiB, a line at most 4096 bytes.
///
/// The only exception is a last line that was cut off, which is left out.
package struct FieldTrace: Equatable, Sendable {
    package let header: FieldTraceHeader
    package let lines: [FieldTraceLine]

    /// The maximum size of a file in bytes. A field test with ten repeats writes about 20,000 lines and stays
    /// below this limit.
    package static let mostBytes = 16 << 20
    private static let mostLineBytes = 4096

    /// Parses the bytes of a file. A last line that was cut off, for example because the computer was
    /// switched off, is left out.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(FieldTraceError) -> FieldTrace {
        guard bytes.count <= mostBytes else { throw .tooLong(limit: mostBytes) }
        // Bytes after the last line break are a line that was cut off.
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[..<$0] } ?? []
        let lines = whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first else { throw .notAFieldTrace }
        let header = try header(first)
        var events: [FieldTraceLine] = []
        for (index, line) in lines.enumerated().dropFirst() {
            let number = index + 1
            guard line.count <= mostLineBytes else {
                throw .lineTooLong(line: number, limit: mostLineBytes)
            }
            do throws(FieldTraceError) {
                events.append(try FieldTraceLine(parsing: line))
            } catch {
                throw .malformedLine(number)
            }
        }
        return FieldTrace(header: header, lines: events)
    }

    /// Returns the bytes of the file as it was written.
    package func encode() -> [UInt8] {
        let lines = [Array(TraceJSON.object(header))] + lines.map { $0.encode() }
        return lines.flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    /// Parses the first line of a file.
    private static func header(_ line: ArraySlice<UInt8>) throws(FieldTraceError) -> FieldTraceHeader {
        guard line.count <= mostLineBytes,
            let header = try? JSONDecoder().decode(FieldTraceHeader.self, from: Data(line)),
            TraceJSON.object(header).elementsEqual(line)
        else { throw .notAFieldTrace }
        return header
    }

    /// Returns the events of one presentation, from its beginning to its end.
    ///
    /// - Parameter number: the number of the presentation; `nil` for the last one.
    /// - Throws: `presentationMissing`, or `noPresentation` if the trace has no presentation
    ///   at all.
    package func presentation(_ number: Int?) throws(FieldTraceError) -> ArraySlice<FieldTraceLine> {
        let begins = lines.indices.filter { index in
            guard case .presentation(let facts) = lines[index].event else { return false }
            // Without a number every presentation matches, and the last of them is returned.
            return number.map { $0 == facts.number } ?? true
        }
        guard let begin = begins.last else {
            throw number.map { .presentationMissing($0) } ?? .noPresentation
        }
        let following = lines[begin...].dropFirst().firstIndex { $0.event.kind == .presentation }
        return lines[begin..<(following ?? lines.endIndex)]
    }
}

/// A decoder for the facts of an event from the members of one line.
struct FactsReader {
    fileprivate let line: ArraySlice<UInt8>

    /// Decodes the facts of the type that the caller expects.
    func callAsFunction<Facts: Decodable>() throws -> Facts {
        try JSONDecoder().decode(Facts.self, from: Data(line))
    }
}

/// An event with its time, as a line of the file: `{"ms":12.3,"event":"nfc.exchange",…}`.
package struct FieldTraceLine: Equatable, Sendable {
    /// The time since the beginning of the file, in milliseconds.
    package let milliseconds: Double
    package let event: FieldTraceEvent

    private struct Head: Codable {
        let ms: Double
        let event: TraceWord<FieldTraceEvent.Kind>
    }

    init(_ event: FieldTraceEvent, at time: Duration) {
        milliseconds = time.traceMilliseconds
        self.event = event
    }

    /// Parses a line. Only the exact form that `encode()` writes is accepted, so that nothing can be hidden
    /// beside the known members.
    init(parsing line: ArraySlice<UInt8>) throws(FieldTraceError) {
        do {
            let reader = FactsReader(line: line)
            let head: Head = try reader()
            milliseconds = head.ms
            event = try FieldTraceEvent(head.event.word, from: reader)
        } catch {
            // `FieldTrace.parse` replaces this error by one with the number of the line.
            throw .unknownWord
        }
        guard encode().elementsEqual(line), isInTime else { throw .unknownWord }
    }

    /// The maximum time in milliseconds: one day, so that no replay waits longer.
    private static let longest = 86_400_000.0

    /// Whether every time and duration of the line is between 0 and the maximum.
    private var isInTime: Bool {
        // A replay waits for these durations.
        let took =
            switch event {
            case .exchange(let facts): facts.took
            case .fragments(let facts): facts.took
            default: 0.0
            }
        return [milliseconds, took].allSatisfy((0...Self.longest).contains)
    }

    /// Returns the line without its line break.
    func encode() -> [UInt8] {
        let time = TraceJSON.members(of: ["ms": milliseconds])
        let kind = TraceJSON.members(of: ["event": event.kind.rawValue])
        let facts = TraceJSON.members(of: event.facts)
        return Array("{".utf8)
            + [time, kind, facts].filter { !$0.isEmpty }.joined(separator: Array(",".utf8))
            + Array("}".utf8)
    }
}

/// A writer of JSON in one fixed form: members sorted by name, without spaces.
enum TraceJSON {
    /// Returns the members of an object, without its braces.
    static func members(of value: some Encodable) -> ArraySlice<UInt8> {
        object(value).dropFirst().dropLast()
    }

    /// Returns an object with its braces.
    static func object(_ value: some Encodable) -> ArraySlice<UInt8> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The encoder does not fail, because every number of an event is finite. An event with a number that
        // JSON cannot express would be written without members.
        return ((try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8))[...]
    }
}

/// The first line of a field trace: the format, and the versions of the programs that wrote it.
package struct FieldTraceHeader: Equatable, Sendable {
    /// The name and version of the format. A program for another version refuses the file.
    package static let format = "countersign.fieldTrace/1"

    package enum Format: String, CaseIterable, Sendable {
        case first = "countersign.fieldTrace/1"
    }

    package let format: TraceWord<Format>
    package let countersign: TraceVersion?
    /// The version of PC/SC lite against which this program was built. The library reports no version at run
    /// time.
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
    /// The header with the versions of this program, PC/SC lite and the kernel.
    package static var ofThisProgram: FieldTraceHeader { FieldTraceHeader(bluez: nil) }

    /// Returns the header with the version of bluetoothd as well, if bluetoothd is running.
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
            // vpcd, which simulates PC/SC readers for tests, gives its readers names that begin like this.
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
