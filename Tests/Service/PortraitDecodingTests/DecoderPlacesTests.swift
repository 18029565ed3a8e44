import Synchronization
import Testing

@testable import PortraitDecoding

@Suite("The places of decoders")
struct DecoderPlacesTests {
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
        let places = DecoderPlaces(count: 4)
        let counts = Counts()
        await withDiscardingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    await places.enter()
                    counts.begin()
                    try? await Task.sleep(for: .milliseconds(5))
                    counts.end()
                    places.leave()
                }
            }
        }
        #expect(counts.current == Counts.State(running: 0, most: 4, ended: 64))
    }
}
