internal import JSON

/// The MQTT topics of a chain. The broker's access rules allow a kiosk to publish its own presence and to
/// subscribe to the notices for all kiosks and for itself, and nothing else.
package struct FleetTopics: Sendable {
    /// The beginning of all topics of the chain.
    package let root: String

    package init(_ chain: FleetName) {
        root = "countersign/1/\(chain)"
    }

    /// The topic of change notices for all kiosks.
    package var notice: String { "\(root)/notice" }
    /// The topic pattern of all presences, to which a hub subscribes.
    package var allPresences: String { "\(root)/kiosk/+/presence" }

    /// Returns the MQTT client identifier of a kiosk. The broker accepts the identifier from the kiosk's
    /// account only.
    package static func client(of kiosk: FleetName) -> String { "countersign-\(kiosk)" }

    package func notice(for kiosk: FleetName) -> String { "\(root)/kiosk/\(kiosk)/notice" }
    package func presence(of kiosk: FleetName) -> String { "\(root)/kiosk/\(kiosk)/presence" }

    /// Returns the kiosk whose presence topic this is, or `nil` for another topic.
    package func kiosk(ofPresence topic: String) -> FleetName? {
        guard topic.hasPrefix("\(root)/kiosk/"), topic.hasSuffix("/presence") else { return nil }
        return FleetName(topic.dropFirst("\(root)/kiosk/".count).dropLast("/presence".count))
    }
}

/// A notice that something has changed, without its content. A client that can publish at the broker can
/// therefore make a kiosk ask the hub, and nothing more.
package struct ChangeNotice: Equatable, Sendable {
    /// The maximum time over which kiosks spread their questions to the hub, in seconds.
    package static let widestSpread: Int64 = 60

    /// The number of the change, from a counter in the hubs' database.
    package let change: Int64
    /// The time over which the kiosks spread their questions, in seconds.
    package let spreadSeconds: Int64

    package init(change: Int64, spreadSeconds: Int64) {
        self.change = change
        self.spreadSeconds = spreadSeconds
    }

    /// Parses a notice. `nil` for any other content.
    package init?(_ payload: [UInt8]) {
        guard let members = try? JSONText(payload[...], limit: 1 << 10).members(["change", "spreadSeconds"]),
            let change = try? members.required("change").integer(in: 0...JSONValue.largestExactInteger),
            let spread = try? members.required("spreadSeconds").integer(in: 0...Self.widestSpread)
        else { return nil }
        self.init(change: change, spreadSeconds: spread)
    }

    package var payload: [UInt8] {
        let json: JSONValue = ["change": .integer(change), "spreadSeconds": .integer(spreadSeconds)]
        return json.utf8
    }
}

/// The presence of a kiosk, published by the kiosk itself, or by the broker after it lost the kiosk.
package struct KioskPresence: Equatable, Sendable {
    package static let offline = KioskPresence(isOnline: false, software: "")

    package let isOnline: Bool
    /// The version of the kiosk's program; empty if the broker publishes the presence.
    package let software: String

    package init(isOnline: Bool, software: String) {
        self.isOnline = isOnline
        self.software = software
    }

    /// Parses a presence. `nil` for any other content.
    package init?(_ payload: [UInt8]) {
        guard let members = try? JSONText(payload[...], limit: 1 << 10).members(["online", "software"]),
            let isOnline = try? members.required("online").boolean()
        else { return nil }
        guard let member = members["software"] else {
            self.init(isOnline: isOnline, software: "")
            return
        }
        // Printable ASCII only: PostgreSQL stores no NUL in a text, and the value appears on the operator's
        // page.
        guard let software = try? member.string(upTo: 64),
            software.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.init(isOnline: isOnline, software: software)
    }

    package var payload: [UInt8] {
        let software: [(String, JSONValue)] =
            self.software.isEmpty ? [] : [("software", .string(self.software))]
        return JSONValue.object([("online", .boolean(isOnline))] + software).utf8
    }
}
