package import Fleet
internal import JSON

/// What a hub meets at its broker. Looking changes nothing there.
package enum BrokerFacts: Equatable, Sendable {
    /// What mosquitto's dynamic security lets every account do, whatever its role.
    package struct Defaults: Equatable, Sendable {
        package var mayPublish: Bool
        package var maySubscribe: Bool

        package init(mayPublish: Bool, maySubscribe: Bool) {
            self.mayPublish = mayPublish
            self.maySubscribe = maySubscribe
        }
    }

    /// libmosquitto does not take the files.
    case filesRefused
    /// No connection, or no TLS with both certificates.
    case unreachable
    /// The broker does not let the hub in: its code of MQTT 3.1.1, 3.2.2.3.
    case refused(code: Int32)
    /// It lets the hub in; nil if the plugin does not answer this account.
    case connected(Defaults?)

    /// How long the plugin may take to answer.
    private static let timeout = Duration.seconds(3)

    package static func current(_ settings: BrokerConnection.Settings) async -> BrokerFacts {
        guard let connection = settings.newConnection() else { return .filesRefused }
        connection.start()
        let timer = Task {
            try await Task.sleep(for: timeout)
            await connection.stop()
        }
        defer { timer.cancel() }
        let facts = await facts(of: connection)
        await connection.stop()
        return facts
    }

    private static func facts(of connection: BrokerConnection) async -> BrokerFacts {
        var facts = BrokerFacts.unreachable
        for await event in connection.events {
            switch event {
            case .connected:
                facts = .connected(nil)
                connection.subscribe(to: BrokerCommands.answers)
                BrokerCommands.send([BrokerCommands.command("getDefaultACLAccess", [])], on: connection)
            case .refused(let code): return .refused(code: code)
            case .message(_, let payload):
                if let defaults = Defaults(payload) { return .connected(defaults) }
            case .acknowledged, .ended: break
            }
        }
        return facts
    }
}

extension BrokerFacts.Defaults {
    /// From the plugin's answer to `getDefaultACLAccess`; nil for another message.
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
