import Accessories
import MdocModel
import MdocWallet
import PresentationStage
import RecordBench
import Reports
import Testing

@testable import PresentationService
@testable import ReaderStore

@Suite("Outputs, with a real store")
struct OutputTests {
    /// A rule whose time is longer than any test.
    private static func rule(
        _ engagements: Set<OutputRule.Engagement> = [.nfc], _ outcomes: Set<AccessoryOutcome> = [.allow],
        valid: Duration = .seconds(300)
    ) -> OutputRule {
        var rule = OutputRule()
        rule.engagements = engagements
        rule.valid = valid
        rule.outcomes = outcomes
        return rule
    }

    private static func lock(
        _ rule: OutputRule = rule(), _ name: String = "lock", at lane: String? = "one", isTrial: Bool = true
    ) -> Accessory {
        .lock(name, at: lane, rule: rule, isTrial: isTrial)
    }

    @Test(
        "An allow is announced once, with nothing else of the presentation, given once, and its end is kept")
    func allow() async throws {
        let stage = try AccessoryStage([Self.lock()])
        let events = try await stage.listen()
        let id = try await stage.tap(#","retention":"receipt""#)
        let output = try #require(try await events.next("output"))
        #expect(
            Set(output.members.keys)
                == ["output", "accessory", "lane", "presentation", "outcome", "test", "age", "code"])
        #expect(output.text("accessory") == "lock" && output.text("lane") == "one")
        #expect(output.text("presentation") == id.description && output.text("outcome") == "allow")
        #expect(output.integer("age") == 21 && output.boolean("test") == true)
        #expect(output.text("code")?.wholeMatch(of: /[0-9]{6}/) != nil)
        let number = try #require(output.integer("output"))
        #expect(try await stage.states(of: id) == ["lock": .due])
        #expect(await stage.finish(number, as: .done) == "outputNotDue", "it was not given")
        #expect(await stage.give(number) == nil)
        #expect(try await stage.states(of: id) == ["lock": .given])
        for _ in 0..<2 { #expect(await stage.give(number) == "outputNotDue") }
        #expect(await stage.finish(number, as: .refused) == "outputNotDue")
        #expect(await stage.finish(number, as: .done) == nil)
        #expect(await stage.finish(number, as: .done) == "outputNotDue")
        #expect(try await stage.states(of: id) == ["lock": .done])
        // The receipt of the presentation, and the statement about its outputs.
        #expect(try await stage.archive?.store.lastReceipt()?.sequence == 2)
        await stage.end()
    }

    @Test("A receipt says how the phone was met and by what its answer was proved")
    func receipt() async throws {
        let tapped = try AccessoryStage([])
        _ = try await tapped.tap(#","retention":"receipt""#)
        let statement = try #require(try await tapped.archive?.store.lastReceipt()?.statement())
        #expect(statement.engagement == .nfc && statement.proof == .plain)
        await tapped.end()
        let declining = try AccessoryStage([]) { $0.holder.decision = .declines }
        _ = try await declining.tap(#","retention":"receipt""#)
        let declined = try #require(try await declining.archive?.store.lastReceipt()?.statement())
        #expect(declined.engagement == .nfc && declined.proof == nil)
        await declining.end()
    }

    @Test("A code of a screen opens only what lists codes, and the refusal is recorded and never given")
    func scanned() async throws {
        let stage = try AccessoryStage(
            [Self.lock(), Self.lock(Self.rule([.nfc, .qr]), "gate"), .scanner()], handover: .qr)
        let events = try await stage.listen()
        let id = try await stage.order()
        let phone = try stage.scene.phone()
        let uri = try #require(phone.engagement?.uri)
        let state = try await stage.coordinator.engage(
            atLane: "one", with: uri, from: "qr-1", by: stage.program)
        #expect(state == .armed)
        try await stage.reachScan()
        stage.field.tap(phone)
        let output = try #require(try await events.next("output"))
        #expect(output.text("accessory") == "gate")
        #expect(try await stage.states(of: id) == ["lock": .refused, "gate": .due])
        let number = try #require(output.integer("output"))
        for other in [number - 1, number + 1] { #expect(await stage.give(other) == "outputNotDue") }
        #expect(await stage.give(number, of: "lock") == "outputNotDue", "the output of another accessory")
        #expect(await stage.give(number, of: "gate") == nil)
        await stage.end()
    }

    @Test("A test document opens nothing but a trial accessory")
    func testDocument() async throws {
        let stage = try AccessoryStage([Self.lock(isTrial: false), Self.lock(Self.rule(), "trial")])
        let id = try await stage.tap()
        #expect(try await stage.states(of: id) == ["lock": .refused, "trial": .due])
        await stage.end()
    }

    @Test("Another outcome reaches the output that has a word for it, and no lock")
    func otherOutcome() async throws {
        let stage = try AccessoryStage([
            Self.lock(), Self.lock(Self.rule([.nfc], [.declined]), "lamp"),
            Self.lock(Self.rule(), "other", at: "two"),
            Self.lock(Self.rule([], [.declined]), "home", at: nil),
        ]) { $0.holder.decision = .declines }
        let events = try await stage.listen()
        let id = try await stage.tap()
        #expect(try await stage.states(of: id) == ["lamp": .due, "home": .due])
        let output = try #require(try await events.next("output"))
        #expect(output.text("outcome") == "declined" && output.boolean("test") == false)
        await stage.end()
    }

    @Test("What a person approves is announced after the decision, and what a person rejects is not")
    func decision() async throws {
        for (decision, states) in [(.approved, ["lock": .due]), (.rejected, [:])]
            as [(PresentationRecord.Decision, [String: OutputState])]
        {
            let stage = try AccessoryStage([Self.lock()])
            let id = try await stage.tap(#","validation":"confirm""#)
            #expect(try await stage.states(of: id) == [:])
            _ = try await stage.coordinator.decide(id, decision, by: stage.till)
            #expect(try await stage.states(of: id) == states)
            await stage.end()
        }
    }

    @Test("An output that nobody gives in its time is not given any more")
    func overdue() async throws {
        let stage = try AccessoryStage([Self.lock(Self.rule(valid: .milliseconds(100)))])
        let events = try await stage.listen()
        let id = try await stage.tap()
        try await stage.reach(.notGiven, of: id)
        let number = try #require(try await events.next("output")?.integer("output"))
        #expect(await stage.give(number) == "outputNotDue")
        #expect(try await stage.states(of: id) == ["lock": .notGiven])
        await stage.end()
    }

    @Test("A program without a stream gives nothing, and one that comes later receives no earlier output")
    func withoutStream() async throws {
        let stage = try AccessoryStage([Self.lock()])
        let id = try await stage.tap()
        let number = try #require(try await stage.archive?.store.outputs(of: id.description).first?.number)
        #expect(await stage.give(number) == "outputNotDue")
        let events = try await stage.listen()
        #expect(
            await stage.give(number) == nil, "a program may know the number by another way, within its time")
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("output") == false)
    }

    @Test("The end of a program's stream makes what it gave unknown, and its accessories do not answer")
    func streamEnds() async throws {
        let stage = try AccessoryStage([Self.lock()])
        var events: AccessoryEvents? = try await stage.listen()
        try await stage.coordinator.record(.ready, ofAccessory: "lock", by: stage.program)
        #expect(await stage.coordinator.accessoryReports(ofLane: "one").map(\.state) == [.trial])
        let id = try await stage.tap()
        let number = try #require(try await events?.next("output")?.integer("output"))
        #expect(await stage.give(number) == nil)
        events = nil
        try await stage.reach(.unknown, of: id)
        #expect(await stage.coordinator.accessoryReports(ofLane: "one").map(\.state) == [.notAnswering])
        #expect(await stage.finish(number, as: .done) == "outputNotDue")
        await #expect(throws: PresentationServiceError.accessoryNotConnected) {
            try await stage.coordinator.record(.ready, ofAccessory: "lock", by: stage.program)
        }
        #expect(stage.lines.lines.contains { $0.contains("accessory=lock presentation=\(id)") })
        await stage.end()
    }

    @Test("A program that connects again replaces its earlier stream")
    func again() async throws {
        let stage = try AccessoryStage([Self.lock()])
        let (first, second) = (try await stage.listen(), try await stage.listen())
        let other = try await stage.listen(as: .program("other", lanes: ["two"]))
        #expect(try await first.rest().map(\.name) == ["accessories", "lanes", "lane", "lane"])
        _ = try await stage.tap()
        #expect(try await second.next("output") != nil)
        await stage.end()
        #expect(try await other.rest().filter { $0.text("lane") == "one" }.isEmpty, "another lane")
    }

    @Test("After a restart nothing of the earlier run is given, and what was given is named as unknown")
    func restart() async throws {
        let stage = try AccessoryStage([Self.lock(), Self.lock(Self.rule(), "gate")])
        let events = try await stage.listen()
        let id = try await stage.tap()
        var numbers: [String: Int64] = [:]
        for _ in 0..<2 {
            let output = try #require(try await events.next("output"))
            numbers[output.text("accessory") ?? ""] = output.integer("output")
        }
        let gate = try #require(numbers["gate"])
        #expect(await stage.give(gate, of: "gate") == nil)
        // The daemon is killed: it neither closes its streams nor settles anything.
        let (lines, metrics) = (LogLines(), PresentationMetrics())
        let later = try RecordArchive(store: stage.folder, metrics: metrics, log: lines.logger, at: Scene.now)
        #expect(Self.ended("lock", metrics) == ["notGiven": 1])
        #expect(Self.ended("gate", metrics) == ["unknown": 1])
        #expect(try await stage.states(of: id) == ["lock": .notGiven, "gate": .unknown])
        let named = lines.lines.filter { $0.contains("presentation=\(id)") }
        #expect(named.count == 1 && named.allSatisfy { $0.contains("accessory=gate") })
        for number in numbers.values { #expect(try await later.giveOutput(number) == false) }
        for accessory in ["lock", "gate"] {
            let number = try #require(numbers[accessory])
            #expect(await stage.give(number, of: accessory) == "outputNotDue")
        }
        await stage.end()
    }

    /// The numbers of an accessory's ended outputs in the metrics, without the zeros.
    private static func ended(_ accessory: String, _ metrics: PresentationMetrics?) -> [String: Int] {
        let counts = metrics?.endedOutputs(of: accessory) ?? []
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.state, $0.count) }).filter { $0.value > 0 }
    }

