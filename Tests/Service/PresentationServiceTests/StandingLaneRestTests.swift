import Testing

@testable import PresentationService

@Suite("The rest of a lane that asks by itself")
struct StandingLaneRestTests {
    @Test("A result is shown for its time from its end, and the next phone is asked then and not before")
    func rest() {
        let now = ContinuousClock.now
        var lane = StandingLane(task: Task {})
        #expect(!lane.isResting(at: now))
        lane.rest(for: .seconds(12), from: now)
        #expect(lane.isResting(at: now) && lane.isResting(at: now + .seconds(12) - .nanoseconds(1)))
        #expect(!lane.isResting(at: now + .seconds(12)))
    }

    @Test("A result that follows begins the time anew")
    func next() {
        let now = ContinuousClock.now
        var lane = StandingLane(task: Task {})
        lane.rest(for: .seconds(12), from: now)
        lane.rest(for: .seconds(5), from: now + .seconds(10))
        #expect(lane.isResting(at: now + .seconds(15) - .nanoseconds(1)))
        #expect(!lane.isResting(at: now + .seconds(15)))
    }
}
