import Deadlines
import Logging
import MdocModel
import MdocTrust
import MdocVerification
import PortraitDecoding
import RecordBench
import Synchronization
import Testing
import Transport

@testable import PresentationService
@testable import ReaderService

@Suite("Readers that go and come back")
struct LaneChangeTests {
    /// A reader that is there or not. Whoever comes stays on the air until `leave` is over.
    private final class Reader: LaneDevice {
        let state = Mutex(LaneReadiness.ready)
        let radio = Mutex<RadioFault?>(nil)
        private let leave: @Sendable () async -> Void

        init(leave: @escaping @Sendable () async -> Void = {}) { self.leave = leave }

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            Presentation(
                .failure(.noUsableRetrieval), request: nil, phases: [], rawAnswer: nil,
                leaving: Task { await leave() })
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness {
            let state = state.withLock { $0 }
            guard state == .ready, let fault = await radioFault() else { return state }
            return .withoutBluetooth(fault)
        }

        func radioFault() async -> RadioFault? { radio.withLock { $0 } }
    }

    private static func coordinator(
        _ lane: Lane, log: Logger = Logger(label: "tests")
    ) throws -> PresentationCoordinator {
        try PresentationCoordinator(
            lanes: [ConfiguredLane(lane)], basis: NoBasis(),
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
            log: log, clock: .system)
    }

    @Test("A lane is taken away once its last phone has been told, so that another may have its devices")
    func replaced() async throws {
        let (told, tell) = AsyncStream<Void>.makeStream()
        let lane = Lane(name: "one", device: Reader { for await _ in told {} })
        let coordinator = try Self.coordinator(lane)
        let plan = PresentationPlan(
            question: PresentationQuestion(.drafts([])), trust: TrustStore(anchors: []),
            policy: VerificationPolicy(), clock: WallClock { Timestamp(secondsSince1970: 1_800_000_000) })
        _ = try await lane.present(plan).presentation.value
        let steps = Mutex<[String]>([])
        async let removing = {
            let isRemoved = await coordinator.remove(lane: "one")
            steps.withLock { $0.append("removed") }
            return isRemoved
        }()
        while await coordinator.laneNames == ["one"] { await Task.yield() }
        // Nothing more may come meanwhile, which only time can show.
        try await Task.sleep(for: .milliseconds(50))
        steps.withLock { $0.append("told") }
        tell.finish()
        #expect(await removing)
        #expect(steps.withLock { $0 } == ["told", "removed"])
    }

    @Test("The data of a lane is its own while the configuration has the lane or the lane is in force")
    func retainedData() async throws {
        let coordinator = try Self.coordinator(Lane(name: "one", device: Reader()))
        let desk = KnownCaller(name: "desk", scopes: [.desk], lanes: ["two"], credential: .user(0))
        func isOpenToOtherDesks() async -> Bool {
            await coordinator.retentionAccess(of: desk).covers(RetentionOwner("desk", atDesk: "one"))
        }
        #expect(await !isOpenToOtherDesks())
        #expect(await coordinator.remove(lane: "one"))
        #expect(await !isOpenToOtherDesks(), "the lane may be added again")
        await coordinator.setConfiguredLanes(["two"])
        #expect(await isOpenToOtherDesks())
        await coordinator.add(ConfiguredLane(Lane(name: "one", device: Reader())))
        #expect(await !isOpenToOtherDesks(), "the lane is in force")
    }

    @Test("Who listens to a lane is notified once that its reader was removed, and once that it is back")
    func changes() async throws {
        let (reader, clock) = (Reader(), SteppedClock())
        let coordinator = try Self.coordinator(Lane(name: "one", device: reader) { clock.now })
        let clerk = KnownCaller(name: "page", scopes: [.clerk], lanes: nil, credential: .user(0))
        var told = try await coordinator.listen(toLane: "one", by: clerk, after: nil, lost: {})
            .makeAsyncIterator()
        _ = await told.next()
        let states: [LaneReadiness] = [.ready, .unavailable(.noReader), .ready]
        for state in states {
            reader.state.withLock { $0 = state }
            clock.advance(by: RecentLook.lifetime)
            for _ in 0..<2 { #expect(await coordinator.readiness(ofLane: "one") == state) }
        }
        await coordinator.close()
        var frames: [String] = []
        while let frame = await told.next() { frames.append(frame) }
        #expect(frames.count == 2 && frames.allSatisfy { $0.contains("event: laneChanged\n") }, "\(frames)")
    }

    @Test(
        "Q239 The start says in the log why bluetoothd refuses a lane, whether or not the lane has a reader",
        arguments: [LaneReadiness.ready, .unavailable(.noReader)])
    func start(_ readiness: LaneReadiness) async throws {
        let refusal = PeerRefusal(
            call: "RegisterApplication", name: "org.bluez.Error.Failed",
            message: "Failed to create entry in database\u{1b}[2J")
        for (fault, count) in [
            (RadioFault(.registrationRefused, refusal), 1), (.noAdapter, 0), (nil, 0),
        ] as [(RadioFault?, Int)] {
            let reader = Reader()
            reader.state.withLock { $0 = readiness }
            reader.radio.withLock { $0 = fault }
            let log = LogLines()
            let coordinator = try Self.coordinator(Lane(name: "one", device: reader), log: log.logger)
            await coordinator.inspectLanesAtStart()
            let lines = log.lines.filter { $0.contains("lane=one") }
            #expect(lines.count == count, "\(lines)")
            #expect(lines.allSatisfy { $0.contains("org.bluez.Error.Failed: Failed to create entry") })
            #expect(lines.allSatisfy { !$0.contains("\u{1b}") })
        }
    }

    /// A lane at which a look takes until the test ends it.
    private final class Hanging: LaneDevice {
        let looking = Mutex<CheckedContinuation<Void, Never>?>(nil)

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            Presentation(
                .failure(.noUsableRetrieval), request: nil, phases: [], rawAnswer: nil, leaving: nil)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness {
            await withCheckedContinuation { continuation in looking.withLock { $0 = continuation } }
            return .ready
        }
    }

    @Test("Q246 At the start a lane that hangs does not delay the report on another")
    func hangs() async throws {
        let (hanging, refused) = (Hanging(), Reader())
        let refusal = PeerRefusal(
            call: "RegisterAdvertisement", name: "org.bluez.Error.Failed", message: "no")
        refused.radio.withLock { $0 = RadioFault(.registrationRefused, refusal) }
        let log = LogLines()
        let coordinator = try PresentationCoordinator(
            lanes: [
                ConfiguredLane(Lane(name: "hanging", device: hanging)),
                ConfiguredLane(Lane(name: "refused", device: refused)),
            ], basis: NoBasis(), portraits: PortraitDecoder(executable: "/nonexistent"),
            metrics: PresentationMetrics(), log: log.logger, clock: .system)
        let start = Task { await coordinator.inspectLanesAtStart() }
        let hasReported = await Task {
            try await until("the report on the other lane", within: .seconds(60)) {
                log.lines.contains { $0.contains("lane=refused") }
            }
        }.result
        #expect(throws: Never.self) { try hasReported.get() }
        try await until("the look that hangs") { hanging.looking.withLock { $0 != nil } }
        hanging.looking.withLock { $0.take() }?.resume()
        await start.value
        #expect(log.lines.count { $0.contains("lane=refused") } == 1)
    }
}
