import ReaderService
import Testing

@testable import PresentationService

@Suite("The lanes that ask by themselves, as a value")
struct StandingOrdersTests {
    private static func orders() -> StandingOrders {
        var orders = StandingOrders()
        orders.insert(lane: "one", task: Task {})
        return orders
    }

    @Test("A lane gives up its turn while anybody holds it, and another lane does not")
    func holds() {
        let now = ContinuousClock.now
        var orders = Self.orders()
        orders.insert(lane: "two", task: Task {})
        let held = [orders.reserveTurn(lane: "one"), orders.reserveTurn(lane: "one")]
        #expect(held == [nil, nil])
        #expect(!orders.hasTurn(lane: "one", at: now) && orders.hasTurn(lane: "two", at: now))
        orders.releaseTurn(lane: "one")
        #expect(!orders.hasTurn(lane: "one", at: now))
        orders.releaseTurn(lane: "one")
        #expect(orders.hasTurn(lane: "one", at: now))
        #expect(!orders.hasTurn(lane: "three", at: now))
    }

    @Test(
        "A lane that waits yields its presentation to each who takes its turn, until that presentation ends")
    func yields() throws {
        let (id, other) = (try PresentationID(), try PresentationID())
        var orders = Self.orders()
        orders.wait(in: id, at: "one")
        #expect(orders.isUnasked(id) && !orders.isUnasked(other))
        let held = [orders.reserveTurn(lane: "one"), orders.reserveTurn(lane: "one")]
        #expect(held == [id, id])
        #expect(orders.isYielding(id, at: "one") && !orders.isUnasked(id))
        orders.endYielding(other, at: "one")
        #expect(orders.isYielding(id, at: "one"))
        orders.endYielding(id, at: "one")
        let later = orders.reserveTurn(lane: "one")
        #expect(!orders.isYielding(id, at: "one") && later == nil)
    }

    @Test("A wait that ended without a phone begins again once, and one that was asked or yields does not")
    func waits() throws {
        let id = try PresentationID()
        var orders = Self.orders()
        let other = try PresentationID()
        orders.wait(in: id, at: "one")
        let early = orders.waitAgain(in: id, at: "one")
        orders.fail(.cancelled, in: id, at: "one")
        let failures = [
            orders.waitAgain(in: other, at: "one"), orders.waitAgain(in: id, at: "one"),
            orders.waitAgain(in: id, at: "one"),
        ]
        #expect(early == nil && failures == [nil, .cancelled, nil] && orders.isWaiting(in: id, at: "one"))
        orders.fail(.cancelled, in: id, at: "one")
        orders.endWait(at: "one")
        let asked = orders.waitAgain(in: id, at: "one")
        #expect(asked == nil && !orders.isWaiting(in: id, at: "one"))
    }

    @Test("Only a presentation in which nobody was asked is withdrawn")
    func withdrawals() throws {
        let id = try PresentationID()
        var orders = Self.orders()
        var withdrawn = [orders.withdraw(at: "one")]
        orders.wait(in: id, at: "one")
        orders.endWait(at: "one")
        withdrawn.append(orders.withdraw(at: "one"))
        orders.wait(in: id, at: "one")
        withdrawn += [orders.withdraw(at: "one"), orders.withdraw(at: "one")]
        #expect(withdrawn == [nil, nil, id, nil])
    }

    @Test("A pause is announced when its reason is of another kind, and when it ends")
    func pauses() {
        var orders = Self.orders()
        let reasons: [PresentationServiceError?] = [
            nil, .clockNotSet, .clockNotSet, .trustNotSetUp, nil, nil,
        ]
        var announced: [Bool] = []
        for reason in reasons {
            announced.append(orders.recordPause(lane: "one", by: reason))
            #expect(orders.pause(of: "one") == reason)
        }
        #expect(announced == [false, true, false, true, true, false])
        let absent = orders.recordPause(lane: "two", by: .clockNotSet)
        #expect(!absent && orders.pause(of: "two") == nil)
    }
}
