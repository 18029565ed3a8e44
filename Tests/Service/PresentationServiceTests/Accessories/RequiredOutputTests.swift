import Accessories
import PresentationStage
import Testing

@testable import PresentationService
@testable import ReaderService

@Suite("A standing lane with an output that is required")
struct RequiredOutputTests {
    private static func stage(isRequired: Bool = true) throws -> AccessoryStage {
        try AccessoryStage(
            [.lock(isTrial: true, isRequired: isRequired), .scanner()],
            standing: try Preset(name: "Age 21", intent: "age over 21"))
    }

    /// The reason for the lane's pause, or nil without a pause.
    private static func pause(_ stage: AccessoryStage) async -> PresentationServiceError? {
        await stage.coordinator.standingOrder(ofLane: "one", .ready)?.pause
    }

    private static func isArmed(_ stage: AccessoryStage) async -> Bool {
        await stage.coordinator.latestPresentation(at: "one")?.state == .armed
    }

    @Test("The lane is paused by name while the output cannot act, and asks again by itself")
    func paused() async throws {
        let stage = try Self.stage()
        await stage.coordinator.startStanding()
        try await stage.reachPause(.accessoryNotReady("lock"))
        #expect(await !Self.isArmed(stage))
        let events = try await stage.listen()
        for state in [AccessoryState.absent, .busy, .misconfigured] {
            try await stage.coordinator.record(state, ofAccessory: "lock", by: stage.program)
            #expect(await Self.pause(stage) == .accessoryNotReady("lock"), "\(state)")
        }
        try await stage.coordinator.record(.ready, ofAccessory: "lock", by: stage.program)
        try await stage.reachArmed()
        #expect(await Self.pause(stage) == nil)
        // A scanner that is absent changes nothing for taps.
        try await stage.coordinator.record(.absent, ofAccessory: "qr-1", by: stage.program)
        #expect(await Self.isArmed(stage))
        try await stage.coordinator.record(.absent, ofAccessory: "lock", by: stage.program)
        try await stage.reachPause(.accessoryNotReady("lock"))
        #expect(
            await stage.coordinator.latestPresentation(at: "one") == nil, "its presentation left no record")
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("output") == false)
    }

    @Test("The end of the program's stream pauses the lane")
    func streamEnds() async throws {
        let stage = try Self.stage()
        var events: AccessoryEvents? = try await stage.listen()
        try await stage.coordinator.record(.ready, ofAccessory: "lock", by: stage.program)
        await stage.coordinator.startStanding()
        try await stage.reachArmed()
        #expect(events != nil)
        events = nil
        try await stage.reachPause(.accessoryNotReady("lock"))
        await stage.end()
    }

    @Test("The twin: an output that is not required pauses nothing")
    func notRequired() async throws {
        let stage = try Self.stage(isRequired: false)
        await stage.coordinator.startStanding()
        try await stage.reachArmed()
        #expect(await Self.pause(stage) == nil)
        #expect(await stage.coordinator.accessoryFault(atLane: "one") == nil)
        await stage.end()
    }
}
