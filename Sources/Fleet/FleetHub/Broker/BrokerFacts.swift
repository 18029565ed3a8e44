package import Fleet
internal import JSON
internal import MQTTClient

/// The properties of a hub's broker that `countersign-hub doctor` checks. Reading them changes nothing at the
/// broker.
package enum BrokerFacts: Equatable, Sendable {
    /// The permissions that mosquitto's dynamic security gives every account, independent of its role.
    package struct Defaults: Equatable, Sendable {
        package var mayPublish: Bool
        package var maySubscribe: Bool

        package init(mayPublish: Bool, maySubscribe: Bool) {
            self.mayPublish = mayPublish
            self.maySubscribe = maySubscribe
        }
    }

    /// libmosquitto, the MQTT client library, does not accept the hub's certificate files.
    case filesRefused
    /// No connection could be made, or TLS failed with one of the certificates.
    case unreachable
    /// The broker refuses the hub. `code` is the return code of its CONNACK (MQTT 3.1.1, section 3.2.2.3).
    case refused(code: Int32)
    /// The broker accepts the hub. The associated value contains the default permissions of the dynamic
    /// security plugin. It is `nil` if the plugin does not answer requests of the hub's account.
    case connected(Defaults?)

    /// The maximum time for the connection and the plugin's answer.
    private static let timeout = Duration.seconds(3)

    /// Connects to the broker and returns its properties.
    package static func current(_ settings: FleetBrokerSettings) async -> BrokerFacts {
        guard let connection = settings.newConnection() else { return .filesRefused }
        connection.start()
        // After the timeout the connection is closed. Its events then end, and `facts(of:)` returns the
        // result so far.
        let timer = Task {
            try await Task.sleep(for: timeout)
            await connection.stop()
        }
        defer { timer.cancel() }
        let facts = await facts(of: connection)
        await connection.stop()
        return facts
    }

    /// Asks mosquitto's dynamic security plugin for its default permissions after the broker has accepted the
    /// hub. Waits until the plugin answers or the connection ends.
    private static func facts(of connection: BrokerConnection) async -> BrokerFacts {
        var facts = BrokerFacts.unreachable
        for await event in connection.events {
            switch event {
            case .connected:
                // If the plugin does not answer in time, this is the result.
                facts = .connected(nil)
                connection.subscribe(to: BrokerCommands.answers)
                BrokerCommands.send([BrokerCommands.command("getDefaultACLAccess", [])], on: connection)
            case .refused(let code): return .refused(code: code)
            case .message(_, let payload, _):
                if let defaults = Defaults(payload) { return .connected(defaults) }
            case .acknowledged, .ended: break
            }
        }
        return facts
    }
}

extension BrokerFacts.Defaults {
    /// Reads the plugin's answer to `getDefaultACLAccess`; `nil` if the message is not this answer.
    init?(_ payload: [UInt8]) {
        do throws(JSONFault) {
            let responses = try JSONText(payload[...]).members().required("responses").array()
            guard let response = responses.first else { return nil }
            let acls = try response.members().required("data").members().required("acls").array()
            var allowed: Set<String> = []
            for acl in acls {
                let members = try acl.members()
                guard try members.required("allow").boolean() else { continue }
                allowed.insert(try members.required("acltype").string())
            }
            self.init(
                mayPublish: allowed.contains("publishClientSend"),
                maySubscribe: allowed.contains("subscribe"))
        } catch {
            return nil
        }
    }
}
