import Testing

@testable import ReaderService

@Suite("The phases of a presentation")
struct PhaseTimesTests {
    private let start = ContinuousClock.now

    @Test("Each phase lasts from the end of the one before to its own")
    func durations() {
        var times = PhaseTimes(from: start)
        times.end(.engagement, at: start + .milliseconds(300))
        times.end(.request, at: start + .milliseconds(350))
        #expect(
            times.phases == [
                PhaseTime(name: .engagement, duration: .milliseconds(300)),
                PhaseTime(name: .request, duration: .milliseconds(50)),
            ])
    }

    @Test("The phase of a further request is added to that of the first, in its place")
    func furtherRequest() {
        var times = PhaseTimes(from: start)
        for seconds in [1, 3] {
            times.end(.request, at: start + .seconds(seconds))
            times.end(.consent, at: start + .seconds(seconds + 1))
        }
        #expect(
            times.phases == [
                PhaseTime(name: .request, duration: .seconds(2)),
                PhaseTime(name: .consent, duration: .seconds(2)),
            ])
    }

    @Test("A phase that is said to end before the one before has no duration, and takes none from the next")
    func backwards() {
        var times = PhaseTimes(from: start)
        times.end(.request, at: start + .seconds(2))
        times.end(.consent, at: start + .seconds(1))
        times.end(.transfer, at: start + .seconds(3))
        #expect(times.phases.map(\.duration) == [.seconds(2), .zero, .seconds(1)])
    }
}
