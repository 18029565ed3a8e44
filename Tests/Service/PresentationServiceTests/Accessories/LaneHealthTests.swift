import Accessories
import Logging
import MdocModel
import PortraitDecoding
import Synchronization
import Testing
import Transport

@testable import PresentationService
@testable import ReaderService

@Suite("Pauses and problems of a lane, as programs of accessories receive them")
struct LaneHealthTests {
    /// A reader that is there or not.
    private final class Reader: LaneDevice {
        let state: Mutex<LaneReadiness>

        init(_ readiness: LaneReadiness) { state = Mutex(readiness) }

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            Presentation(
                .failure(.noUsableRetrieval), request: nil, phases: [], rawAnswer: nil, leaving: nil)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness { state.withLock { $0 } }
    }

    /// Reads the events of the lane until one has this pause and this problem.
    private static func reach(paused: Bool, problem: Bool, _ events: AccessoryEvents) async throws {
        while let lane = try await events.next("lane") {
            if lane.text("lane") == "one", lane.boolean("paused") == paused,
                lane.boolean("problem") == problem
            {
                return
            }
        }
        Issue.record("the stream has ended")
    }

    @Test("A reader that is missing is a problem, also as the first result; a reader that is ready is none")
    func reader() async throws {
        for readiness in [LaneReadiness.ready, .unavailable(.noReader)] {
            let coordinator = try PresentationCoordinator(
                lanes: [ConfiguredLane(Lane(name: "one", device: Reader(readiness)))], basis: NoBasis(),
                portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
                log: Logger(label: "tests"), clock: .system, accessories: [.broker()])
            let events = AccessoryEvents(
                try await coordinator.listenToAccessories(by: .program(), lost: {}))
            try await Self.reach(paused: false, problem: false, events)
            #expect(await coordinator.readiness(ofLane: "one") == readiness)
            if readiness != .ready { try await Self.reach(paused: false, problem: true, events) }
            await coordinator.close()
            #expect(try await events.rest().isEmpty)
        }
    }

    @Test("A required output that cannot act is a pause and a problem; an absent scanner pauses nothing")
    func accessories() async throws {
        let stage = try AccessoryStage(
            [.lock(isTrial: true, isRequired: true), .scanner(), .broker()],
            standing: try Preset(name: "Age 21", intent: "age over 21"))
        let events = try await stage.listen()
        try await Self.reach(paused: false, problem: true, events)
        await stage.coordinator.startStanding()
        try await Self.reach(paused: true, problem: true, events)
        try await stage.coordinator.record(.ready, ofAccessory: "lock", by: stage.program)
        // The scanner still does not answer, which pauses nothing.
        try await Self.reach(paused: false, problem: true, events)
        try await stage.coordinator.record(.ready, ofAccessory: "qr-1", by: stage.program)
        try await Self.reach(paused: false, problem: false, events)
        // The broker belongs to no lane.
        try await stage.coordinator.record(.absent, ofAccessory: "home", by: stage.program)
        try await stage.coordinator.record(.absent, ofAccessory: "lock", by: stage.program)
        try await Self.reach(paused: true, problem: true, events)
        await stage.end()
    }
}
