import Accessories
import JSON
import MQTTClient
import Testing

/// Connects a presenter of Home Assistant to a broker, with a daemon that grants every claim.
actor PresenterDriver {
    /// The message that is received on a topic to which the presenter has subscribed.
    struct Received: Equatable {
        let topic: String
        let isRetained: Bool
    }

    private var presenter: HomeAssistantPresenter
    private let connection: BrokerConnection
    private let begin = ContinuousClock.now
    /// The outputs whose event was sent, by the message's number.
    private var sent: [Int32: Int64] = [:]
    private(set) var asks: [String] = []
    private(set) var ends: [Int64: OutputEnd] = [:]
    private(set) var received: [Received] = []
    private(set) var isConnected = false

    init(_ broker: RunningBroker, hasButtons: Bool = true) throws {
        var output = MQTTOutput()
        output.discovery = "homeassistant"
        output.hasButtons = hasButtons
        var rule = OutputRule()
        rule.outcomes = Set(AccessoryOutcome.allCases)
        let accessory = Accessory(
            name: "home", lane: nil, role: .output(Output(device: .mqtt(output), rule: rule)),
            isTrial: false, source: .null)
        var presenter = try #require(HomeAssistantPresenter(accessory, software: "1.2.3"))
        _ = presenter.setLanes([("gate", ["Age 18", "Age 21"])])
        _ = presenter.enter("gate", "armed")
        let will = presenter.will
        let connection = BrokerConnection(
            broker.settings(client: presenter.client, will: (will.topic, will.payload)))
        self.connection = try #require(connection)
        self.presenter = presenter
    }

    /// Runs until the connection ends.
    func run() async {
        connection.start()
        for await event in connection.events {
            switch event {
            case .connected:
                isConnected = true
                perform(presenter.connected())
            case .refused: break
            case .ended:
                isConnected = false
                perform(presenter.disconnected())
            case .message(let topic, let payload, let isRetained):
                received.append(Received(topic: topic, isRetained: isRetained))
                perform(presenter.received(topic, payload, isRetained: isRetained, at: now))
            case .acknowledged(let number):
                if let output = sent.removeValue(forKey: number) { perform(presenter.acknowledged(output)) }
            }
        }
    }

    private var now: Duration { ContinuousClock.now - begin }

    func give(_ number: Int64, _ outcome: AccessoryOutcome) throws {
        let identifier = try #require(
            EventIdentifier(randomBytes: [UInt8](repeating: UInt8(number), count: EventIdentifier.length)))
        let output = DueOutput(
            number: number, accessory: "home", lane: "gate", presentation: "p", outcome: outcome,
            isTest: false, age: 21, code: "123456")
        perform(presenter.due(output, identifier, at: now))
    }

    func stop() async {
        perform(presenter.stop())
        await connection.stop()
    }

    private func perform(_ actions: [HomeAssistantPresenter.Action]) {
        for action in actions {
            switch action {
            case .subscribe(let pattern): connection.subscribe(to: pattern)
            case .publish(let message):
                connection.publish(message.payload, to: message.topic, isRetained: message.isRetained)
            case .claim(let output): perform(presenter.claimed(output.number, isGranted: true, at: now))
            case .announce(let event, let output):
                let message = event.message
                let number = connection.publish(
                    message.payload, to: message.topic, isRetained: message.isRetained)
                if let number { sent[number] = output } else { perform(presenter.unsent(output)) }
            case .finish(let number, let end): ends[number] = end
            case .ask(_, let preset): asks.append(preset)
            }
        }
    }
}
