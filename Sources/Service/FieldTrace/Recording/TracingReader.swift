internal import Synchronization
package import Transport

/// A contactless reader whose phones and commands are recorded.
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
            if case .cardMute = error { recorder.record(.presence(PresenceFacts(change: .mute))) }
            throw error
        }
    }
}

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
            record(command, answer[...], since: begin, nil)
            return answer
        } catch {
            record(command, nil, since: begin, ExchangeFacts.Failure(error))
            throw error
        }
    }

    private func record(
        _ command: ArraySlice<UInt8>, _ answer: ArraySlice<UInt8>?, since begin: ContinuousClock.Instant,
        _ failure: ExchangeFacts.Failure?
    ) {
        let took = begin.duration(to: .now)
        let events = trace.withLock { trace in
            trace.events(command, answer, took: took, failure: failure, recorder.tokens)
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
