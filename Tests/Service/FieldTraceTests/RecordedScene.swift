import FieldTrace
import PresentationStage
import ReaderService
import Synchronization
import Testing
import Transport

/// The bytes of a field trace as they are written.
final class TraceBytes: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { bytes.withLock { $0 } }

    func append(_ line: [UInt8]) {
        bytes.withLock { $0 += line }
    }

    func parsed() throws -> FieldTrace {
        try FieldTrace.parse(all[...])
    }
}

extension FieldTraceHeader {
    static let sample = FieldTraceHeader(
        countersign: TraceVersion("0.1.0"), pcsc: TraceVersion("1.9.9"), bluez: TraceVersion("5.66"),
        kernel: TraceVersion("6.1.0"))
}

/// One presentation of a scene's phone with its field trace, and every answer that the phone gave.
struct RecordedScene {
    let presentation: Presentation
    let trace: TraceBytes
    /// The commands of the reader and the answers of the phone.
    let exchanged: [[UInt8]]

    init(
        _ scene: Scene, at reader: any ContactlessReader, deadlines: PresentationDeadlines = .ample,
        retrieval: RetrievalPlan = RetrievalPlan()
    ) async throws {
        let trace = TraceBytes()
        let recorder = try FieldTraceRecorder(.sample) { trace.append($0) }
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: retrieval) {
            recorder.observe($0)
        }
        let log = ByteLog()
        recorder.begin(transaction.plan)
        presentation = await transaction.run(
            at: TracingReader(LoggingReader(reader: reader, log: log), recorder))
        recorder.end(presentation)
        self.trace = trace
        exchanged = log.all
    }
}

private final class ByteLog: Sendable {
    private let entries = Mutex<[[UInt8]]>([])

    var all: [[UInt8]] { entries.withLock { $0 } }

    func append(_ bytes: some Sequence<UInt8>) {
        entries.withLock { $0.append(Array(bytes)) }
    }
}

private struct LoggingReader: ContactlessReader {
    let reader: any ContactlessReader
    let log: ByteLog

    func beginPresentation() async { await reader.beginPresentation() }

    func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        LoggingCard(card: try await reader.nextCard(again: pause), log: log)
    }
}

private struct LoggingCard: ContactlessCard {
    let card: any ContactlessCard
    let log: ByteLog

    var limits: ContactlessLimits { card.limits }
    var stay: Int { card.stay }

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        log.append(command)
        let answer = try await card.exchange(command)
        log.append(answer)
        return answer
    }

    func release() async { await card.release() }
}
