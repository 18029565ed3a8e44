import Deadlines
import MdocModel
import MdocTrust
import MdocVerification
import PresentationStage
import Synchronization
import Testing
import Transport

@testable import ReaderService

@Suite("Who uses the devices of a lane, one after the other")
struct LaneTurnTests {
    /// A device that notes what it is used for. A use ends when the test says so.
    private final class Device: LaneDevice {
        struct State {
            var uses: [String] = []
            var isInUse = false
            var hasOverlap = false
            var waiting: CheckedContinuation<Void, Never>?
        }

        let state = Mutex(State())

        /// Lets the use that waits end, once there is one.
        func endUse() async throws {
            try await until("a use") { self.state.withLock { $0.waiting != nil } }
            state.withLock { $0.waiting.take() }?.resume()
        }

        var uses: [String] { state.withLock { $0.uses } }

        private func use(_ name: String) async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.hasOverlap = state.hasOverlap || state.isInUse
                    state.isInUse = true
                    state.uses.append(name)
                    state.waiting = continuation
                }
            }
            state.withLock { $0.isInUse = false }
        }

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            await use("presentation")
            return Presentation(
                .failure(.cancelled), request: nil, phases: [], rawAnswer: nil, leaving: nil)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness {
            await use("look")
            return .ready
        }

        func radioFault() async -> RadioFault? {
            await use("trial")
            return .noAdapter
        }
    }

    private static let plan = PresentationPlan(
        question: PresentationQuestion(.drafts([])), trust: TrustStore(anchors: []),
        policy: VerificationPolicy(), clock: WallClock { Timestamp(secondsSince1970: 1_800_000_000) })

    @Test("A trial of the radio waits for a look, and a presentation for both")
    func turns() async throws {
        let device = Device()
        let lane = Lane(name: "one", device: device)
        async let readiness = lane.readiness()
        try await until("the look") { device.uses == ["look"] }
        async let fault = lane.radioFault()
        // The trial has its turn before the presentation asks for one.
        try await Task.sleep(for: .milliseconds(50))
        let presentation = try await lane.present(Self.plan).presentation
        #expect(device.uses == ["look"])
        try await device.endUse()
        #expect(await readiness == .ready)
        try await device.endUse()
        #expect(await fault == .noAdapter)
        try await device.endUse()
        _ = await presentation.value
        #expect(device.uses == ["look", "trial", "presentation"])
        #expect(device.state.withLock { !$0.hasOverlap })
    }

    @Test("While a presentation runs the radio is not tried, and afterwards it is")
    func running() async throws {
        let device = Device()
        let lane = Lane(name: "one", device: device)
        let presentation = try await lane.present(Self.plan).presentation
        #expect(await lane.radioFault() == nil)
        try await device.endUse()
        _ = await presentation.value
        async let fault = lane.radioFault()
        try await device.endUse()
        #expect(await fault == .noAdapter)
        #expect(device.uses == ["presentation", "trial"])
    }

    @Test("A lane is left once no inspection uses its devices")
    func left() async throws {
        let device = Device()
        let lane = Lane(name: "one", device: device)
        let hasLeft = Mutex(false)
        async let fault = lane.radioFault()
        try await until("the trial") { device.uses == ["trial"] }
        async let leaving: Void = {
            await lane.waitUntilLeft()
            hasLeft.withLock { $0 = true }
        }()
        // Nothing more may come meanwhile, which only time can show.
        try await Task.sleep(for: .milliseconds(50))
        #expect(hasLeft.withLock { !$0 })
        try await device.endUse()
        await leaving
        _ = await fault
        #expect(hasLeft.withLock { $0 })
    }
}
