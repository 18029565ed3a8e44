internal import JSON

/// The MQTT topics of a chain of shops. On these topics, hubs publish change notices (`ChangeNotice`) and
/// kiosks publish whether they are online (`KioskPresence`). The broker's access rules allow a kiosk to
/// publish its own presence, and to subscribe to the notices for all kiosks and to the notices for itself.
package struct FleetTopics: Sendable {
    /// The beginning of every MQTT topic of this chain of shops.
    package let root: String

    package init(_ chain: FleetName) {
        root = "countersign/1/\(chain)"
    }

    /// The topic of change notices for all kiosks.
    package var notice: String { "\(root)/notice" }
    /// The topic pattern of the presence messages of all kiosks, to which a hub subscribes.
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

/// A message to kiosks that something has changed at the hub. A kiosk that receives the notice requests its
/// desired state from the hub. The notice does not contain the change. A client that can publish at the
/// broker can therefore make kiosks send this request, and nothing more.
package struct ChangeNotice: Equatable, Sendable {
    /// The maximum time over which kiosks spread their requests to the hub, in seconds.
    package static let widestSpread: Int64 = 60

    /// The number of the change, from a counter in the hubs' database.
    package let change: Int64
    /// The time over which the kiosks spread their requests to the hub, in seconds.
    package let spreadSeconds: Int64

    package init(change: Int64, spreadSeconds: Int64) {
        self.change = change
        self.spreadSeconds = spreadSeconds
    }

    /// Parses the payload of a notice. `nil` if the payload is malformed.
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

/// The message that says whether a kiosk is online. The kiosk publishes the message itself. If the broker
/// loses the connection to the kiosk, it publishes the kiosk's MQTT will, which is the message that the kiosk
/// is offline.
package struct KioskPresence: Equatable, Sendable {
    package static let offline = KioskPresence(isOnline: false, software: "")

    package let isOnline: Bool
    /// The version of the kiosk's program; empty if the kiosk is offline.
    package let software: String

    package init(isOnline: Bool, software: String) {
        self.isOnline = isOnline
        self.software = software
    }

    /// Parses the payload of a presence message. `nil` if the payload is malformed.
    package init?(_ payload: [UInt8]) {
        guard let members = try? JSONText(payload[...], limit: 1 << 10).members(["online", "software"]),
            let isOnline = try? members.required("online").boolean()
        else { return nil }
        guard let member = members["software"] else {
            self.init(isOnline: isOnline, software: "")
            return
        }
        // Only printable ASCII is accepted, because PostgreSQL stores no NUL in a text, and because the value
        // appears on the operator's page.
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
