internal import FoundationEssentials

/// A field trace as it was read: what wrote it, and its events in order.
package struct FieldTrace: Equatable, Sendable {
    package let header: FieldTraceHeader
    package let lines: [FieldTraceLine]

    /// A field test of ten repeats has some 20,000 lines.
    package static let mostBytes = 16 << 20
    package static let mostLineBytes = 4096

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
