import Deadlines
import PCSCBench
import PCSCTransport
import Synchronization
import Testing

extension BenchTests {
    @Suite("pcscd dies and comes back", .serialized)
    struct Recovery {
        let service = PCSCService()

        @Test(
            "Q134 A watch says that pcscd ended, finds it again and tells of its readers anew",
            arguments: ["stop", "kill"])
        func watching(_ end: String) async throws {
            let stream = service.events()
            try await await_(.readerArrived(VirtualBench.second), in: stream)
            try await VirtualBench.pcscd(end)
            try await await_(.serviceLost(.serviceLost), in: stream)
            try await await_(.serviceLost(.serviceNotRunning), in: stream)
            try await VirtualBench.pcscd("start")
            try await await_(.serviceAvailable, in: stream)
            try await await_(.readerArrived(VirtualBench.first), in: stream)
            try await await_(.readerArrived(VirtualBench.second), in: stream)
        }

        @Test(
            "Q134 If pcscd ends during an exchange, the error names pcscd, and everything works after its return",
            arguments: ["stop", "kill"])
        func exchanging(_ end: String) async throws {
            let service = service
            let isAsked = Atomic(false)
            try await VirtualBench.withCard(answering: { command in
                guard command[1] == 0xC3 else { return .respond([0x90, 0x00]) }
                isAsked.store(true, ordering: .relaxed)
                return .respondLater([0x90, 0x00], after: .seconds(20))
            }) { virtual in
                let card = try await VirtualBench.connect(service)
                let exchange = Task { try await card.exchange([0, 0xC3, 0, 0]) }
                try await until("the command at the card") { isAsked.load(ordering: .relaxed) }
                try await VirtualBench.pcscd(end)
                await #expect(throws: PCSCTransportError.serviceLost) {
                    try await withDeadline("the end of the exchange", .seconds(15)) {
                        try await exchange.value
                    }
                }
                await #expect(throws: PCSCTransportError.notConnected) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
                await #expect(throws: PCSCTransportError.serviceNotRunning) { try await service.readers() }
                try await VirtualBench.pcscd("start")
                virtual.remove()
                try await virtual.insert()
                let again = try await VirtualBench.connect(service)
                #expect(try await again.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
            }
        }

        @Test("Q134 After a restart between two calls the old context is not trusted")
        func silentRestart() async throws {
            try await VirtualBench.withCard(answering: { _ in .respond([0x90, 0x00]) }) { virtual in
                let card = try await VirtualBench.connect(service)
                let reader = try await service.describe(VirtualBench.first)
                #expect(try await card.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
                try await VirtualBench.pcscd("restart")
                await #expect(throws: PCSCTransportError.serviceLost) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
                try await VirtualBench.pcscd("restart")
                // The context of before the second restart is replaced without a word.
                #expect(try await service.readers().count == 2)
                #expect(try await service.describe(reader.name) == reader)
                virtual.remove()
                try await virtual.insert()
                let again = try await VirtualBench.connect(service)
                #expect(try await again.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
            }
        }

        @Test("Q134 Without pcscd each question is answered by name and the watch waits for it")
        func absent() async throws {
            try await VirtualBench.pcscd("stop")
            let service = PCSCService()
            await #expect(throws: PCSCTransportError.serviceNotRunning) { try await service.readers() }
            let stream = service.events()
            try await await_(.serviceLost(.serviceNotRunning), in: stream)
            try await VirtualBench.pcscd("start")
            try await await_(.readerArrived(VirtualBench.second), in: stream)
        }

        @Test("Q130 While pcscd hangs a cancelled call ends at once, and all works when it goes on")
        func hanging() async throws {
            let service = service
            let stream = service.events()
            try await await_(.readerArrived(VirtualBench.second), in: stream)
            try await VirtualBench.pcscd("pause")
            let listing = Task { try await service.readers() }
            // Nothing shows that the other task waits by now.
            try await Task.sleep(for: .milliseconds(300))
            listing.cancel()
            await #expect(throws: PCSCTransportError.cancelled) {
                try await withDeadline("the cancelled call") { try await listing.value }
            }
            await #expect(throws: PCSCTransportError.readerBlocked) {
                try await withDeadline("the blocked call") { try await service.readers() }
            }
            try await VirtualBench.pcscd("resume")
            #expect(try await withDeadline("the readers") { try await service.readers() }.count == 2)
        }

        @Test("Cancelling a watch that waits for pcscd ends it at once")
        func cancelling() async throws {
            try await VirtualBench.pcscd("stop")
            let service = service
            let task = Task { for await _ in service.events() {} }
            // Nothing shows that the other task waits by now.
            try await Task.sleep(for: .seconds(2))
            task.cancel()
            try await withDeadline("the end of events") { await task.value }
            try await VirtualBench.pcscd("start")
        }

        private func await_(_ event: ReaderEvent, in stream: AsyncStream<ReaderEvent>) async throws {
            _ = try await firstEvent(in: stream) { $0 == event ? true : nil }
        }
    }
}
