import Deadlines
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import PresentationStage
import Synchronization
import Testing
import Transport

@testable import ReaderService

@Suite("A lane")
struct LaneTests {
    /// A device whose presentations go on until the test ends them.
    private final class Device: LaneDevice {
        struct State {
            var begun: [Bool] = []
            var looks = 0
            var readiness = LaneReadiness.ready
            var leaving: [CheckedContinuation<Void, Never>] = []
        }

        let state = Mutex(State())
        private let events: [PresentationEvent]
        private let staysOnAir: Bool

        init(events: [PresentationEvent] = [], staysOnAir: Bool = false) {
            self.events = events
            self.staysOnAir = staysOnAir
        }

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            await run(transaction, isScanned: false)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction, isScanned: true)
        }

        private func run(_ transaction: ReaderTransaction, isScanned: Bool) async -> Presentation {
            state.withLock { $0.begun.append(isScanned) }
            transaction.report(.armed)
            for event in isScanned ? [.engaged] : events { transaction.report(event) }
            await untilCancelled()
            let leaving = staysOnAir ? Task { await self.left() } : nil
            return Presentation(
                .failure(.cancelled), request: nil, phases: [], rawAnswer: nil, leaving: leaving)
        }

        private func left() async {
            await withCheckedContinuation { continuation in
                state.withLock { $0.leaving.append(continuation) }
            }
        }

        func readiness() async -> LaneReadiness {
            state.withLock { state in
                state.looks += 1
                return state.readiness
            }
        }
    }

    private static let plan = PresentationPlan(
        question: PresentationQuestion(.drafts([])), trust: TrustStore(anchors: []),
        policy: VerificationPolicy(), clock: WallClock { Timestamp(secondsSince1970: 1_800_000_000) })

    @Test("It has one presentation at a time, and the next once that is over")
    func busy() async throws {
        let lane = Lane(name: "one", device: Device())
        let first = try await lane.present(Self.plan)
        await #expect(throws: LaneError.busy) { try await lane.present(Self.plan) }
        await lane.cancel()
        var events: [PresentationEvent] = []
        for await event in first.events { events.append(event) }
        #expect(events == [.armed])
        #expect(await !lane.isBusy)
        let next = try await lane.present(Self.plan)
        await lane.cancel()
        _ = await next.presentation.value
    }

    @Test("It can be cancelled before its device has begun, and when a phone is engaged")
    func cancelled() async throws {
        for device in [Device(), Device(events: [.engaged])] {
            let lane = Lane(name: "one", device: device)
            let presentation = try await lane.present(Self.plan).presentation
            await lane.cancel()
            #expect(await presentation.value.failure == .cancelled)
        }
    }

    @Test("The next presentation waits until the phone before has been told")
    func leaving() async throws {
        let device = Device(staysOnAir: true)
        let lane = Lane(name: "one", device: device)
        let first = try await lane.present(Self.plan)
        await lane.cancel()
        _ = await first.presentation.value
        let second = try await lane.present(Self.plan)
        while device.state.withLock({ $0.leaving.isEmpty }) { await Task.yield() }
        #expect(device.state.withLock { $0.begun.count } == 1)
        device.state.withLock { $0.leaving.removeFirst() }.resume()
        for await _ in second.events { break }
        #expect(device.state.withLock { $0.begun.count } == 2)
        await lane.cancel()
    }

    @Test("A scanned code takes the place of the tap, and only one does")
    func scanned() async throws {
        let engagement = try Self.engagement()
        let device = Device()
        let lane = Lane(name: "one", device: device)
        await #expect(throws: LaneError.notRunning) { try await lane.scan(engagement) }
        var iterator = try await lane.present(Self.plan).events.makeAsyncIterator()
        _ = await iterator.next()
        try await lane.scan(engagement)
        await #expect(throws: LaneError.alreadyEngaged) { try await lane.scan(engagement) }
        while device.state.withLock({ $0.begun.count }) < 2 { await Task.yield() }
        #expect(device.state.withLock { $0.begun } == [false, true])
        await lane.cancel()
        while await iterator.next() != nil {}

    }

    @Test(
        "Q12 A scanned code does not take the place of a phone that is engaged, but of one whose tap broke off",
        arguments: [
            [PresentationEvent.engaged], [.engaged, .tapAgain(NFCEndReason(.initialMessage, .cardLost))],
            [.engaged, .confirmThenTapAgain],
        ])
    func scannedAfter(events: [PresentationEvent]) async throws {
        let engagement = try Self.engagement()
        let lane = Lane(name: "one", device: Device(events: events))
        var iterator = try await lane.present(Self.plan).events.makeAsyncIterator()
        for _ in 0...events.count { _ = await iterator.next() }
        if events.count == 1 {
            await #expect(throws: LaneError.alreadyEngaged) { try await lane.scan(engagement) }
        } else {
            try await lane.scan(engagement)
        }
        await lane.cancel()
    }

    private static func engagement() throws -> DeviceEngagement {
        try DeviceEngagement(EngagementURI.deviceEngagement(in: Scene(handover: .qr).link().qr)[...])
    }

    @Test(
        "A radio that does not answer in time is reported as missing, and not as there; a look changes none")
    func silentRadio() async throws {
        let radio = MemoryRadio(isSilent: true) { _ in }
        let field = Field([])
        let lane = Lane(
            name: "one", device: ContactlessLaneDevice(reader: field, radio: radio, missingReader: { nil }))
        #expect(await lane.readiness() == .withoutBluetooth(.daemonHung))
        let there = MemoryRadio { _ in }
        let heard = Lane(
            name: "two", device: ContactlessLaneDevice(reader: field, radio: there, missingReader: { nil }))
        #expect(await heard.readiness() == .ready)
        #expect(there.prepared.withLock { $0 } == 0)
    }

    @Test("A look at the devices is recent for two seconds from its end")
    func recentLook() {
        let now = ContinuousClock.now
        let look = RecentLook(readiness: .ready, ended: now)
        #expect(look.isRecent(at: now) && look.isRecent(at: now + .seconds(2) - .nanoseconds(1)))
        #expect(!look.isRecent(at: now + .seconds(2)))
    }

    @Test("What a look found is not used after a presentation, however short that was")
    func lookAfterPresentation() async throws {
        let (device, clock) = (Device(), SteppedClock())
        let lane = Lane(name: "one", device: device) { clock.now }
        #expect(await lane.readiness() == .ready)
        let presentation = try await lane.present(Self.plan).presentation
        await lane.cancel()
        _ = await presentation.value
        device.state.withLock { $0.readiness = .unavailable(.noReader) }
        #expect(await lane.readiness() == .unavailable(.noReader))
    }

    @Test("What is missing is reported as of a moment ago, and a device in use is not asked")
    func readiness() async throws {
        let (device, clock) = (Device(), SteppedClock())
        device.state.withLock { $0.readiness = .unavailable(.noReader) }
        let lane = Lane(name: "one", device: device) { clock.now }
        async let other = lane.readiness()
        #expect(await lane.readiness() == .unavailable(.noReader))
        #expect(await other == .unavailable(.noReader))
        device.state.withLock { $0.readiness = .ready }
        clock.advance(by: RecentLook.lifetime - .nanoseconds(1))
        #expect(await lane.readiness() == .unavailable(.noReader))
        #expect(device.state.withLock { $0.looks } == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(await lane.readiness() == .ready)
        #expect(device.state.withLock { $0.looks } == 2)
        let busy = Device()
        let used = Lane(name: "two", device: busy)
        _ = try await used.present(Self.plan)
        #expect(await used.readiness() == .ready)
        #expect(busy.state.withLock { $0.looks } == 0)
        await used.cancel()
    }
}
