import Deadlines
import PCSCBench
import PCSCTransport
import Testing

extension VirtualBench {
    /// A card put on a reader, and pulled afterwards for as long as pcscd needs to see it.
    static func withCard<Value: Sendable>(
        on reader: String = first, answering: @escaping @Sendable (ArraySlice<UInt8>) -> CardAnswer,
        _ body: (VirtualCard) async throws -> Value
    ) async throws -> Value {
        let card = VirtualCard(address: try address(of: reader), answering: answering)
        try await card.insert()
        let result: Result<Value, any Error>
        do { result = .success(try await body(card)) } catch { result = .failure(error) }
        card.remove()
        try await Task.sleep(for: .seconds(1))
        return try result.get()
    }

    /// Pulls a card that is on the first reader, and returns once pcscd has seen that.
    static func pull(_ card: VirtualCard) async throws {
        let stream = PCSCService().events()
        _ = try await firstEvent(in: stream) { event -> Bool? in
            if case .cardInserted(first, _) = event { true } else { nil }
        }
        card.remove()
        _ = try await firstEvent(in: stream) { event -> Bool? in
            if case .cardRemoved(first, _) = event { true } else { nil }
        }
    }

    /// Connects to the card on a reader as soon as pcscd has noticed it.
    static func connect(_ service: PCSCService, to name: String = first) async throws -> PCSCCard {
        try await withDeadline("a card on \(name)") {
            for await event in service.events() {
                guard case .cardInserted(name, _) = event else { continue }
                return try await service.connect(to: try await service.describe(name))
            }
            throw Overdue("end of events")
        }
    }
}

/// Every test that needs pcscd: one after the other, for they share its two readers and some kill it.
@Suite(
    "With a real pcscd", .serialized, .enabled(if: VirtualBench.isHere, VirtualBench.absence),
    .takingTurnsAtTheBench)
struct BenchTests {
    let service = PCSCService()
}
