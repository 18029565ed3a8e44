import JSON
import Testing

@testable import Accessories

@Suite("What an MQTT broker is told about the lanes")
struct HomeAssistantPresenterTests {
    private typealias Stage = PresenterStage

    @Test("An accessory that is no MQTT output, or whose topics are no topics, has no presenter")
    func wrongAccessory() {
        #expect(HomeAssistantPresenter(Stage.accessory(), software: "1") != nil)
        #expect(HomeAssistantPresenter(Stage.accessory(base: "a/#"), software: "1") == nil)
        #expect(HomeAssistantPresenter(Stage.accessory(discovery: "+"), software: "1") == nil)
        let line = Output(device: .line(LineOutput()), rule: OutputRule())
        let other = Accessory(
            name: "till", lane: "gate", role: .output(line), isTrial: false, source: .null)
        #expect(HomeAssistantPresenter(other, software: "1") == nil)
    }

    @Test("A new connection begins with subscriptions, discovery, state and problem; the program comes last")
    func connection() throws {
        var presenter = try Stage.presenter(Stage.accessory(hasButtons: true), isConnected: false)
        let actions = presenter.connected()
        #expect(
            actions.subscriptions == [
                "homeassistant/status", "homeassistant/button/countersign__gate/+/config",
                "countersign/gate/ask",
            ])
        #expect(actions.published.filter { $0.hasPrefix("homeassistant/") }.count == 4)
        #expect(
            actions.published.suffix(4) == [
                "countersign/gate/state idle", "countersign/gate/problem OFF",
                "countersign/gate/available online", "countersign/available online",
            ])
        for case .publish(let message) in actions { #expect(message.isRetained) }
        // Another connection begins in the same way.
        _ = presenter.disconnected()
        #expect(presenter.connected() == actions)
    }

    @Test("Without discovery and buttons nothing is subscribed to and no entity is announced")
    func plainMQTT() throws {
        var presenter = try Stage.presenter(Stage.accessory(discovery: nil), isConnected: false)
        let actions = presenter.connected()
        #expect(actions.subscriptions.isEmpty)
        #expect(actions.published.allSatisfy { $0.hasPrefix("countersign/") })
    }

    @Test("The will says that the program is away, and so does the program before it disconnects")
    func will() throws {
        var presenter = try Stage.presenter()
        #expect(presenter.will.topic == "countersign/available" && presenter.will.isRetained)
        #expect(presenter.stop() == [.publish(presenter.will)])
        #expect([.publish(presenter.will)].published == ["countersign/available offline"])
        #expect(presenter.stop().isEmpty && presenter.enter("gate", "armed").isEmpty)
    }

    @Test("Two programs with one base have one client identifier; with different bases they have not")
    func client() throws {
        func client(_ base: String) throws -> String {
            try #require(HomeAssistantPresenter(Stage.accessory(base: base), software: "1")).client
        }
        #expect(try client("a/b") == client("a/b") && client("a/b") != client("a_b"))
    }

    @Test("A change of state is published once; an unknown lane or word changes nothing")
    func states() throws {
        var presenter = try Stage.presenter()
        #expect(presenter.enter("gate", "armed").published == ["countersign/gate/state armed"])
        #expect(presenter.enter("gate", "armed").isEmpty)
        #expect(presenter.enter("gate", "verified").published == ["countersign/gate/state idle"])
        #expect(presenter.enter("gate", "rejected").isEmpty, "the states of an end cannot be told apart")
        #expect(presenter.enter("gate", "unheardOf").isEmpty && presenter.enter("other", "armed").isEmpty)
    }

    @Test("A pause is a state of the lane until it ends, also over a new connection")
    func pause() throws {
        var presenter = try Stage.presenter()
        let paused = presenter.enter("gate", "idle", isPaused: true)
        #expect(paused.published == ["countersign/gate/state paused"])
        for case .publish(let message) in paused { #expect(message.isRetained) }
        #expect(presenter.enter("gate", "failed", isPaused: true).isEmpty)
        _ = presenter.disconnected()
        #expect(presenter.connected().published.contains("countersign/gate/state paused"))
        #expect(
            presenter.enter("gate", "armed", isPaused: true).published == ["countersign/gate/state armed"])
        #expect(presenter.enter("gate", "idle").published == ["countersign/gate/state idle"])
    }

    @Test("A lane is available while its state is known")
    func availability() throws {
        var presenter = try Stage.presenter()
        #expect(presenter.daemonLost().published == ["countersign/gate/available offline"])
        #expect(presenter.daemonLost().isEmpty)
        #expect(
            presenter.enter("gate", "armed").published
                == ["countersign/gate/state armed", "countersign/gate/available online"])
    }

    @Test("A lane whose state was never known is not available")
    func unknownState() throws {
        var presenter = try #require(HomeAssistantPresenter(Stage.accessory(), software: "1"))
        _ = presenter.setLanes([("gate", [])])
        let published = presenter.connected().published
        #expect(published.contains("countersign/gate/available offline"))
        #expect(!published.contains { $0.hasPrefix("countersign/gate/state") })
    }

    @Test("A problem is published when it begins and when it ends")
    func problems() throws {
        var presenter = try Stage.presenter()
        #expect(presenter.setProblem("gate", false).isEmpty)
        #expect(presenter.setProblem("gate", true).published == ["countersign/gate/problem ON"])
        #expect(presenter.setProblem("gate", true).isEmpty && presenter.setProblem("other", true).isEmpty)
        #expect(presenter.setProblem("gate", false).published == ["countersign/gate/problem OFF"])
    }

    @Test("Without a connection nothing is published, and the next connection has the newest state")
    func offline() throws {
        var presenter = try Stage.presenter()
        _ = presenter.disconnected()
        #expect(presenter.enter("gate", "armed").isEmpty && presenter.setProblem("gate", true).isEmpty)
        let published = presenter.connected().published
        #expect(published.contains("countersign/gate/state armed"))
        #expect(published.contains("countersign/gate/problem ON"))
    }

    @Test("A lane that went is removed with all its messages; a lane that stays keeps its state")
    func lanes() throws {
        var presenter = try Stage.presenter()
        _ = presenter.enter("gate", "armed")
        let actions = presenter.setLanes([("gate", ["Age 21"]), ("bar", []), ("a/b", [])])
        #expect(actions.subscriptions == ["homeassistant/button/countersign__bar/+/config"])
        #expect(actions.published.contains("countersign/bar/available offline"))
        #expect(
            !actions.published.contains {
                $0.hasPrefix("countersign/gate/") || $0.hasPrefix("countersign/a/b/")
            })
        let removal = presenter.setLanes([("bar", [])]).published
        for topic in [
            "homeassistant/event/countersign__gate/outcome/config",
            "homeassistant/sensor/countersign__gate/state/config",
            "homeassistant/binary_sensor/countersign__gate/problem/config", "countersign/gate/state",
            "countersign/gate/problem", "countersign/gate/available",
        ] {
            #expect(removal.contains("\(topic) "), "\(topic)")
        }
        #expect(presenter.enter("gate", "idle").isEmpty)
    }

    @Test("A preset that went loses its button")
    func presets() throws {
        var presenter = try Stage.presenter(
            Stage.accessory(hasButtons: true), presets: ["Age 18", "Age 21"])
        let published = presenter.setLanes([("gate", ["Age 21"])]).published
        #expect(published.contains("homeassistant/button/countersign__gate/ask_Age_2018/config "))
        #expect(!published.contains("homeassistant/button/countersign__gate/ask_Age_2021/config "))
    }

    @Test("After Home Assistant's start the entities and their states are published again, at most every 2 s")
    func start() throws {
        var presenter = try Stage.presenter()
        func started(_ payload: String, at seconds: Double) -> [String] {
            presenter.received(
                "homeassistant/status", Array(payload.utf8), isRetained: false, at: .seconds(seconds)
            ).published
        }
        #expect(started("offline", at: 10).isEmpty && started("", at: 10).isEmpty)
        let published = started("online", at: 10)
        #expect(published.filter { $0.hasPrefix("homeassistant/") }.count == 3)
        #expect(published.contains("countersign/gate/state idle"))
        #expect(started("online", at: 11.9).isEmpty && started("online", at: 12) == published)
    }
}
