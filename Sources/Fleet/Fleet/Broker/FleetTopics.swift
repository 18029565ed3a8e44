internal import JSON

/// The topics of a chain. The broker's rules let a kiosk publish its own presence and read the notices for it, and nothing else.
package struct FleetTopics: Sendable {
    package let root: String

    package init(_ chain: FleetName) {
        root = "countersign/1/\(chain)"
    }

    /// The change notice for all kiosks.
    package var notice: String { "\(root)/notice" }
    /// What a hub listens to.
    package var allPresences: String { "\(root)/kiosk/+/presence" }

    /// The name of a kiosk's client at the broker: no other account may use it.
    package static func client(of kiosk: FleetName) -> String { "countersign-\(kiosk)" }

    package func notice(for kiosk: FleetName) -> String { "\(root)/kiosk/\(kiosk)/notice" }
    package func presence(of kiosk: FleetName) -> String { "\(root)/kiosk/\(kiosk)/presence" }

    /// The kiosk whose presence this topic is; nil for another topic.
    package func kiosk(ofPresence topic: String) -> FleetName? {
        guard topic.hasPrefix("\(root)/kiosk/"), topic.hasSuffix("/presence") else { return nil }
        return FleetName(topic.dropFirst("\(root)/kiosk/".count).dropLast("/presence".count))
    }
}

/// Says that something is newer, and nothing of what: whoever can write to the broker makes a kiosk ask the hub and no more.
package struct ChangeNotice: Equatable, Sendable {
    /// Over how many seconds kiosks spread their questions at most.
    package static let widestSpread: Int64 = 60

    package let change: Int64
    package let spreadSeconds: Int64

    package init(change: Int64, spreadSeconds: Int64) {
        self.change = change
        self.spreadSeconds = spreadSeconds
    }

    /// Nil for anything else.
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

/// Whether a kiosk is there, as it says itself or the broker says for it.
package struct KioskPresence: Equatable, Sendable {
    package static let offline = KioskPresence(isOnline: false, software: "")

    package let isOnline: Bool
    /// The program's version; empty if the broker speaks.
    package let software: String

    package init(isOnline: Bool, software: String) {
        self.isOnline = isOnline
        self.software = software
    }

    /// Nil for anything else.
    package init?(_ payload: [UInt8]) {
        guard let members = try? JSONText(payload[...], limit: 1 << 10).members(["online", "software"]),
            let isOnline = try? members.required("online").boolean()
        else { return nil }
        guard let member = members["software"] else {
            self.init(isOnline: isOnline, software: "")
            return
        }
        // A database takes no NUL in a text, and nobody reads control characters.
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
