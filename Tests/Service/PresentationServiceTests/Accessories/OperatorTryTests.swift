import Accessories
import JSON
import PresentationStage
import RecordBench
import Testing

@testable import PresentationService
@testable import ReaderService
@testable import ReaderStore

@Suite("An operator tries an accessory")
struct OperatorTryTests {
    private static let operatorOfComputer = KnownCaller(
        name: "uid:0", scopes: [.admin], lanes: nil, credential: .user(0))

    /// Begins a try, whose end or refusal is the value of the task.
    private static func begin(
        _ name: String, at stage: AccessoryStage, by caller: KnownCaller = operatorOfComputer
    ) -> Task<String, Never> {
        Task {
            do throws(PresentationServiceError) {
                return "\(try await stage.coordinator.tryAccessory(name, by: caller).result)"
            } catch {
                return "\(error)"
            }
        }
    }

    /// The name of the refusal of a step, or `nil` if it was accepted.
    private static func step(
        _ number: Int64, _ result: TryResult?, of accessory: String = "lock", at stage: AccessoryStage
    ) async -> String? {
        do throws(PresentationServiceError) {
            if let result {
                try await stage.coordinator.finishTry(
                    number, ofAccessory: accessory, as: result, by: stage.program)
            } else {
                try await stage.coordinator.giveTry(number, ofAccessory: accessory, by: stage.program)
            }
            return nil
        } catch {
            return error.name
        }
    }

    private static func ready(
        _ accessories: [Accessory], standing: Preset? = nil
    ) async throws -> (AccessoryStage, AccessoryEvents) {
        let stage = try AccessoryStage(accessories, standing: standing)
        let events = try await stage.listen()
        for accessory in accessories {
            try await stage.coordinator.record(.ready, ofAccessory: accessory.name, by: stage.program)
        }
        return (stage, events)
    }

