/// An event on a connection to the broker.
package enum BrokerEvent: Equatable, Sendable {
    /// The broker has accepted this client.
    case connected
    /// The broker refuses this client. `code` is the return code of its CONNACK (MQTT 3.1.1, section
    /// 3.2.2.3).
    case refused(code: Int32)
    /// The connection has ended or could not be made. This is the last event.
    case ended
    /// A message on a subscribed topic. `isRetained` is `true` if the broker had stored the message before
    /// this client subscribed (MQTT 3.1.1, section 3.3.1.3). A message that arrives while the client is
    /// subscribed has `false`, even if its publisher asked the broker to retain it.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// The broker has acknowledged the published message with this number.
    case acknowledged(Int32)
}
