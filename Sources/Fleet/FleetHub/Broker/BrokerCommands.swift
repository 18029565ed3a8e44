internal import Fleet
internal import JSON
internal import MQTTClient

/// The commands of mosquitto's dynamic security plugin. A repeated command has no further effect.
enum BrokerCommands {
    /// The topic of the plugin's commands.
    private static let control = "$CONTROL/dynamic-security/v1"
    /// The topic of the plugin's answers, which every subscriber receives.
    static let answers = control + "/response"

    /// Sends commands in one message. Returns the message's number, which the broker's acknowledgement
    /// repeats, or `nil` without a connection.
    @discardableResult
    static func send(_ commands: [JSONValue], on connection: BrokerConnection) -> Int32? {
        let json: JSONValue = ["commands": .array(commands)]
        return connection.publish(json.utf8, to: control, isRetained: false)
    }

    /// Returns the command `name` with these further members.
    static func command(_ name: String, _ members: [(String, JSONValue)]) -> JSONValue {
        .object([("command", .string(name))] + members)
    }

    /// Returns a rule that allows one kind of access to a topic.
    ///
    /// - Parameter kind: The plugin's name of the access (`acltype`), such as `publishClientSend`.
    static func allow(_ kind: String, _ topic: String) -> JSONValue {
        [
            "acltype": .string(kind), "topic": .string(topic), "priority": .integer(0),
            "allow": .boolean(true),
        ]
    }

    /// Returns the commands that create an account for a kiosk. The account may publish the kiosk's presence
    /// and subscribe to its notices, and works only with the kiosk's client identifier. The last command
    /// fails if the account exists.
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

    /// Returns the commands that set the password and the client identifier of an existing account.
    static func changeAccount(of kiosk: FleetName, _ password: String) -> [JSONValue] {
        let user = JSONValue.string(user(of: kiosk))
        return [
            command("setClientId", [("username", user), ("clientid", clientIdentifier(of: kiosk))]),
            command("setClientPassword", [("username", user), ("password", .string(password))]),
        ]
    }

    /// Returns the only client identifier with which a kiosk's account may connect. If the account could use
    /// another kiosk's identifier, it could end that kiosk's connection.
    private static func clientIdentifier(of kiosk: FleetName) -> JSONValue {
        .string(FleetTopics.client(of: kiosk))
    }

    /// Returns the command with a correlation text, which the broker repeats in its answer.
    static func answered(_ command: JSONValue, as text: String) -> JSONValue {
        guard case .object(let members) = command else { return command }
        return .object(members + [("correlationData", .string(text))])
    }

    /// Returns the commands that remove a kiosk's account, which also ends the kiosk's connection.
    static func removeAccount(of kiosk: FleetName) -> [JSONValue] {
        [
            command("deleteClient", [("username", .string(user(of: kiosk)))]),
            command("deleteRole", [("rolename", .string(role(of: kiosk)))]),
        ]
    }

    /// Returns the name of a kiosk's account. The prefix makes the name differ from the name of the hubs'
    /// account, whatever the kiosk's name is.
    static func user(of kiosk: FleetName) -> String { HubBroker.kioskUserPrefix + kiosk.text }

    private static func role(of kiosk: FleetName) -> String { "kiosk-\(kiosk)" }
}
