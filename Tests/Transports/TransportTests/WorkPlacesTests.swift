import Synchronization
import Testing
import Transport

@Suite("Places for work that runs at once")
struct WorkPlacesTests {
    private final class Counts: Sendable {
        struct State: Equatable {
            var running = 0
            var most = 0
            var ended = 0
        }

        private let state = Mutex(State())

        var current: State { state.withLock { $0 } }

        func begin() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func end() {
            state.withLock { state in
                state.running -= 1
                state.ended += 1
            }
        }
    }

    @Test("As many run at once as there are places, however many wait, and each gets its turn")
    func limit() async {
        let places = WorkPlaces(count: 4)
        let counts = Counts()
        await withDiscardingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    guard await places.enter() else { return }
                    counts.begin()
                    try? await Task.sleep(for: .milliseconds(5))
                    counts.end()
                    places.leave()
                }
            }
        }
        #expect(counts.current == Counts.State(running: 0, most: 4, ended: 64))
    }

    @Test("Where too many wait the next one is sent away at once, and takes no place from those who wait")
    func mostWaiting() async {
        let places = WorkPlaces(count: 1, mostWaiting: 2)
        #expect(await places.enter())
        let counts = Counts()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<5 { group.addTask { await places.enter() } }
            // Three are sent away while the place is taken; the others wait for it.
            for await isIn in group.prefix(3) { #expect(!isIn) }
            places.leave()
            for await isIn in group {
                #expect(isIn)
                counts.begin()
                counts.end()
                places.leave()
            }
        }
        #expect(counts.current.ended == 2)
        #expect(await places.enter())
    }
}
