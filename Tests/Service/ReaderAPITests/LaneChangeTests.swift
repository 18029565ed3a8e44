import Logging
import MdocModel
import PortraitDecoding
import ReaderService
import Synchronization
import Testing

@testable import ReaderAPI

@Suite("Readers that go and come back")
struct LaneChangeTests {
    /// A reader that is there or not.
    private final class Reader: LaneDevice {
        let state = Mutex(LaneReadiness.ready)

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            preconditionFailure("nobody is asked here")
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            preconditionFailure("nobody is asked here")
        }

        func readiness() async -> LaneReadiness { state.withLock { $0 } }
    }

    @Test("Who listens to a lane is told once that its reader has gone, and once that it is back")
    func changes() async throws {
        let reader = Reader()
        let counter = try Counter(
            lanes: [CounterLane(Lane(name: "one", device: reader))], basis: NoBasis(),
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: CounterMetrics(),
            log: Logger(label: "tests"))
        var told = try await counter.listen(toLane: "one", after: nil, lost: {}).makeAsyncIterator()
        _ = await told.next()
        let states: [LaneReadiness] = [.ready, .unavailable(id: "pcsc-no-reader"), .ready]
        for state in states {
            reader.state.withLock { $0 = state }
            // A look stands for two seconds.
            try await Task.sleep(for: .seconds(2.1))
            for _ in 0..<2 { #expect(await counter.readiness(ofLane: "one") == state) }
        }
        await counter.close()
        var frames: [String] = []
        while let frame = await told.next() { frames.append(frame) }
        #expect(frames.count == 2 && frames.allSatisfy { $0.contains("event: lane") }, "\(frames)")
    }
}
