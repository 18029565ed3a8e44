import Deadlines
import PCSCBench
import PCSCTransport
import Synchronization
import Testing

extension BenchTests {
    @Suite("Exchanges", .serialized)
    struct Exchanges {
        let service = PCSCService()

        @Test("The readers are listed with what can be known of them")
        func list() async throws {
            let readers = try await service.readers()
            #expect(readers.map(\.name) == [VirtualBench.first, VirtualBench.second])
            #expect(readers.allSatisfy { $0.limits.allowsExtended && $0.usb == nil && $0.slot == .unmarked })
        }

        @Test("A command reaches the card and its answer comes back")
        func exchange() async throws {
            try await VirtualBench.withCard(answering: { .respond(Array($0.reversed()) + [0x90, 0x00]) }) {
                _ in
                let card = try await VirtualBench.connect(service)
                let answer = try await card.exchange([0x00, 0xA4, 0x04, 0x00, 0x02, 0xAB, 0xCD][...])
                #expect(answer == [0xCD, 0xAB, 0x02, 0x00, 0x04, 0xA4, 0x00, 0x90, 0x00])
            }
        }

        @Test(
            "Q11 Q121 Answers of every length near 256 and 64 KiB come whole",
            arguments: [0, 1, 254, 255, 256, 257, 261, 4096, 65_532, 65_533])
        func answerLengths(_ length: Int) async throws {
            try await VirtualBench.withCard(answering: { _ in .respond(Self.pattern(length) + [0x90, 0x00]) })
            { _ in
                let card = try await VirtualBench.connect(service)
                let answer = try await withDeadline("an answer") {
                    try await card.exchange([0x00, 0xB0, 0x00, 0x00, 0x00, 0x00, 0x00][...])
                }
                #expect(answer == Self.pattern(length) + [0x90, 0x00])
            }
        }

        @Test("Q122 Commands up to 65,535 bytes arrive whole")
        func commandLengths() async throws {
            let received = Mutex<[UInt8]>([])
            try await VirtualBench.withCard(answering: { command in
                received.withLock { $0 = Array(command) }
                return .respond([0x90, 0x00])
            }) { _ in
                let card = try await VirtualBench.connect(service)
                for length in [4, 5, 260, 261, 262, 4096, 65_534, 65_535] {
                    let command = Self.pattern(length)
                    let answer = try await withDeadline("an answer") { try await card.exchange(command[...]) }
                    #expect(answer == [0x90, 0x00])
                    #expect(received.withLock { $0 } == command)
                }
            }
        }

