import Testing

@testable import Accessories

@Suite("Outcomes as events at a broker")
struct HomeAssistantOutcomeTests {
    private typealias Stage = PresenterStage

    @Test("An outcome is claimed, then published, and done when the broker has acknowledged it")
    func course() throws {
        var presenter = try Stage.presenter()
        let output = Stage.output()
        #expect(try presenter.due(output, Stage.identifier(), at: .zero) == [.claim(output)])
        let actions = presenter.claimed(1, isGranted: true, at: .seconds(1))
        let lane = try #require(HomeAssistantLane("gate", presets: [], base: Stage.base))
        #expect(
            try actions == [.announce(lane.event(.allow, Stage.identifier(), isTest: false), output: 1)])
        #expect(presenter.claimed(1, isGranted: true, at: .seconds(1)).isEmpty, "an answer counts once")
        #expect(presenter.acknowledged(1) == [.finish(1, .done)])
        #expect(presenter.acknowledged(1).isEmpty)
    }

    @Test("An event says nothing of the presentation, the age or the code")
    func silence() throws {
        var presenter = try Stage.presenter()
        _ = try presenter.due(Stage.output(), Stage.identifier(), at: .zero)
        let actions = presenter.claimed(1, isGranted: true, at: .zero)
        guard case .announce(let event, _)? = actions.first else { throw Missing() }
        let text = event.topic + String(decoding: event.payload, as: UTF8.self)
        for word in ["0123456789abcdef", "654321", "21", "age"] { #expect(!text.contains(word), "\(word)") }
    }

    private struct Missing: Error {}

    @Test("Without the daemon's grant nothing is published")
    func refusedClaim() throws {
        var presenter = try Stage.presenter()
        _ = try presenter.due(Stage.output(), Stage.identifier(), at: .zero)
        #expect(presenter.claimed(1, isGranted: false, at: .zero).isEmpty)
        #expect(presenter.claimed(1, isGranted: true, at: .zero).isEmpty, "the answer before counts")
        #expect(presenter.claimed(2, isGranted: true, at: .zero).isEmpty, "nobody claimed it")
    }

    @Test("A grant that comes after 2 s publishes nothing; at 2 s it still does")
    func lateGrant() throws {
        for (seconds, isLate) in [(2.0, false), (2.001, true), (60, true)] {
            var presenter = try Stage.presenter()
            _ = try presenter.due(Stage.output(), Stage.identifier(), at: .zero)
            let actions = presenter.claimed(1, isGranted: true, at: .seconds(seconds))
            #expect((actions == [.finish(1, .unknown)]) == isLate, "\(seconds)")
        }
    }

    @Test("Without a connection an outcome is refused at once, and never published later")
    func offline() throws {
        var presenter = try Stage.presenter(isConnected: false)
        #expect(
            try presenter.due(Stage.output(), Stage.identifier(), at: .zero) == [.finish(1, .refused)])
        for case .announce in presenter.connected() { Issue.record("an event of the past") }
    }

    @Test("A connection that ends leaves it unknown whether an event was delivered")
    func lostConnection() throws {
        var presenter = try Stage.presenter()
        for number in Int64(1)...3 {
            _ = try presenter.due(Stage.output(number), Stage.identifier(), at: .zero)
        }
        _ = presenter.claimed(1, isGranted: true, at: .zero)
        _ = presenter.claimed(2, isGranted: true, at: .zero)
        #expect(presenter.disconnected() == [.finish(1, .unknown), .finish(2, .unknown)])
        #expect(presenter.acknowledged(1).isEmpty)
        // The third was granted after the connection had ended.
        #expect(presenter.claimed(3, isGranted: true, at: .zero) == [.finish(3, .unknown)])
    }

    @Test("An event that could not be sent, or was not acknowledged before the stop, is unknown")
    func unsent() throws {
        var presenter = try Stage.presenter()
        for number in Int64(1)...2 {
            _ = try presenter.due(Stage.output(number), Stage.identifier(), at: .zero)
            _ = presenter.claimed(number, isGranted: true, at: .zero)
        }
        #expect(presenter.unsent(1) == [.finish(1, .unknown)] && presenter.unsent(1).isEmpty)
        #expect(presenter.stop() == [.publish(presenter.will), .finish(2, .unknown)])
    }

    @Test("After the daemon was lost no grant counts")
    func lostDaemon() throws {
        var presenter = try Stage.presenter()
        _ = try presenter.due(Stage.output(), Stage.identifier(), at: .zero)
        _ = presenter.daemonLost()
        #expect(presenter.claimed(1, isGranted: true, at: .zero).isEmpty)
    }

    @Test("The same output twice is claimed once")
    func twice() throws {
        var presenter = try Stage.presenter()
        _ = try presenter.due(Stage.output(), Stage.identifier(), at: .zero)
        #expect(try presenter.due(Stage.output(), Stage.identifier(), at: .zero).isEmpty)
        _ = presenter.claimed(1, isGranted: true, at: .zero)
        #expect(try presenter.due(Stage.output(), Stage.identifier(), at: .zero).isEmpty)
    }

    @Test(
        "A test document has an event only at a trial accessory, and the event says so",
        arguments: [false, true])
    func testDocuments(_ isTrial: Bool) throws {
        var presenter = try Stage.presenter(Stage.accessory(isTrial: isTrial))
        let actions = try presenter.due(Stage.output(isTest: true), Stage.identifier(), at: .zero)
        guard isTrial else {
            #expect(actions == [.finish(1, .refused)])
            return
        }
        guard case .announce(let event, _)? = presenter.claimed(1, isGranted: true, at: .zero).first else {
            throw Missing()
        }
        #expect(String(decoding: event.payload, as: UTF8.self).hasSuffix(#","test":true}"#))
    }

    @Test("An output of another accessory, an unknown lane or an outcome outside the rule is refused")
    func foreign() throws {
        var presenter = try Stage.presenter(Stage.accessory(outcomes: [.allow]))
        let outputs = [
            Stage.output(1, accessory: "lock"), Stage.output(2, lane: "other"), Stage.output(3, .deny),
        ]
        for output in outputs {
            #expect(
                try presenter.due(output, Stage.identifier(), at: .zero) == [.finish(output.number, .refused)]
            )
        }
        #expect(try presenter.due(Stage.output(4), Stage.identifier(), at: .zero).count == 1)
    }

    @Test("At most 64 outputs are in progress; a further one is refused")
    func most() throws {
        var presenter = try Stage.presenter()
        let most = Int64(HomeAssistantPresenter.mostOutputs)
        for number in 1...most {
            let actions = try presenter.due(Stage.output(number), Stage.identifier(), at: .zero)
            #expect(actions == [.claim(Stage.output(number))])
        }
        #expect(
            try presenter.due(Stage.output(most + 1), Stage.identifier(), at: .zero)
                == [.finish(most + 1, .refused)])
    }
}
