import Deadlines
import PCSCBench
import PCSCTransport
import Synchronization
import Testing

extension BenchTests {
    @Suite("Readers and cards are seen", .serialized)
    struct Events {
        let service = PCSCService()

        @Test("Both readers arrive after the service")
        func readers() async throws {
            let seen = try await events(upTo: 3)
            #expect(
                seen == [
                    .serviceAvailable, .readerArrived(VirtualBench.first),
                    .readerArrived(VirtualBench.second),
                ])
        }

        @Test("A card is seen when it comes and when it goes, and the counter moves with it")
        func comingAndGoing() async throws {
            let stream = service.events()
            try await VirtualBench.withCard(answering: { _ in .respond([0x90, 0x00]) }) { card in
                let came = try await counter(in: stream) { event in
                    if case .cardInserted(VirtualBench.first, let counter) = event { counter } else { nil }
                }
                card.remove()
                let went = try await counter(in: stream) { event in
                    if case .cardRemoved(VirtualBench.first, let counter) = event { counter } else { nil }
                }
                #expect(went == came &+ 1)
                try await card.insert()
                let cameAgain = try await counter(in: stream) { event in
                    if case .cardInserted(VirtualBench.first, let counter) = event { counter } else { nil }
                }
                #expect(cameAgain == went &+ 1)
            }
        }

        @Test("A card that was there before the watching began is reported")
        func presentBefore() async throws {
            try await VirtualBench.withCard(
                on: VirtualBench.second, answering: { _ in .respond([0x90, 0x00]) }
            ) { _ in
                let stream = service.events()
                let other = try await counter(in: stream) { event in
                    if case .cardInserted(let reader, let counter) = event {
                        reader == VirtualBench.second ? counter : nil
                    } else {
                        nil
                    }
                }
                #expect(other > 0)
            }
        }

        @Test("Q135 Watching begun and ended 250 times leaves none of pcscd's 200 clients behind")
        func stopping() async throws {
            for _ in 0..<250 {
                let task = Task { [service] in
                    for await event in service.events() where event == .readerArrived(VirtualBench.second) {
                        return true
                    }
                    return false
                }
                #expect(try await withDeadline("the readers") { await task.value })
            }
            #expect(try await service.readers().count == 2)
        }

        @Test("Cancelling the task that watches ends the watching at once")
        func cancelling() async throws {
            let task = Task { [service] in
                for await _ in service.events() {}
            }
            // Nothing shows that the other task waits by now.
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
            try await withDeadline("the end of events") { await task.value }
        }

        private func events(upTo count: Int) async throws -> [ReaderEvent] {
            try await withDeadline("\(count) events") { [service] in
                var seen: [ReaderEvent] = []
                for await event in service.events() {
                    seen.append(event)
                    if seen.count == count { break }
                }
                return seen
            }
        }

        private func counter(
            in stream: AsyncStream<ReaderEvent>, of event: @escaping @Sendable (ReaderEvent) -> UInt16?
        ) async throws -> UInt16 {
            try await firstEvent(in: stream, event)
        }
    }
}

/// The first event `pick` makes something of; those before it are passed over.
func firstEvent<Value: Sendable>(
    in stream: AsyncStream<ReaderEvent>, within limit: Duration = .seconds(120),
    _ pick: @escaping @Sendable (ReaderEvent) -> Value?
) async throws -> Value {
    let seen = Mutex<[ReaderEvent]>([])
    do {
        return try await withDeadline("an event", limit) {
            for await event in stream {
                seen.withLock { $0.append(event) }
                if let value = pick(event) { return value }
            }
            throw Overdue("end of events")
        }
    } catch let overdue as Overdue {
        throw Overdue("\(overdue.what) after \(seen.withLock { $0 })")
    }
}
