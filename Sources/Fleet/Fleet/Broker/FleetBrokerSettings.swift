package import MQTTClient

/// The address of a chain's broker and the credentials of a kiosk or a hub.
///
/// The chain's own certificate authority certifies the broker, the hubs and the kiosks, and each side must
/// present its certificate. This type therefore has no value without TLS, and none without a client
/// certificate.
package struct FleetBrokerSettings: Sendable {
    /// The maximum number of unread events; the oldest are dropped. The number is large, because a hub that
    /// connects receives a message from every kiosk: the presence of the kiosk (`KioskPresence`).
    private static let mostUnread = 1 << 17

    package var host: String
    package var port: Int64
    /// The PEM file with the roots of the broker's certificate.
    package var authority: String
    /// The PEM file with the client's certificate.
    package var certificate: String
    /// The PEM file with the client's private key.
    package var key: String
    package var user: String
    package var password: String
    /// The MQTT client identifier. The broker ends an existing connection when a client with the same
    /// identifier connects.
    package var client: String
    /// The client's MQTT will, a retained message that the broker publishes if it loses this client, or `nil`
    /// for no will.
    package var will: (topic: String, payload: [UInt8])?

    package init(
        host: String, port: Int64, authority: String, certificate: String, key: String, user: String,
        password: String, client: String, will: (topic: String, payload: [UInt8])? = nil
    ) {
        self.host = host
        self.port = port
        self.authority = authority
        self.certificate = certificate
        self.key = key
        self.user = user
        self.password = password
        self.client = client
        self.will = will
    }

    /// The settings of one connection to the broker.
    package var connection: BrokerConnection.Settings {
        BrokerConnection.Settings(
            host: host, port: port,
            protection: .tls(
                roots: .file(authority),
                certificate: BrokerClientCertificate(certificate: certificate, key: key)),
            login: BrokerLogin(user: user, password: password), client: client, will: will,
            mostUnread: Self.mostUnread)
    }
}
