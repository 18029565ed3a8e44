import Synchronization
import Testing

@testable import PortraitDecoding

@Suite("The places of decoders")
struct DecoderPlacesTests {
    @Test("As many run at once as there are places, however many wait, and each gets its turn")
    func limit() async {
        let places = DecoderPlaces(count: 4)
        let (running, most, ended) = (Atomic(0), Atomic(0), Atomic(0))
        await withDiscardingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    await places.enter()
                    let count = running.add(1, ordering: .relaxed).newValue
                    most.max(count, ordering: .relaxed)
                    try? await Task.sleep(for: .milliseconds(5))
                    running.subtract(1, ordering: .relaxed)
                    ended.add(1, ordering: .relaxed)
                    places.leave()
                }
            }
        }
        #expect(most.load(ordering: .relaxed) == 4)
        #expect(ended.load(ordering: .relaxed) == 64)
    }
}