    @Test("Each end of an output is counted once, by accessory and state, also one that is refused at once")
    func counts() async throws {
        let stage = try AccessoryStage([Self.lock(), Self.lock(Self.rule([.qr]), "gate")])
        let metrics = stage.archive?.metrics
        #expect(metrics?.endedOutputs(of: "lock").map(\.state) == ["done", "notGiven", "unknown", "refused"])
        let events = try await stage.listen()
        let id = try await stage.tap()
        let number = try #require(try await events.next("output")?.integer("output"))
        // A tap is not the engagement that the gate accepts.
        #expect(Self.ended("gate", metrics) == ["refused": 1] && Self.ended("lock", metrics) == [:])
        #expect(await stage.give(number) == nil)
        #expect(Self.ended("lock", metrics) == [:])
        #expect(await stage.finish(number, as: .done) == nil)
        #expect(await stage.finish(number, as: .done) == "outputNotDue")
        #expect(Self.ended("lock", metrics) == ["done": 1] && Self.ended("other", metrics) == [:])
        #expect(try await stage.states(of: id) == ["lock": .done, "gate": .refused])
        await stage.end()
    }

    @Test("A refused write announces nothing, and neither does the write that follows later")
    func refusedWrite() async throws {
        let stage = try AccessoryStage([Self.lock()])
        let events = try await stage.listen()
        let id = try await stage.order(#","retention":"receipt""#)
        try stage.change(
            """
            CREATE TRIGGER refuse BEFORE INSERT ON presentation WHEN NEW.ended IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """)
        stage.field.tap(try stage.scene.phone())
        try await stage.reachEnd(of: id)
        #expect(try await stage.states(of: id) == [:])
        #expect(await stage.coordinator.hasDelayedReceipts)
        try stage.change("DROP TRIGGER refuse")
        try await stage.reach(.notGiven, of: id)
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("output") == false)
    }

