internal import FoundationEssentials

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
