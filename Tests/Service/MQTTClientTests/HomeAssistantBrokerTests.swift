import Accessories
import Deadlines
import Testing

@Suite("What a lane says through a real broker", .enabled(if: RunningBroker.isThere, RunningBroker.missing))
struct HomeAssistantBrokerTests {
    /// Runs `body` beside a driver that is connected to a broker.
    private func withDriver(
        _ broker: RunningBroker, hasButtons: Bool = true, _ body: (PresenterDriver) async throws -> Void
    ) async throws {
        let driver = try PresenterDriver(broker, hasButtons: hasButtons)
        let running = Task { await driver.run() }
        try await until("a connection") { await driver.isConnected }
        do {
            try await body(driver)
        } catch {
            await driver.stop()
            throw error
        }
        await driver.stop()
        await running.value
    }

    /// Waits until a subscriber knows that the program is online.
    private func online(_ subscriber: ForeignSubscriber) async throws {
        try await until("the program is online") {
            subscriber.messages.contains { $0.hasSuffix(" countersign/available online") }
        }
    }

    @Test("A late subscriber gets discovery, availability and state, and no event of the past")
    func lateSubscriber() async throws {
        let broker = try await RunningBroker()
        try await withDriver(broker) { driver in
            try await driver.give(1, .allow)
            try await until("the broker's acknowledgement") { await driver.ends[1] == .done }
            let subscriber = try ForeignSubscriber(broker)
            for message in [
                "1 countersign/available online", "1 countersign/gate/available online",
                "1 countersign/gate/state armed", "1 countersign/gate/problem OFF",
            ] {
                try await subscriber.received(message)
            }
            let entities = [
                "event/countersign__gate/outcome", "sensor/countersign__gate/state",
                "binary_sensor/countersign__gate/problem", "button/countersign__gate/ask_Age_2018",
                "button/countersign__gate/ask_Age_2021",
            ]
            try await until("five entities") {
                entities.allSatisfy { entity in
                    subscriber.messages.contains { $0.hasPrefix("1 homeassistant/\(entity)/config {") }
                }
            }
            #expect(!subscriber.messages.contains { $0.contains(" countersign/gate/event ") })
            // The twin: an event while somebody listens arrives, as a live message.
            try await driver.give(2, .deny)
            try await subscriber.received(
                #"0 countersign/gate/event {"event_type":"deny","id":"0202020202020202"}"#)
            #expect(!subscriber.messages.contains { $0.contains(#""allow","id""#) })
        }
    }

    @Test("If the program's connection breaks off, the broker says that it is offline")
    func will() async throws {
        let broker = try await RunningBroker()
        let driver = try PresenterDriver(broker)
        let running = Task { await driver.run() }
        let subscriber = try ForeignSubscriber(broker)
        try await online(subscriber)
        #expect(!subscriber.messages.contains { $0.hasSuffix(" countersign/available offline") })
        try broker.cutOwnConnections()
        try await subscriber.received("0 countersign/available offline")
        await running.value
        // A subscriber that comes later gets the will, too.
        try await ForeignSubscriber(broker).received("1 countersign/available offline")
    }

    @Test("A program that stops says itself that it is offline, since the broker publishes no will then")
    func stop() async throws {
        let broker = try await RunningBroker()
        let subscriber = try ForeignSubscriber(broker)
        try await withDriver(broker) { _ in try await online(subscriber) }
        try await subscriber.received("0 countersign/available offline")
    }

    @Test("A retained command is not obeyed; a live one is")
    func retainedCommand() async throws {
        let broker = try await RunningBroker()
        let topic = "countersign/gate/ask"
        try broker.publish("Age 18", to: topic, isRetained: true)
        try await withDriver(broker) { driver in
            try await until("the retained command") {
                await driver.received.contains(.init(topic: topic, isRetained: true))
            }
            try broker.publish("Age 21", to: topic)
            try await until("a command") { await !driver.asks.isEmpty }
            #expect(await driver.asks == ["Age 21"])
        }
    }

    @Test("Without buttons a program subscribes to no commands, and removes the buttons of before")
    func withoutButtons() async throws {
        let broker = try await RunningBroker()
        let button = "homeassistant/button/countersign__gate/ask_Age_2018/config"
        try broker.publish("{}", to: button, isRetained: true)
        let subscriber = try ForeignSubscriber(broker)
        try await subscriber.received("1 \(button) {}")
        try await withDriver(broker, hasButtons: false) { driver in
            try await subscriber.received("0 \(button) ")
            try broker.publish("Age 21", to: "countersign/gate/ask")
            try await subscriber.received("0 countersign/gate/ask Age 21")
            // The answer to Home Assistant's start shows that the program has read everything before it.
            try broker.publish("online", to: "homeassistant/status")
            try await until("the answer") {
                await driver.received.contains(.init(topic: "homeassistant/status", isRetained: false))
            }
            #expect(await driver.asks.isEmpty)
            #expect(await !driver.received.contains { $0.topic == "countersign/gate/ask" })
        }
    }
}
