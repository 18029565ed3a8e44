/// A message that is published at an MQTT broker with QoS 1.
package struct MQTTMessage: Equatable, Sendable {
    package let topic: String
    package let payload: [UInt8]
    /// Whether the broker stores the message and sends it to every client that subscribes later. An empty
    /// payload removes the stored message.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }

    /// Returns the message that removes the stored message of a topic.
    package static func removal(of topic: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: [], isRetained: true)
    }
}

/// The message that a lane has an outcome.
///
/// The type has no retained form. A broker would send a retained outcome to every client that subscribes
/// later, and an automation would act on an outcome of the past.
package struct OutcomeEvent: Equatable, Sendable {
    package let topic: String
    package let payload: [UInt8]

    /// The message, which is never retained.
    package var message: MQTTMessage { MQTTMessage(topic: topic, payload: payload, isRetained: false) }
}

/// The random identifier of an outcome event.
///
/// With QoS 1 a broker may deliver an event twice. An automation drops the event whose identifier it has
/// seen. The identifier is not derived from the presentation, so it says nothing about the presentation.
package struct EventIdentifier: Equatable, Sendable {
    /// The number of random bytes.
    package static let length = 8

    /// The random bytes in hexadecimal.
    package let text: String

    /// - Parameter randomBytes: `length` bytes from a generator of random numbers; `nil` for another length.
    package init?(randomBytes: [UInt8]) {
        guard randomBytes.count == Self.length else { return nil }
        text = randomBytes.map(\.twoHexadecimalDigits).joined()
    }
}