    @Test("A pulse is announced once, permitted once, stored nowhere, and in the daemon's log")
    func pulse() async throws {
        let (stage, events) = try await Self.ready([.lock()])
        let end = Self.begin("lock", at: stage)
        let event = try #require(try await events.next("try"))
        #expect(Set(event.members.keys) == ["try", "accessory", "lane", "action"])
        #expect(event.text("accessory") == "lock" && event.text("lane") == "one")
        #expect(event.text("action") == "pulse")
        let number = try #require(event.integer("try"))
        #expect(await Self.step(number, .pulsed, at: stage) == "tryNotDue", "it was not permitted")
        #expect(await Self.step(number + 1, nil, at: stage) == "tryNotDue")
        #expect(await Self.step(number, nil, at: stage) == nil)
        #expect(await Self.step(number, nil, at: stage) == "tryNotDue")
        #expect(await Self.step(number, .pulsed, at: stage) == nil)
        #expect(await end.value == "pulsed")
        #expect(try await stage.archive?.store.lastReceipt() == nil)
        let lines = stage.lines.lines.filter { $0.contains("accessory=lock") }
        #expect(lines.contains { $0.contains("an operator tries an accessory") && $0.contains("uid:0") })
        #expect(lines.contains { $0.contains("the try of an accessory has ended") })
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("output") == false)
    }

    @Test("A scanned code is answered by its length, and a try of a kind with another receiver is refused")
    func scan() async throws {
        let keys = Accessory(
            name: "keys", lane: "one", role: .output(Output(device: .keys(KeysOutput()), rule: OutputRule())),
            isTrial: false, source: ["name": "keys"])
        let (stage, events) = try await Self.ready([.scanner(), keys])
        let end = Self.begin("qr-1", at: stage)
        let number = try #require(try await events.next("try")?.integer("try"))
        #expect(await Self.begin("qr-1", at: stage).value.contains("inProgress"))
        #expect(await Self.step(number, .phoneCode(characters: 243), of: "qr-1", at: stage) == nil)
        #expect(await end.value == "phoneCode(characters: 243)")
        #expect(await Self.begin("keys", at: stage).value.contains("kind(\"keys\")"))
        #expect(await Self.begin("other", at: stage).value == "accessoryUnknown")
        await stage.end()
    }

    @Test("Only a user of this computer with the scope admin tries an accessory")
    func callers() async throws {
        let (stage, events) = try await Self.ready([.lock()])
        let token = KnownCaller(name: "metrics", scopes: [.admin], lanes: nil, credential: .token([1]))
        let page = KnownCaller(
            name: "uid:0", scopes: [.admin], lanes: nil, credential: .user(0), isPage: true)
        for caller in [token, page] {
            #expect(await Self.begin("lock", at: stage, by: caller).value.contains("notAtComputer"))
        }
        for scopes in Scope.allCases.filter({ $0 != .admin }).map({ Set([$0]) }) {
            let caller = KnownCaller(name: "uid:1", scopes: scopes, lanes: nil, credential: .user(1))
            #expect(await Self.begin("lock", at: stage, by: caller).value == "accessoryUnknown", "\(scopes)")
        }
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("try") == false)
    }

    @Test("Without a device that is ready, a try is refused and never made up for later")
    func notReady() async throws {
        let stage = try AccessoryStage([.lock()])
        #expect(await Self.begin("lock", at: stage).value.contains("notAnswering"))
        let events = try await stage.listen()
        try await stage.coordinator.record(.absent, ofAccessory: "lock", by: stage.program)
        #expect(await Self.begin("lock", at: stage).value.contains("absent"))
        try await stage.coordinator.record(.ready, ofAccessory: "lock", by: stage.program)
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("try") == false)
    }

    @Test("A program that leaves ends the try without a result, and its next stream does not receive the try")
    func streamEnds() async throws {
        let (stage, events) = try await Self.ready([.lock()])
        let end = Self.begin("lock", at: stage)
        let number = try #require(try await events.next("try")?.integer("try"))
        let later = try await stage.listen()
        #expect(await end.value.hasPrefix("tryUnanswered"))
        #expect(await Self.step(number, nil, at: stage) == "tryNotDue")
        await stage.end()
        #expect(try await later.rest().map(\.name).contains("try") == false)
    }

    @Test("A presentation in progress refuses a try, also one that began before it")
    func presentation() async throws {
        let (stage, events) = try await Self.ready([.lock()])
        let early = Self.begin("lock", at: stage)
        let number = try #require(try await events.next("try")?.integer("try"))
        let id = try await stage.order()
        #expect(await Self.step(number, nil, at: stage) == "tryNotDue")
        #expect(await early.value == "refused")
        #expect(await Self.begin("lock", at: stage).value.contains("presentation"))
        _ = try await stage.coordinator.cancel(id, by: stage.till)
        let late = Self.begin("lock", at: stage)
        let next = try #require(try await events.next("try")?.integer("try"))
        #expect(await Self.step(next, nil, at: stage) == nil)
        #expect(await Self.step(next, .unknown, at: stage) == nil)
        #expect(await late.value == "unknown")
        await stage.end()
    }

    @Test("An output that is due or in progress refuses a try of its lane")
    func output() async throws {
        var rule = OutputRule()
        rule.valid = .seconds(300)
        let (stage, events) = try await Self.ready([.lock(rule: rule, isTrial: true)])
        _ = try await stage.tap()
        let number = try #require(try await events.next("output")?.integer("output"))
        #expect(await Self.begin("lock", at: stage).value.contains("output"))
        #expect(await stage.give(number) == nil)
        #expect(await Self.begin("lock", at: stage).value.contains("output"))
        #expect(await stage.finish(number, as: .done) == nil)
        let end = Self.begin("lock", at: stage)
        let next = try #require(try await events.next("try")?.integer("try"))
        #expect(await Self.step(next, .refused, at: stage) == nil)
        #expect(await end.value == "refused")
        await stage.end()
    }

    @Test("A lane with a standing order that waits for a phone can be tried")
    func standing() async throws {
        let preset = try Preset(name: "Age 21", intent: "age over 21")
        let (stage, events) = try await Self.ready([.lock(isTrial: true)], standing: preset)
        await stage.coordinator.startStanding()
        try await stage.reachArmed()
        let end = Self.begin("lock", at: stage)
        let number = try #require(try await events.next("try")?.integer("try"))
        #expect(await Self.step(number, nil, at: stage) == nil)
        #expect(await Self.step(number, .pulsed, at: stage) == nil)
        #expect(await end.value == "pulsed")
        await stage.end()
    }

    @Test("A standing order refuses a try from the moment at which a phone or a code comes")
    func phoneAtStandingOrder() {
        for state in PresentationState.allCases {
            let isWaiting = TryRefusal.isInUse(state, isUnasked: true, hasCode: false)
            #expect(isWaiting == !(state == .armed || state.isOver), "\(state)")
            #expect(TryRefusal.isInUse(state, isUnasked: true, hasCode: true) == !state.isOver)
            #expect(TryRefusal.isInUse(state, isUnasked: false, hasCode: false) == !state.isOver)
        }
    }

    @Test("The end of the daemon ends a try")
    func closing() async throws {
        let (stage, events) = try await Self.ready([.lock()])
        let end = Self.begin("lock", at: stage)
        _ = try await events.next("try")
        await stage.end()
        #expect(await end.value.hasPrefix("tryUnanswered"))
        #expect(await Self.begin("lock", at: stage).value != "pulsed")
    }
}
