import Synchronization
import Testing

@testable import PresentationService

@Suite("The turns of orders")
struct OrderTurnsTests {
    @Test("An order begins once the one before has ended, also when that one was refused")
    func turns() async {
        var turns = OrderTurns(ordersPerHour: 10)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let steps = Mutex<[String]>([])
        let first = turns.next { () async throws(PresentationServiceError) -> Int in
            for await _ in gate {}
            steps.withLock { $0.append("first") }
            throw .laneUnknown
        }
        let second = turns.next { () async throws(PresentationServiceError) -> Int in
            steps.withLock { $0.append("second") }
            return 2
        }
        #expect(steps.withLock { $0.isEmpty })
        open.finish()
        #expect(await second.value == .success(2))
        #expect(await first.value == .failure(.laneUnknown))
        #expect(steps.withLock { $0 } == ["first", "second"])
    }

    @Test("A caller has so many orders of its own, and the end is remembered")
    func limit() throws {
        var turns = OrderTurns(ordersPerHour: 1)
        try turns.check("till")
        turns.count("till")
        let refusal = #expect(throws: PresentationServiceError.self) { try turns.check("till") }
        #expect(refusal?.name == "tooManyOrders")
        try turns.check("other")
        #expect(!turns.isEnding)
        turns.end()
        #expect(turns.isEnding)
    }
}