        @Test(
            "One byte more than the virtual reader's length field can say is refused before it kills the slot"
        )
        func commandTooLong() async throws {
            try await VirtualBench.withCard(answering: { _ in .respond([0x90, 0x00]) }) { _ in
                let card = try await VirtualBench.connect(service)
                await #expect(throws: PCSCTransportError.commandLength(65_536, limit: 65_535)) {
                    try await card.exchange(Self.pattern(65_536)[...])
                }
                await #expect(throws: PCSCTransportError.commandLength(3, limit: 65_535)) {
                    try await card.exchange([0, 0, 0])
                }
                #expect(try await card.exchange([0x00, 0xB0, 0x00, 0x00]) == [0x90, 0x00])
            }
        }

        @Test("A card whose answer is too long for the reader says so and is lost to the other side")
        func answerTooLong() async throws {
            try await VirtualBench.withCard(answering: { _ in .respond(Self.pattern(65_536)) }) { virtual in
                let card = try await VirtualBench.connect(service)
                await #expect(throws: PCSCTransportError.cardLost) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
                #expect(virtual.fault == .answerTooLong(length: 65_536))
            }
        }

        @Test("Q132 A card pulled in mid-command is lost, and the next one put there works")
        func pulled() async throws {
            let mustLeave = Atomic(true)
            try await VirtualBench.withCard(answering: { _ in
                mustLeave.load(ordering: .relaxed) ? .removeCard : .respond([0x90, 0x00])
            }) { virtual in
                let card = try await VirtualBench.connect(service)
                await #expect(throws: PCSCTransportError.cardLost) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
                await #expect(throws: PCSCTransportError.notConnected) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
                mustLeave.store(false, ordering: .relaxed)
                try await virtual.insert()
                let again = try await VirtualBench.connect(service)
                #expect(try await again.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
            }
        }

        @Test("Q132 A card pulled between commands is lost by name")
        func pulledBetween() async throws {
            try await VirtualBench.withCard(answering: { _ in .respond([0x90, 0x00]) }) { virtual in
                let card = try await VirtualBench.connect(service)
                #expect(try await card.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
                try await VirtualBench.pull(virtual)
                let error = await #expect(throws: PCSCTransportError.self) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
                #expect(error == .cardLost || error == .linkLost)
                let reader = try await service.describe(VirtualBench.first)
                await #expect(throws: PCSCTransportError.noCard) { try await service.connect(to: reader) }
            }
        }

        @Test("Q130 An answer that takes longer than any short timer comes")
        func slowAnswer() async throws {
            try await VirtualBench.withCard(answering: { _ in
                .respondLater([0x90, 0x00], after: .seconds(7))
            }) { _ in
                let card = try await VirtualBench.connect(service)
                #expect(
                    try await withDeadline("consent") { try await card.exchange([0, 0xC3, 0, 0]) } == [
                        0x90, 0x00,
                    ])
            }
        }

        @Test("Q130 Cancelling an exchange ends the wait at once and the reader can be used again")
        func cancelling() async throws {
            let service = service
            let commands = Atomic(0)
            try await VirtualBench.withCard(answering: { _ in
                commands.add(1, ordering: .relaxed).oldValue == 0
                    ? .respondLater([0x90, 0x00], after: .seconds(4)) : .respond([0x90, 0x00])
            }) { _ in
                let card = try await VirtualBench.connect(service)
                let exchange = Task { try await card.exchange([0, 0xC3, 0, 0]) }
                try await until("the command at the card") { commands.load(ordering: .relaxed) == 1 }
                let began = ContinuousClock.now
                exchange.cancel()
                await #expect(throws: PCSCTransportError.cancelled) { try await exchange.value }
                #expect(ContinuousClock.now - began < .seconds(4))
                let reader = try await service.describe(VirtualBench.first)
                let again = try await withDeadline("the reader") { try await service.connect(to: reader) }
                #expect(try await again.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
                await #expect(throws: PCSCTransportError.notConnected) {
                    try await card.exchange([0, 0xB0, 0, 0])
                }
            }
        }

        @Test("Q130 A call that does not come back blocks its reader by name, and nothing else")
        func blocked() async throws {
            let hasCommand = Flag()
            try await VirtualBench.withCard(answering: { _ in
                hasCommand.raise()
                return .respondLater([0x90, 0x00], after: .seconds(60))
            }) { virtual in
                let card = try await VirtualBench.connect(service)
                let reader = try await service.describe(VirtualBench.first)
                let exchange = Task { try await card.exchange([0, 0xC3, 0, 0]) }
                try await until("the command at the card") { hasCommand.isRaised }
                exchange.cancel()
                await #expect(throws: PCSCTransportError.cancelled) { try await exchange.value }
                await #expect(throws: PCSCTransportError.readerBlocked) {
                    try await service.connect(to: reader)
                }
                #expect(try await service.readers().count == 2)
                virtual.remove()
                try await Task.sleep(for: .seconds(2))
                await #expect(throws: PCSCTransportError.noCard) { try await service.connect(to: reader) }
            }
        }

        @Test("Q131 The card is without power once the connection ends")
        func unpowered() async throws {
            let power = Mutex<[CardPower]>([])
            let virtual = VirtualCard(
                address: try VirtualBench.address(of: VirtualBench.first),
                power: { change in power.withLock { $0.append(change) } },
                answering: { _ in .respond([0x90, 0x00]) })
            try await virtual.insert()
            let card = try await VirtualBench.connect(service)
            #expect(power.withLock { $0.last } != .off)
            await card.disconnect()
            try await until("power off") { power.withLock { $0.last } == .off }
            await #expect(throws: PCSCTransportError.notConnected) {
                try await card.exchange([0, 0xB0, 0, 0])
            }
            try await VirtualBench.pull(virtual)
        }

        @Test("Q207 A connection that is over does not touch the one after it, whatever is done with it")
        func earlierConnection() async throws {
            try await VirtualBench.withCard(answering: { _ in .respond([0x90, 0x00]) }) { _ in
                var first: PCSCCard? = try await VirtualBench.connect(service)
                await first?.disconnect()
                let reader = try await service.describe(VirtualBench.first)
                let second = try await service.connect(to: reader)
                await first?.disconnect()
                await #expect(throws: PCSCTransportError.notConnected) {
                    try await first?.exchange([0, 0xB0, 0, 0])
                }
                first = nil
                #expect(try await second.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
                await second.disconnect()
            }
        }

        @Test("A reset reaches the card and the connection goes on")
        func reset() async throws {
            let resets = Atomic(0)
            let virtual = VirtualCard(
                address: try VirtualBench.address(of: VirtualBench.first),
                power: { if $0 == .reset { resets.add(1, ordering: .relaxed) } },
                answering: { _ in .respond([0x90, 0x00]) })
            try await virtual.insert()
            let card = try await VirtualBench.connect(service)
            let before = resets.load(ordering: .relaxed)
            try await card.reset()
            #expect(resets.load(ordering: .relaxed) > before)
            #expect(try await card.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
            await card.disconnect()
            try await VirtualBench.pull(virtual)
        }

        @Test("A second connection to a reader in use is refused by name")
        func exclusive() async throws {
            try await VirtualBench.withCard(answering: { _ in .respond([0x90, 0x00]) }) { _ in
                let card = try await VirtualBench.connect(service)
                let reader = try await service.describe(VirtualBench.first)
                await #expect(throws: PCSCTransportError.readerInUse) {
                    try await service.connect(to: reader)
                }
                await #expect(throws: PCSCTransportError.readerInUse) {
                    try await PCSCService().connect(to: reader)
                }
                #expect(try await card.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00])
                await card.disconnect()
                _ = try await service.connect(to: reader)
            }
        }

        @Test("Q135 Two readers work at the same time, each on its own thread and context")
        func parallel() async throws {
            let service = service
            let slowIsDone = Flag()
            try await VirtualBench.withCard(answering: { _ in
                .respondLater([0x90, 0x00], after: .seconds(2))
            }) { _ in
                try await VirtualBench.withCard(
                    on: VirtualBench.second, answering: { _ in .respond([0x90, 0x00]) }
                ) { _ in
                    let slow = try await VirtualBench.connect(service)
                    let fast = try await VirtualBench.connect(service, to: VirtualBench.second)
                    let late = Task {
                        defer { slowIsDone.raise() }
                        return try await slow.exchange([0, 0xB0, 0, 0])
                    }
                    for _ in 0..<20 { #expect(try await fast.exchange([0, 0xB0, 0, 0]) == [0x90, 0x00]) }
                    #expect(!slowIsDone.isRaised)
                    #expect(try await late.value == [0x90, 0x00])
                }
            }
        }

        @Test("Q135 When pcscd's clients are used up that is said, and it passes")
        func clients() async throws {
            var services: [PCSCService] = []
            let failure = await #expect(throws: PCSCTransportError.self) {
                for _ in 0..<300 {
                    let service = PCSCService()
                    services.append(service)
                    _ = try await service.describe(VirtualBench.first)
                }
            }
            #expect(failure == .tooManyClients)
            #expect((150...201).contains(services.count))
            services = []
            try await until("a free client") { [service] in (try? await service.readers().count) == 2 }
        }

        @Test("A reader that is not there is missing by name")
        func missing() async throws {
            await #expect(throws: PCSCTransportError.readerMissing("No such reader")) {
                try await service.describe("No such reader")
            }
        }

        private static func pattern(_ length: Int) -> [UInt8] {
            (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
        }
    }
}

/// Something that has happened, seen from any task or thread.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .relaxed) }

    func raise() { state.store(true, ordering: .relaxed) }
}
