internal import JSON

/// The messages by which Home Assistant learns a lane's entities: one retained message for each entity, on
/// `PREFIX/COMPONENT/NODE/OBJECT/config`.
///
/// The form with one message for a whole device is newer, and Home Assistant 2024.3 ignores it.
package struct HomeAssistantDiscovery: Equatable, Sendable {
    /// The first levels of the discovery topics, usually `homeassistant`.
    package let prefix: String
    /// The topic on which the broker says whether this program is connected.
    let programTopic: String
    let isTrial: Bool
    let hasButtons: Bool
    let software: String

    /// The topic on which Home Assistant says `online` after its start.
    package var statusTopic: String { "\(prefix)/status" }

    /// Returns the topic pattern of the buttons of a lane, among them buttons of an earlier configuration.
    package func buttons(of lane: HomeAssistantLane) -> String { topic("button", lane, "+") }

    /// Returns whether a topic is that of a button of the lane.
    func isButton(_ topic: String, of lane: HomeAssistantLane) -> Bool {
        let parts = buttons(of: lane).split(separator: "+", maxSplits: 1)
        guard parts.count == 2, topic.utf8.count > parts[0].utf8.count + parts[1].utf8.count,
            topic.hasPrefix(parts[0]), topic.hasSuffix(parts[1])
        else { return false }
        return !topic.dropFirst(parts[0].count).dropLast(parts[1].count).contains("/")
    }

    /// Returns the messages for all entities of a lane.
    package func messages(for lane: HomeAssistantLane) -> [MQTTMessage] {
        let event = message(
            "event", lane, "outcome", named: "Outcome",
            [
                ("state_topic", .string(lane.eventTopic)),
                ("event_types", .array(AccessoryOutcome.allCases.map { .string($0.rawValue) })),
            ])
        let state = message(
            "sensor", lane, "state", named: "State",
            [
                ("state_topic", .string(lane.stateTopic)), ("device_class", "enum"),
                ("options", .array(HomeAssistantState.allCases.map { .string($0.rawValue) })),
            ])
        let problem = message(
            "binary_sensor", lane, "problem", named: "Problem",
            [
                ("state_topic", .string(lane.problemTopic)), ("device_class", "problem"),
                ("entity_category", "diagnostic"),
            ])
        guard hasButtons else { return [event, state, problem] }
        // A button is identified by its preset's name, not by its place in the list. Otherwise a button in an
        // automation would ask something else after the list was sorted.
        return [event, state, problem]
            + lane.presets.map { preset in
                message(
                    "button", lane, "ask_" + MQTTTopic.discoveryPart(preset), named: "Ask \(preset)",
                    [
                        ("command_topic", .string(lane.askTopic)), ("payload_press", .string(preset)),
                        ("retain", .boolean(false)),
                    ])
            }
    }

    private func topic(_ component: String, _ lane: HomeAssistantLane, _ object: String) -> String {
        "\(prefix)/\(component)/\(lane.node)/\(object)/config"
    }

    private func message(
        _ component: String, _ lane: HomeAssistantLane, _ object: String, named name: String,
        _ members: [(String, JSONValue)]
    ) -> MQTTMessage {
        let common: [(String, JSONValue)] = [
            ("name", .string(name)), ("unique_id", .string("\(lane.node)__\(object)")),
            ("qos", .integer(1)),
            // An entity is available if the program is connected to the broker, and the daemon to the
            // program. The broker publishes the will of one topic only, so the program and each lane have
            // their own.
            (
                "availability",
                .array([["topic": .string(programTopic)], ["topic": .string(lane.availabilityTopic)]])
            ),
            ("availability_mode", "all"), ("device", device(lane)),
            ("origin", ["name": "countersign-accessories", "sw_version": .string(software)]),
        ]
        return MQTTMessage(
            topic: topic(component, lane, object), payload: JSONValue.object(common + members).utf8,
            isRetained: true)
    }

    private func device(_ lane: HomeAssistantLane) -> JSONValue {
        [
            "identifiers": .array([.string(lane.node)]),
            "name": .string(isTrial ? "\(lane.name) (trial)" : lane.name), "manufacturer": "Countersign",
            "model": "lane", "sw_version": .string(software),
        ]
    }
}
