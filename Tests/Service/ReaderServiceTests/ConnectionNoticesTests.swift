import MdocModel
import MdocWallet
import NDEF
import PresentationStage
import Synchronization
import Testing
import Transport

@testable import ReaderService

@Suite("What people see while a phone connects over Bluetooth, in memory")
struct ConnectionNoticesTests {
    private static let start: [PresentationEvent] = [.armed, .engaged, .mayLift]
    private static let end: [PresentationEvent] = [.awaitingConsent, .receiving, .verifying]

    /// Waits short enough to be waited for; those not named are longer than any test.
    private static func deadlines(
        connecting: Duration = .seconds(3600), checkBluetooth: Duration = .seconds(3600)
    ) -> PresentationDeadlines {
        PresentationDeadlines.ample.with {
            ($0.connecting, $0.checkBluetooth) = (connecting, checkBluetooth)
        }
    }

    /// A tap of a phone that connects once `event` is there, or at once.
    private func events(
        _ deadlines: PresentationDeadlines, connectingAfter event: PresentationEvent? = nil,
        by mode: RetrievalPlan.Mode = .centralClient
    ) async throws -> EventLog {
        let scene = try Scene.onAir(.static, .bothCentralPreferred)
        let phone = try scene.phone()
        let radio = MemoryRadio(connecting: {
            if let event { try? await scene.events.first(event) }
        }) { link in
            guard let engagement = phone.engagement else { return await link.close() }
            _ = await HolderEnd.serve(scene.wallet, engagement, over: link)
        }
        let presentation = try await scene.transaction(deadlines: deadlines, retrieval: .over(mode))
            .run(at: Field(phone), radio: radio)
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        return scene.events
    }

    @Test("After 3 s people see that the phone is connecting, after 8 s the holder is asked about Bluetooth")
    func waits() {
        let deadlines = PresentationDeadlines()
        #expect(deadlines.connecting == .seconds(3) && deadlines.checkBluetooth == .seconds(8))
    }

    @Test("Each notice comes at its instant and not before, once, and the second after the first")
    func instants() {
        let engaged = ContinuousClock.now
        var notices = ConnectionNotices(PresentationDeadlines(), engaged: engaged)
        #expect(notices.deadline == engaged + .seconds(3))
        #expect(notices.expire(now: engaged + .seconds(3) - .nanoseconds(1)) == nil)
        #expect(notices.expire(now: engaged + .seconds(3)) == .connecting)
        #expect(notices.deadline == engaged + .seconds(8))
        #expect(notices.expire(now: engaged + .seconds(8) - .nanoseconds(1)) == nil)
        #expect(notices.expire(now: engaged + .seconds(8)) == .checkBluetooth)
        #expect(notices.deadline == nil)
        #expect(notices.expire(now: engaged + .seconds(3600)) == nil)
    }

    @Test("Notices that are due at once come one by one, in their order")
    func overdue() {
        let engaged = ContinuousClock.now
        var notices = ConnectionNotices(PresentationDeadlines(), engaged: engaged)
        let late = engaged + .seconds(60)
        #expect(notices.expire(now: late) == .connecting)
        #expect(notices.expire(now: late) == .checkBluetooth)
        #expect(notices.expire(now: late) == nil)
    }

    @Test(
        "Q9 A phone that connects in time may be lifted, and nothing else is said",
        arguments: RetrievalPlan.Mode.allCases)
    func inTime(_ mode: RetrievalPlan.Mode) async throws {
        #expect(try await events(Self.deadlines(), by: mode).all == Self.start + Self.end)
    }

    @Test(
        "A phone that connects late is announced, and then its Bluetooth asked about",
        arguments: RetrievalPlan.Mode.allCases)
    func late(_ mode: RetrievalPlan.Mode) async throws {
        let deadlines = Self.deadlines(connecting: .milliseconds(60), checkBluetooth: .milliseconds(160))
        let log = try await events(deadlines, connectingAfter: .checkBluetooth, by: mode)
        #expect(log.all == Self.start + [.connecting, .checkBluetooth] + Self.end)
        let engaged = try #require(log.time(of: .engaged))
        #expect(try #require(log.time(of: .connecting)) - engaged >= 0.05)
        #expect(try #require(log.time(of: .checkBluetooth)) - engaged >= 0.15)
    }

    @Test("Bluetooth is not asked about once the phone has connected")
    func between() async throws {
        let log = try await events(
            Self.deadlines(connecting: .milliseconds(20)), connectingAfter: .connecting)
        #expect(log.all == Self.start + [.connecting] + Self.end)
    }

    @Test("A phone whose QR code was scanned is announced too, and lies on no reader")
    func scanned() async throws {
        let scene = try Scene.onAir(.qr, .centralOnly)
        let engagement = try scene.wallet.engagement(.qr, now: .now)
        let radio = MemoryRadio(connecting: { try? await scene.events.first(.connecting) }) {
            _ = await HolderEnd.serve(scene.wallet, engagement, over: $0)
        }
        let presentation = try await scene.transaction(
            deadlines: Self.deadlines(connecting: .milliseconds(20)), retrieval: .over(.centralClient)
        ).run(scanned: try DeviceEngagement(engagement.deviceEngagement[...]), radio: radio)
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        #expect(scene.events.all == [.engaged, .connecting] + Self.end)
    }

    @Test("A scanned phone is not announced where the radio is missing or silent")
    func scannedWithoutRadio() async throws {
        for (radio, failure) in [
            (MemoryRadio(missing: .noAdapter) { _ in }, .radioUnavailable(.noAdapter)),
            (MemoryRadio(isSilent: true) { _ in }, .connectionOverdue),
        ] as [(MemoryRadio, PresentationFailure)] {
            let scene = try Scene.onAir(.qr, .centralOnly)
            let engagement = try scene.wallet.engagement(.qr, now: .now)
            var deadlines = Self.deadlines(connecting: .milliseconds(20))
            deadlines.connection = .milliseconds(200)
            let presentation = try await scene.transaction(
                deadlines: deadlines, retrieval: .over(.centralClient)
            ).run(scanned: try DeviceEngagement(engagement.deviceEngagement[...]), radio: radio)
            guard presentation.failure == failure else {
                Issue.record("\(presentation.result)")
                continue
            }
            #expect(scene.events.all == [])
            #expect(radio.served.withLock { $0 } == 0)
        }
    }

    @Test("A phone that answers over NFC has to stay, and nothing is said about Bluetooth")
    func overNFC() async throws {
        let scene = try Scene()
        let deadlines = Self.deadlines(connecting: .zero, checkBluetooth: .zero)
        let presentation = try await scene.transaction(deadlines: deadlines).run(at: Field(scene.phone()))
        #expect(presentation.verified() != nil)
        #expect(scene.events.all == [.armed, .engaged, .hold] + Self.end)
    }
}
