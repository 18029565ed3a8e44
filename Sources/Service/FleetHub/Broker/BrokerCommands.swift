internal import Fleet
internal import JSON

/// Commands of mosquitto's dynamic security plugin. Each leaves things as they should be, also where it comes twice.
enum BrokerCommands {
    static func command(_ name: String, _ members: [(String, JSONValue)]) -> JSONValue {
        .object([("command", .string(name))] + members)
    }

    static func allow(_ kind: String, _ topic: String) -> JSONValue {
        [
            "acltype": .string(kind), "topic": .string(topic), "priority": .integer(0),
            "allow": .boolean(true),
        ]
    }

    /// An account for a kiosk that may publish its presence and read its notices.
    static func letIn(_ kiosk: FleetName, password: String, _ topics: FleetTopics) -> [JSONValue] {
        let (name, role) = (JSONValue.string(user(of: kiosk)), JSONValue.string(role(of: kiosk)))
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
                    ("username", name), ("password", .string(password)),
                    ("roles", .array([.object([("rolename", role)])])),
                ]),
            command("setClientPassword", [("username", name), ("password", .string(password))]),
        ]
    }

    /// Ends the kiosk's connection, and lets it in no more.
    static func putOut(_ kiosk: FleetName) -> [JSONValue] {
        [
            command("deleteClient", [("username", .string(user(of: kiosk)))]),
            command("deleteRole", [("rolename", .string(role(of: kiosk)))]),
        ]
    }

    /// The kiosk's account: no kiosk is named so that its account is the hubs'.
    static func user(of kiosk: FleetName) -> String { HubBroker.kioskUserPrefix + kiosk.text }

    private static func role(of kiosk: FleetName) -> String { "kiosk-\(kiosk)" }
}
