extension BrokerConnection {
    /// The broker's address, the protection of the connection, and the credentials of this client.
    package struct Settings: Sendable {
        package var host: String
        package var port: Int64
        package var protection: BrokerProtection
        /// The user's name and password at the broker, or `nil` for a broker that accepts clients without a
        /// name.
        package var login: BrokerLogin?
        /// The MQTT client identifier. The broker ends an existing connection when a client with the same
        /// identifier connects.
        package var client: String
        /// The client's MQTT will, a retained message that the broker publishes if it loses this client, or
        /// `nil` for no will.
        package var will: (topic: String, payload: [UInt8])?
        /// The maximum number of unread events; the oldest are dropped. The limit protects the memory from a
        /// broker, or another client of the broker, that sends messages without end.
        package var mostUnread: Int

        package init(
            host: String, port: Int64, protection: BrokerProtection, login: BrokerLogin?, client: String,
            will: (topic: String, payload: [UInt8])? = nil, mostUnread: Int = 256
        ) {
            self.host = host
            self.port = port
            self.protection = protection
            self.login = login
            self.client = client
            self.will = will
            self.mostUnread = mostUnread
        }
    }
}

/// The protection of a connection to a broker.
package enum BrokerProtection: Equatable, Sendable {
    /// No TLS (`mqtt://`): everyone on the network path can read and change the messages, and can read the
    /// password. For a broker on the same computer or in a network of its own.
    case unencrypted
    /// TLS 1.2 or newer (`mqtts://`). The broker's certificate and the host name in it are always verified.
    ///
    /// - `roots`: The roots of the broker's certificate.
    /// - `certificate`: The client's certificate, or `nil` for a broker that requires none.
    case tls(roots: BrokerRoots, certificate: BrokerClientCertificate?)
}

/// The root certificates that the verification of the broker's certificate ends at.
package enum BrokerRoots: Equatable, Sendable {
    /// The roots of the operating system, from Debian's package ca-certificates.
    case system
    /// The roots in a PEM file, and no others.
    case file(String)

    /// The PEM file with the roots.
    var path: String {
        switch self {
        // libmosquitto's option for the system's roots ignores a failure to load them (mosquitto issue 2820).
        // Debian's file contains the same roots, and libmosquitto refuses the settings if it is missing.
        case .system: "/etc/ssl/certs/ca-certificates.crt"
        case .file(let path): path
        }
    }
}

/// The paths of a client's certificate and private key, both in PEM.
package struct BrokerClientCertificate: Equatable, Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// A user's name and password at a broker. A description shows neither.
package struct BrokerLogin: Sendable, CustomStringConvertible, CustomReflectable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    package var description: String { "BrokerLogin(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
