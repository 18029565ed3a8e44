import Testing

@testable import PresentationService

@Suite("How many presentations a caller begins within an hour")
struct OrderLimitTests {
    private static let start = ContinuousClock.now

    private static func begin(
        _ limit: inout OrderLimit, _ caller: String, after seconds: Int
    ) -> PresentationServiceError? {
        let now = start + .seconds(seconds)
        do throws(PresentationServiceError) {
            try limit.check(caller, at: now)
            limit.count(caller, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "The one after the last is refused until the first is an hour old, and no other caller waits with it")
    func limit() {
        var limit = OrderLimit(most: 3)
        for second in [0, 10, 20] {
            let problem = Self.begin(&limit, "till", after: second)
            #expect(problem == nil)
        }
        let refused = Self.begin(&limit, "till", after: 30)
        guard case .tooManyOrders(limit: 3, retryAfter: let seconds)? = refused else {
            Issue.record("it is not refused")
            return
        }
        #expect((3570...3571).contains(seconds))
        let other = Self.begin(&limit, "other", after: 30)
        // Once that time is over there is place for one, and for no second one.
        let later = Self.begin(&limit, "till", after: 30 + Int(seconds))
        let second = Self.begin(&limit, "till", after: 30 + Int(seconds))
        #expect(other == nil && later == nil && second?.name == "tooManyOrders")
    }

    @Test("An order that does not begin is not counted")
    func notBegun() {
        var limit = OrderLimit(most: 1)
        for second in 0..<5 {
            let problem: PresentationServiceError?
            do throws(PresentationServiceError) {
                try limit.check("till", at: Self.start + .seconds(second))
                problem = nil
            } catch {
                problem = error
            }
            #expect(problem == nil)
        }
    }
}