    @Test("Without a store nothing is announced")
    func withoutStore() async throws {
        let stage = try AccessoryStage([Self.lock()], hasStore: false)
        let events = try await stage.listen()
        let id = try await stage.tap()
        #expect(try await stage.coordinator.record(id).conclusion?.outcome == .allow)
        await stage.end()
        #expect(try await events.rest().map(\.name).contains("output") == false)
    }

    @Test("A reload ends what is due of a changed accessory, and sends the new list")
    func reload() async throws {
        let stage = try AccessoryStage([Self.lock(), Self.lock(Self.rule(), "gate")])
        let events = try await stage.listen()
        let id = try await stage.tap()
        let changed = Self.lock(Self.rule([.nfc, .qr]))
        await stage.coordinator.replaceAccessories(by: [changed, Self.lock(Self.rule(), "gate")])
        try await stage.reach(.notGiven, of: id)
        #expect(try await stage.states(of: id)["gate"] == .due)
        let second = try await stage.tap()
        #expect(try await stage.states(of: second) == ["lock": .due, "gate": .due])
        await stage.coordinator.replaceAccessories(by: [])
        let third = try await stage.tap()
        #expect(try await stage.states(of: third) == [:])
        let lists = [try await events.next("accessories"), try await events.next("accessories")]
        #expect(lists.allSatisfy { $0 != nil })
        await stage.end()
    }

    @Test("The six digits belong to the presentation and to this store")
    func codes() throws {
        let folders = [try AccessoryStage.makeFolder(), try AccessoryStage.makeFolder()]
        defer { for folder in folders { AccessoryStage.remove(folder) } }
        let ids = [try PresentationID(), try PresentationID()]
        let keys = try folders.map { try OutputCodeKey(store: $0) }
        let codes = try ids.map { try keys[0].code(of: $0) }
        #expect(codes.allSatisfy { $0.wholeMatch(of: /[0-9]{6}/) != nil })
        #expect(try OutputCodeKey(store: folders[0]).code(of: ids[0]) == codes[0], "the key is kept")
        let others = try (0..<8).map { _ in try PresentationID() }
        #expect(try others.contains { try keys[0].code(of: $0) != keys[1].code(of: $0) })
        #expect(Set(try others.map { try keys[0].code(of: $0) }).count > 1)
    }

    @Test("A key of digits that others may read is refused, and no output is recorded with it")
    func exposedKey() async throws {
        let stage = try AccessoryStage([Self.lock()])
        let key = "\(stage.folder)/output-code-key"
        try AccessoryStage.write([UInt8](repeating: 7, count: 32), to: key, mode: 0o644)
        let id = try await stage.tap()
        #expect(try await stage.coordinator.record(id).conclusion?.outcome == .allow)
        #expect(try await stage.states(of: id) == [:])
        await stage.end()
    }
}
