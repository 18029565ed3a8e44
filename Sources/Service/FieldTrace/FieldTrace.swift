internal import FoundationEssentials

/// A field trace as it was read: what wrote it, and its events in order.
package struct FieldTrace: Equatable, Sendable {
    package let header: FieldTraceHeader
    package let lines: [FieldTraceLine]

    /// A field test of ten repeats has some 20,000 lines.
    package static let mostBytes = 16 << 20
    private static let mostLineBytes = 4096

    /// Reads the bytes of a file. A last line that was cut off, as by a computer that was switched off, is left out.
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(FieldTraceError) -> FieldTrace {
        guard bytes.count <= mostBytes else { throw .tooLong(limit: mostBytes) }
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

    /// The file as it was written.
    package func encode() -> [UInt8] {
        let lines = [Array(TraceJSON.object(header))] + lines.map { $0.encode() }
        return lines.flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    private static func header(_ line: ArraySlice<UInt8>) throws(FieldTraceError) -> FieldTraceHeader {
        guard line.count <= mostLineBytes,
            let header = try? JSONDecoder().decode(FieldTraceHeader.self, from: Data(line)),
            TraceJSON.object(header).elementsEqual(line)
        else { throw .notAFieldTrace }
        return header
    }

    /// The events of one presentation, from its beginning to its end; of the last where no number is given.
    package func presentation(_ number: Int?) throws(FieldTraceError) -> ArraySlice<FieldTraceLine> {
        let begins = lines.indices.filter { index in
            guard case .presentation(let facts) = lines[index].event else { return false }
            return number.map { $0 == facts.number } ?? true
        }
        guard let begin = begins.last else {
            throw number.map { .presentationMissing($0) } ?? .noPresentation
        }
        let following = lines[begin...].dropFirst().firstIndex { $0.event.kind == .presentation }
        return lines[begin..<(following ?? lines.endIndex)]
    }
}

/// The members of one line, to be read as the facts of an event.
struct FactsReader {
    fileprivate let line: ArraySlice<UInt8>

    func callAsFunction<Facts: Decodable>() throws -> Facts {
        try JSONDecoder().decode(Facts.self, from: Data(line))
    }
}

/// One event with its time, as a line of the file: `{"ms":12.3,"event":"nfc.exchange",…}`.
package struct FieldTraceLine: Equatable, Sendable {
    /// Since the beginning of the file, in milliseconds.
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

    /// Takes a line only in the form in which `encode` writes it: nothing can be hidden beside the known members.
    init(parsing line: ArraySlice<UInt8>) throws(FieldTraceError) {
        do {
            let reader = FactsReader(line: line)
            let head: Head = try reader()
            milliseconds = head.ms
            event = try FieldTraceEvent(head.event.word, from: reader)
        } catch {
            throw .unknownWord
        }
        guard encode().elementsEqual(line), isInTime else { throw .unknownWord }
    }

    /// The longest time that is read, one day: nobody waits longer for a replay.
    private static let longest = 86_400_000.0

    private var isInTime: Bool {
        let took =
            switch event {
            case .exchange(let facts): facts.took
            case .fragments(let facts): facts.took
            default: 0.0
            }
        return [milliseconds, took].allSatisfy((0...Self.longest).contains)
    }

    /// The line without its end.
    func encode() -> [UInt8] {
        let time = TraceJSON.members(of: ["ms": milliseconds])
        let kind = TraceJSON.members(of: ["event": event.kind.rawValue])
        let facts = TraceJSON.members(of: event.facts)
        return Array("{".utf8)
            + [time, kind, facts].filter { !$0.isEmpty }.joined(separator: Array(",".utf8))
            + Array("}".utf8)
    }
}

/// JSON in the one form that is written: members sorted by name, no space.
enum TraceJSON {
    /// The members of an object, without its braces.
    static func members(of value: some Encodable) -> ArraySlice<UInt8> {
        object(value).dropFirst().dropLast()
    }

    static func object(_ value: some Encodable) -> ArraySlice<UInt8> {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers that JSON does not have are not made by any event; without an encoding the event has no members.
        return ((try? encoder.encode(value)).map { Array($0) } ?? Array("{}".utf8))[...]
    }
}
