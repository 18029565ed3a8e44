internal import JSON

/// A lane with its MQTT topics and the messages on them.
///
/// | topic | payload | retained |
/// |---|---|---|
/// | `BASE/LANE/event` | `OutcomeEvent` | never |
/// | `BASE/LANE/state` | a word of `HomeAssistantState` | yes |
/// | `BASE/LANE/problem` | `ON` or `OFF` | yes |
/// | `BASE/LANE/available` | `online` or `offline` | yes |
/// | `BASE/LANE/ask` | from others: the name of a preset | no: a retained command is dropped |
///
/// No message contains anything about a person, a document or a presentation, except the word of the outcome.
package struct HomeAssistantLane: Equatable, Sendable {
    package let name: String
    /// The names of the lane's presets that others may start.
    package let presets: [String]
    /// The beginning of the lane's topics, `BASE/LANE`.
    private let root: String
    /// The name of the lane's device at Home Assistant. Different pairs of base and lane have different
    /// names.
    let node: String

    /// - Parameter base: The first levels of the topics (`MQTTOutput.base`).
    /// - Returns: `nil` if the base or the name cannot be part of a topic.
    package init?(_ name: String, presets: [String], base: String) {
        guard MQTTTopic.isName(base), MQTTTopic.isLevel(name) else { return nil }
        self.name = name
        self.presets = presets
        root = "\(base)/\(name)"
        node = MQTTTopic.discoveryPart(base) + "__" + MQTTTopic.discoveryPart(name)
    }

    package var eventTopic: String { "\(root)/event" }
    package var stateTopic: String { "\(root)/state" }
    package var problemTopic: String { "\(root)/problem" }
    package var availabilityTopic: String { "\(root)/available" }
    package var askTopic: String { "\(root)/ask" }

    /// Returns the message with the lane's state.
    package func message(_ state: HomeAssistantState) -> MQTTMessage {
        MQTTMessage(topic: stateTopic, payload: Array(state.rawValue.utf8), isRetained: true)
    }

    /// Returns the message whether the reader or an accessory of the lane is not ready.
    package func message(hasProblem: Bool) -> MQTTMessage {
        MQTTMessage(topic: problemTopic, payload: Array((hasProblem ? "ON" : "OFF").utf8), isRetained: true)
    }

    /// Returns the message whether the lane's state is known.
    package func message(isAvailable: Bool) -> MQTTMessage {
        .availability(isAvailable, topic: availabilityTopic)
    }

    /// Returns the messages that remove the lane's retained messages.
    package var removals: [MQTTMessage] {
        [stateTopic, problemTopic, availabilityTopic].map(MQTTMessage.removal)
    }

    /// Returns the event of an outcome.
    ///
    /// - Parameter isTest: Whether a test issuer signed the document. Only a trial accessory may publish
    ///   such an event, and the payload then says so.
    package func event(_ outcome: AccessoryOutcome, _ identifier: EventIdentifier, isTest: Bool)
        -> OutcomeEvent
    {
        var members: [(String, JSONValue)] = [
            ("event_type", .string(outcome.rawValue)), ("id", .string(identifier.text)),
        ]
        if isTest { members.append(("test", .boolean(true))) }
        return OutcomeEvent(topic: eventTopic, payload: JSONValue.object(members).utf8)
    }

    /// Returns the preset that a command names, or `nil` if the lane has no preset with exactly this name.
    package func preset(named payload: [UInt8]) -> String? {
        presets.first { payload.elementsEqual($0.utf8) }
    }
}

extension MQTTMessage {
    /// Returns a message with the payloads that Home Assistant expects on a topic of availability.
    static func availability(_ isAvailable: Bool, topic: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array((isAvailable ? "online" : "offline").utf8), isRetained: true)
    }
}
