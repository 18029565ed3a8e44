import PCSCTransport
import Testing

@Suite("Exchanges with a virtual card", .serialized, .enabled(if: VirtualBench.isHere, VirtualBench.absence))
struct ExchangeTests {
    let service = PCSCService()

    @Test("The readers of pcscd are listed")
    func list() async throws {
        let readers = try await service.readers()
        #expect(readers.map(\.name) == [VirtualBench.first, VirtualBench.second])
        print(readers)
    }

    @Test("A command reaches the card and its answer comes back")
    func exchange() async throws {
        try await VirtualBench.withCard(answering: { .respond(Array($0.reversed()) + [0x90, 0x00]) }) { _ in
            let card = try await VirtualBench.connect(service)
            let answer = try await card.exchange([0x00, 0xA4, 0x04, 0x00, 0x02, 0xAB, 0xCD][...])
            #expect(answer == [0xCD, 0xAB, 0x02, 0x00, 0x04, 0xA4, 0x00, 0x90, 0x00])
            await card.disconnect()
        }
    }
}
