import JSON
import Testing

@testable import Accessories

@Suite("The discovery by Home Assistant")
struct HomeAssistantDiscoveryTests {
    private func discovery(isTrial: Bool = false, hasButtons: Bool = true) -> HomeAssistantDiscovery {
        HomeAssistantDiscovery(
            prefix: "homeassistant", programTopic: "countersign/available", isTrial: isTrial,
            hasButtons: hasButtons, software: "1.2.3")
    }

    private func lane(presets: [String] = ["Age 18", "Age 21"]) throws -> HomeAssistantLane {
        try #require(HomeAssistantLane("gate", presets: presets, base: "countersign"))
    }

    private func members(_ message: MQTTMessage) throws -> JSONTextMembers {
        try JSONText(message.payload[...]).members()
    }

    private func strings(_ text: JSONText) throws -> [String] { try text.array().map { try $0.string() } }

    @Test("Each entity has one retained message on a topic of its component")
    func topics() throws {
        let messages = discovery().messages(for: try lane())
        #expect(
            messages.map(\.topic) == [
                "homeassistant/event/countersign__gate/outcome/config",
                "homeassistant/sensor/countersign__gate/state/config",
                "homeassistant/binary_sensor/countersign__gate/problem/config",
                "homeassistant/button/countersign__gate/ask_Age_2018/config",
                "homeassistant/button/countersign__gate/ask_Age_2021/config",
            ])
        #expect(messages.allSatisfy { $0.isRetained })
    }

    @Test("Every entity has its own identifier, the lane's device, the origin and two topics of availability")
    func common() throws {
        let messages = discovery().messages(for: try lane())
        var identifiers: Set<String> = []
        for message in messages {
            let members = try members(message)
            identifiers.insert(try members.required("unique_id").string())
            let topics = try members.required("availability").array().map {
                try $0.members(["topic"]).required("topic").string()
            }
            #expect(topics == ["countersign/available", "countersign/gate/available"])
            #expect(try members.required("availability_mode").string() == "all")
            let device = try members.required("device").members()
            #expect(try strings(device.required("identifiers")) == ["countersign__gate"])
            #expect(try device.required("name").string() == "gate")
            let origin = try members.required("origin").members(["name", "sw_version"])
            #expect(try origin.required("name").string() == "countersign-accessories")
            #expect(try origin.required("sw_version").string() == "1.2.3")
        }
        #expect(identifiers.count == messages.count)
        // Home Assistant keeps an owner's settings and history under these identifiers, so they never change.
        #expect(
            identifiers == [
                "countersign__gate__outcome", "countersign__gate__state", "countersign__gate__problem",
                "countersign__gate__ask_Age_2018", "countersign__gate__ask_Age_2021",
            ])
    }

    @Test("The event lists every outcome, the sensor every state, and the button names its preset")
    func components() throws {
        let messages = discovery().messages(for: try lane())
        let event = try members(messages[0])
        #expect(
            try strings(event.required("event_types"))
                == ["allow", "deny", "unclear", "declined", "cancelled", "failed"])
        #expect(try event.required("state_topic").string() == "countersign/gate/event")
        let sensor = try members(messages[1])
        #expect(try sensor.required("device_class").string() == "enum")
        #expect(
            try strings(sensor.required("options")) == [
                "idle", "armed", "engaged", "awaitingConsent", "receiving", "awaitingDecision", "paused",
            ])
        #expect(try members(messages[2]).required("device_class").string() == "problem")
        let button = try members(messages[4])
        #expect(try button.required("command_topic").string() == "countersign/gate/ask")
        #expect(try button.required("payload_press").string() == "Age 21")
        #expect(try !button.required("retain").boolean())
    }

    @Test("Without buttons no message names the topic for commands or a preset")
    func withoutButtons() throws {
        let messages = discovery(hasButtons: false).messages(for: try lane())
        #expect(messages.count == 3)
        for message in messages {
            let text = message.topic + String(decoding: message.payload, as: UTF8.self)
            #expect(!text.contains("/ask") && !text.contains("Age"))
        }
    }

    @Test("The device of a trial accessory says so")
    func trial() throws {
        for message in discovery(isTrial: true).messages(for: try lane()) {
            let device = try members(message).required("device").members()
            #expect(try device.required("name").string() == "gate (trial)")
        }
    }

    @Test("A button keeps its identifier if the presets are sorted, and presets of similar names differ")
    func buttonIdentifiers() throws {
        func topics(_ presets: [String]) throws -> [String] {
            discovery().messages(for: try lane(presets: presets)).dropFirst(3).map(\.topic)
        }
        #expect(try topics(["A", "B"]) == topics(["B", "A"]).reversed())
        let names = ["Age 18", "Age_18", "Age-18", "Age/18", "Age_2018", "\u{c4}ge 18"]
        let all = try topics(names)
        #expect(Set(all).count == names.count)
        #expect(all.allSatisfy { $0.split(separator: "/").count == 5 })
    }

    @Test("A topic of a button is recognised for its own lane only")
    func buttonTopics() throws {
        let (discovery, lane) = (discovery(), try lane())
        #expect(discovery.buttons(of: lane) == "homeassistant/button/countersign__gate/+/config")
        #expect(discovery.isButton("homeassistant/button/countersign__gate/ask_x/config", of: lane))
        for topic in [
            "homeassistant/button/countersign__gate/config", "homeassistant/button/countersign__gate//config",
            "homeassistant/button/countersign__gate2/ask_x/config",
            "homeassistant/sensor/countersign__gate/state/config",
            "homeassistant/button/countersign__gate/a/b/config",
            "homeassistant/button/countersign__gate/ask_x/config/x", "",
        ] {
            #expect(!discovery.isButton(topic, of: lane), "\(topic)")
        }
    }
}
