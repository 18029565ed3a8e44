import Deadlines
import Logging
import MdocModel
import MdocTrust
import MdocVerification
import PCSCTransport
import PortraitDecoding
import Testing

@testable import PresentationService
@testable import ReaderService
@testable import countersignd

@Suite("Retained data while a reload replaces the lanes")
struct LanesInForceTests {
    /// A device whose phone is being told of the end until `told` ends.
    private struct SlowDevice: LaneDevice {
        let told: AsyncStream<Void>

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            let told = told
            return Presentation(
                .failure(.noUsableRetrieval), request: nil, phases: [], rawAnswer: nil,
                leaving: Task { for await _ in told {} })
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness { .ready }
    }

    private let readers = PCSCService()

    private static func lane(
        _ name: String, port: UInt16, host: String = "127.0.0.1", resultSeconds: Int = 12
    ) -> DaemonConfiguration.Lane {
        var lane = DaemonConfiguration.Lane()
        lane.name = name
        lane.benchLink = DaemonConfiguration.Lane.BenchLink(host: host, port: port)
        lane.page.resultSeconds = resultSeconds
        return lane
    }

    private static func coordinator(_ lanes: [ConfiguredLane]) throws -> PresentationCoordinator {
        try PresentationCoordinator(
            lanes: lanes, basis: StoredBasis(folder: "/nonexistent", policy: VerificationPolicy()),
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
            log: Logger(label: "tests"), clock: .system)
    }

    private func inForce(
        _ lanes: [DaemonConfiguration.Lane], of coordinator: PresentationCoordinator
    ) -> LanesInForce {
        LanesInForce(lanes, of: coordinator, readers: readers, log: Logger(label: "tests"))
    }

    /// Whether the desk of the lane `two` may export and delete what the lane `one` retained.
    private static func isOpen(_ coordinator: PresentationCoordinator) async -> Bool {
        let desk = KnownCaller(name: "desk", scopes: [.desk], lanes: ["two"], credential: .user(0))
        return await coordinator.retentionAccess(of: desk).covers(RetentionOwner("desk", atDesk: "one"))
    }

    @Test("While a lane is removed, the desk of another lane cannot open its data")
    func replaced() async throws {
        let (told, tell) = AsyncStream<Void>.makeStream()
        defer { tell.finish() }
        let lane = Lane(name: "one", device: SlowDevice(told: told))
        let (one, two) = (Self.lane("one", port: 9001), Self.lane("two", port: 9002))
        let coordinator = try Self.coordinator([ConfiguredLane(lane), two.assemble(readers)])
        let inForce = inForce([one, two], of: coordinator)
        let plan = PresentationPlan(
            question: PresentationQuestion(.drafts([])), trust: TrustStore(anchors: []),
            policy: VerificationPolicy(), clock: WallClock { Timestamp(secondsSince1970: 1_800_000_000) })
        _ = try await lane.present(plan).presentation.value
        let changed = Self.lane("one", port: 9001, resultSeconds: 20)
        let change = Task { await inForce.apply([changed, two]) }
        try await until("the lane to be removed") { await coordinator.laneNames == ["two"] }
        #expect(await !Self.isOpen(coordinator))
        tell.finish()
        #expect(await change.value)
        #expect(await coordinator.laneNames == ["two", "one"])
        #expect(await !Self.isOpen(coordinator))
    }

    @Test(
        "Data of a lane that cannot be assembled, or that conflicts with another, is not open either",
        arguments: [("not an address", 9001), ("127.0.0.1", 9002)] as [(String, UInt16)])
    func skipped(_ host: String, _ port: UInt16) async throws {
        let (one, two) = (Self.lane("one", port: 9001), Self.lane("two", port: 9002))
        let coordinator = try Self.coordinator([one.assemble(readers), two.assemble(readers)])
        let inForce = inForce([one, two], of: coordinator)
        #expect(await inForce.apply([Self.lane("one", port: port, host: host, resultSeconds: 20), two]))
        #expect(await coordinator.laneNames == ["two"])
        #expect(await !Self.isOpen(coordinator))
    }

    @Test("The twin: data of a lane that the configuration no longer has is open to its caller's other desks")
    func removed() async throws {
        let (one, two) = (Self.lane("one", port: 9001), Self.lane("two", port: 9002))
        let coordinator = try Self.coordinator([one.assemble(readers), two.assemble(readers)])
        let inForce = inForce([one, two], of: coordinator)
        #expect(await inForce.apply([two]))
        #expect(await Self.isOpen(coordinator))
        #expect(await inForce.apply([one, two]))
        #expect(await !Self.isOpen(coordinator))
    }

    @Test("A stopped kiosk has no lane in force, and its configuration still has its lanes")
    func stopped() async throws {
        let (one, two) = (Self.lane("one", port: 9001), Self.lane("two", port: 9002))
        let coordinator = try Self.coordinator([one.assemble(readers), two.assemble(readers)])
        let inForce = inForce([one, two], of: coordinator)
        #expect(await inForce.apply([], isStopped: true))
        #expect(await coordinator.laneNames.isEmpty)
        #expect(await !Self.isOpen(coordinator))
        #expect(await inForce.apply([]))
        #expect(await Self.isOpen(coordinator))
    }
}
