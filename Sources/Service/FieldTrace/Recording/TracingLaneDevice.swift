package import MdocModel
package import PCSCTransport
package import ReaderService
internal import Synchronization
package import Transport

/// A lane's device that records its presentations. The inner device has to use a tracing reader and a tracing
/// radio with the same recorder.
package struct TracingLaneDevice: LaneDevice {
    private let device: any LaneDevice
    private let recorder: FieldTraceRecorder
    private let readers: PCSCService

    package init(_ device: any LaneDevice, by recorder: FieldTraceRecorder, readers: PCSCService) {
        self.device = device
        self.recorder = recorder
        self.readers = readers
    }

    package func run(_ transaction: ReaderTransaction) async -> Presentation {
        await recorded(transaction) { await device.run($0) }
    }

    package func run(
        _ transaction: ReaderTransaction, scanned engagement: DeviceEngagement
    ) async -> Presentation {
        await recorded(transaction) { await device.run($0, scanned: engagement) }
    }

    /// Runs a transaction with the device, and records its beginning, its steps and its end.
    private func recorded(
        _ transaction: ReaderTransaction, _ run: (ReaderTransaction) async -> Presentation
    ) async -> Presentation {
        recorder.begin(transaction.plan)
        let (recorder, readers) = (recorder, readers)
        await recorder.describeReaders(of: readers)
        let watch = Task { await recorder.watchReaders(of: readers) }
        defer { watch.cancel() }
        let presentation = await run(transaction.reporting(to: recorder.observe))
        recorder.end(presentation)
        return presentation
    }

    package var link: LaneLink { device.link }

    package func readiness() async -> LaneReadiness {
        await device.readiness()
    }

    package func radioFault() async -> RadioFault? {
        await device.radioFault()
    }
}

/// A contactless reader that records its phones and their commands.
package struct TracingReader: ContactlessReader {
    private let reader: any ContactlessReader
    private let recorder: FieldTraceRecorder

    package init(_ reader: any ContactlessReader, _ recorder: FieldTraceRecorder) {
        self.reader = reader
        self.recorder = recorder
    }

    package func beginPresentation() async {
        await reader.beginPresentation()
    }

    package func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        do throws(ContactlessError) {
            let card = try await reader.nextCard(again: pause)
            recorder.record(.powered(PoweredFacts(card.limits)))
            return TracingCard(card, recorder)
        } catch {
            // A card came and did not answer to power-up, so it has no commands to record.
            if case .cardMute = error { recorder.record(.presence(PresenceFacts(change: .mute))) }
            throw error
        }
    }
}

/// A card that records its commands.
private final class TracingCard: ContactlessCard {
    private let card: any ContactlessCard
    private let recorder: FieldTraceRecorder
    private let trace = Mutex(NFCTrace())

    init(_ card: any ContactlessCard, _ recorder: FieldTraceRecorder) {
        self.card = card
        self.recorder = recorder
    }

    var limits: ContactlessLimits { card.limits }
    var stay: Int { card.stay }

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        let begin = ContinuousClock.now
        do throws(ContactlessError) {
            let answer = try await card.exchange(command)
            record(command, answer: answer[...], since: begin)
            return answer
        } catch {
            record(command, answer: nil, since: begin, failure: ExchangeFacts.Failure(error))
            throw error
        }
    }

    /// Records a command with its answer or, without an answer, with the failure.
    private func record(
        _ command: ArraySlice<UInt8>, answer: ArraySlice<UInt8>?, since begin: ContinuousClock.Instant,
        failure: ExchangeFacts.Failure? = nil
    ) {
        let took = begin.duration(to: .now)
        let events = trace.withLock { trace in
            trace.events(
                of: command, answer: answer, took: took, failure: failure, tokens: recorder.tokens)
        }
        events.forEach(recorder.record)
    }

    func release() async {
        await card.release()
    }
}

extension ExchangeFacts.Failure {
    fileprivate init(_ error: ContactlessError) {
        self =
            switch error {
            case .cardLost, .cardMute: .cardLost
            case .readerUnavailable: .readerUnavailable
            case .cancelled: .cancelled
            }
    }
}
