import Testing
import VectorFiles

@testable import Accessories

@Suite("Commands from a broker")
struct HomeAssistantCommandTests {
    private typealias Stage = PresenterStage

    private func presenter(hasButtons: Bool = true) throws -> HomeAssistantPresenter {
        try Stage.presenter(Stage.accessory(hasButtons: hasButtons), presets: ["Age 18", "Age 21"])
    }

    private func ask(
        _ presenter: inout HomeAssistantPresenter, _ payload: String = "Age 21",
        topic: String = "countersign/gate/ask", isRetained: Bool = false, at seconds: Double = 0
    ) -> [HomeAssistantPresenter.Action] {
        presenter.received(
            topic, Array(payload.utf8), isRetained: isRetained, at: .seconds(seconds))
    }

    @Test("A command that names a preset of the lane starts it")
    func ask() throws {
        var presenter = try presenter()
        #expect(ask(&presenter) == [.ask(lane: "gate", preset: "Age 21")])
    }

    @Test("A retained command is dropped, and does not delay the next one")
    func retained() throws {
        var presenter = try presenter()
        #expect(ask(&presenter, isRetained: true).isEmpty)
        #expect(ask(&presenter).count == 1)
    }

    @Test("Without buttons no command is accepted")
    func withoutButtons() throws {
        var presenter = try presenter(hasButtons: false)
        #expect(ask(&presenter).isEmpty)
    }

    @Test("A lane accepts one command in 2 s; unknown presets do not count")
    func rate() throws {
        var presenter = try presenter()
        #expect(ask(&presenter, "Age 99", at: 9).isEmpty)
        #expect(ask(&presenter, at: 10).count == 1)
        #expect(ask(&presenter, "Age 18", at: 11.999).isEmpty)
        #expect(ask(&presenter, "Age 18", at: 12) == [.ask(lane: "gate", preset: "Age 18")])
    }

    @Test("Each lane has its own rate and its own presets")
    func lanes() throws {
        var presenter = try presenter()
        _ = presenter.setLanes([("gate", ["Age 21"]), ("bar", ["Age 18"])])
        _ = presenter.enter("bar", "idle")
        #expect(ask(&presenter).count == 1)
        #expect(ask(&presenter, "Age 21", topic: "countersign/bar/ask").isEmpty)
        #expect(
            ask(&presenter, "Age 18", topic: "countersign/bar/ask") == [.ask(lane: "bar", preset: "Age 18")])
    }

    @Test(
        "A command on another topic is none",
        arguments: [
            "countersign/gate", "countersign/gate/ask/", "countersign/other/ask", "x/gate/ask",
            "countersign/gate/state", "",
        ])
    func otherTopics(_ topic: String) throws {
        var presenter = try presenter()
        #expect(ask(&presenter, topic: topic).isEmpty)
    }

    @Test("A lane whose state is not known, or a program without a connection, accepts no command")
    func unavailable() throws {
        var presenter = try presenter()
        _ = presenter.daemonLost()
        #expect(ask(&presenter).isEmpty)
        _ = presenter.enter("gate", "idle")
        _ = presenter.disconnected()
        #expect(ask(&presenter).isEmpty)
    }

    @Test("A stored button whose preset does not exist any more is removed; the others stay")
    func oldButtons() throws {
        let topic = "homeassistant/button/countersign__gate/ask_Age_2016/config"
        var presenter = try presenter()
        #expect(ask(&presenter, "{}", topic: topic, isRetained: true) == [.publish(.removal(of: topic))])
        #expect(ask(&presenter, "{}", topic: topic).isEmpty, "a live message is another program's")
        #expect(ask(&presenter, "", topic: topic, isRetained: true).isEmpty)
        let own = "homeassistant/button/countersign__gate/ask_Age_2021/config"
        #expect(ask(&presenter, "{}", topic: own, isRetained: true).isEmpty)
        let foreign = "homeassistant/button/countersign__bar/ask_Age_2016/config"
        #expect(ask(&presenter, "{}", topic: foreign, isRetained: true).isEmpty)
        var withoutButtons = try self.presenter(hasButtons: false)
        #expect(ask(&withoutButtons, "{}", topic: own, isRetained: true) == [.publish(.removal(of: own))])
    }

    /// The rules that hold whatever happens, checked on each action of a walk.
    private struct Watch {
        /// The output whose claim the daemon grants in this step.
        var granted: Int64?
        var tests: Set<Int64> = []
        var announced: Set<Int64> = []
        var finished: Set<Int64> = []
        var lastAsk: Duration?

        mutating func check(_ action: HomeAssistantPresenter.Action, at now: Duration) {
            switch action {
            case .subscribe, .claim: break
            case .publish(let message):
                #expect(message.isRetained && !message.topic.hasSuffix("/event"))
                #expect(message.topic.hasPrefix("countersign/") || message.topic.hasPrefix("homeassistant/"))
            case .announce(let event, let number):
                #expect(granted == number && !tests.contains(number))
                #expect(announced.insert(number).inserted && !finished.contains(number))
                #expect(!event.message.isRetained)
            case .finish(let number, let end):
                #expect(finished.insert(number).inserted)
                #expect(end != .done || announced.contains(number))
                #expect(end != .refused || !announced.contains(number))
            case .ask(let lane, let preset):
                #expect(lane == "gate" && ["Age 18", "Age 21"].contains(preset))
                if let lastAsk { #expect(now - lastAsk >= HomeAssistantPresenter.commandInterval) }
                lastAsk = now
            }
        }
    }

    @Test("Whatever happens, no event is retained, given twice or given without a grant", arguments: 0..<20)
    func walk(_ seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        var presenter = try presenter()
        var watch = Watch()
        var number: Int64 = 0
        for step in 0..<600 {
            let now = Duration.milliseconds(step * 100)
            let known = Int64.random(in: 1...max(number, 1), using: &generator)
            let actions: [HomeAssistantPresenter.Action]
            watch.granted = nil
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: actions = presenter.connected()
            case 1: actions = presenter.disconnected()
            case 2: actions = presenter.daemonLost()
            case 3, 4: actions = presenter.enter("gate", Bool.random(using: &generator) ? "armed" : "failed")
            case 5, 6:
                number += 1
                let isTest = Bool.random(using: &generator)
                if isTest { watch.tests.insert(number) }
                let outcome = AccessoryOutcome.allCases.randomElement(using: &generator) ?? .allow
                actions = try presenter.due(
                    Stage.output(number, outcome, isTest: isTest), Stage.identifier(), at: now)
            case 7, 8:
                let isGranted = Bool.random(using: &generator)
                if isGranted { watch.granted = known }
                actions = presenter.claimed(known, isGranted: isGranted, at: now)
            case 9: actions = presenter.acknowledged(known)
            case 10: actions = presenter.setProblem("gate", Bool.random(using: &generator))
            default:
                actions = ask(
                    &presenter, ["Age 18", "Age 21", ""].randomElement(using: &generator) ?? "",
                    isRetained: Bool.random(using: &generator), at: Double(step) / 10)
            }
            for action in actions { watch.check(action, at: now) }
        }
        #expect(number > 0)
    }
}
