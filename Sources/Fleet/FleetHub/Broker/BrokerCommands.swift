internal import Fleet
internal import JSON

/// Commands of mosquitto's dynamic security plugin. Each leaves things as they should be, also where it comes twice.
enum BrokerCommands {
    /// Where the plugin takes commands, and where it answers whoever sent them.
    private static let control = "$CONTROL/dynamic-security/v1"
    static let answers = control + "/response"

    /// The number of the message that the broker acknowledges; nil if nobody is connected.
    @discardableResult
    static func send(_ commands: [JSONValue], on connection: BrokerConnection) -> Int32? {
        let json: JSONValue = ["commands": .array(commands)]
        return connection.publish(json.utf8, to: control, isRetained: false)
    }

    static func command(_ name: String, _ members: [(String, JSONValue)]) -> JSONValue {
        .object([("command", .string(name))] + members)
    }

    static func allow(_ kind: String, _ topic: String) -> JSONValue {
        [
            "acltype": .string(kind), "topic": .string(topic), "priority": .integer(0),
            "allow": .boolean(true),
        ]
    }

    /// An account for a kiosk that may publish its presence and read its notices, as its own client. Fails where there is one.
    static func createAccount(
        of kiosk: FleetName, _ password: String, _ topics: FleetTopics
    ) -> [JSONValue] {
        let role = JSONValue.string(role(of: kiosk))
        let acls = JSONValue.array([
            allow("publishClientSend", topics.presence(of: kiosk)),
            allow("subscribeLiteral", topics.notice),
            allow("subscribeLiteral", topics.notice(for: kiosk)),
        ])
        return [
            command("createRole", [("rolename", role), ("acls", acls)]),
            command(
                "createClient",
                [
                    ("username", .string(user(of: kiosk))), ("password", .string(password)),
                    ("clientid", clientIdentifier(of: kiosk)),
                    ("roles", .array([.object([("rolename", role)])])),
                ]),
        ]
    }

    /// The same for one that is there.
    static func changeAccount(of kiosk: FleetName, _ password: String) -> [JSONValue] {
        let user = JSONValue.string(user(of: kiosk))
        return [
            command("setClientId", [("username", user), ("clientid", clientIdentifier(of: kiosk))]),
            command("setClientPassword", [("username", user), ("password", .string(password))]),
        ]
    }

    /// Each account has one name of a client: with another's it would end the other's connection.
    private static func clientIdentifier(of kiosk: FleetName) -> JSONValue {
        .string(FleetTopics.client(of: kiosk))
    }

    /// The command with a text that the broker repeats in its answer.
    static func answered(_ command: JSONValue, as text: String) -> JSONValue {
        guard case .object(let members) = command else { return command }
        return .object(members + [("correlationData", .string(text))])
    }

    /// Ends the kiosk's connection and removes its account.
    static func removeAccount(of kiosk: FleetName) -> [JSONValue] {
        [
            command("deleteClient", [("username", .string(user(of: kiosk)))]),
            command("deleteRole", [("rolename", .string(role(of: kiosk)))]),
        ]
    }

    /// The kiosk's account: no kiosk is named so that its account is the hubs'.
    static func user(of kiosk: FleetName) -> String { HubBroker.kioskUserPrefix + kiosk.text }

    private static func role(of kiosk: FleetName) -> String { "kiosk-\(kiosk)" }
}
