/// The name of a chain, a site, a group or a kiosk: 1 to 48 lower-case letters, digits and hyphens, not
/// beginning with a hyphen. Such a name needs no quoting in certificates, MQTT topics and paths.
package struct FleetName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let requirement =
        "must be 1 to 48 small letters, digits or hyphens, and must not begin with a hyphen"

    package let text: String

    package init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard (1...48).contains(bytes.count), bytes.first != UInt8(ascii: "-"),
            bytes.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        self.text = String(text)
    }

    package var description: String { text }

    package static func < (one: FleetName, other: FleetName) -> Bool { one.text < other.text }
}

/// The scope of a document, from all kiosks of a chain to one kiosk. A later case overrides an earlier one.
package enum FleetLevel: String, CaseIterable, Sendable {
    case chain, site, group, kiosk
}

/// The chain, site and group of a kiosk, as the kiosk's own file states them, so that a hub cannot assign the
/// kiosk other documents.
package struct FleetMembership: Equatable, Sendable {
    package let chain: FleetName
    /// The kiosk's site, or `nil` if it has none.
    package let site: FleetName?
    /// The kiosk's group, or `nil` if it has none.
    package let group: FleetName?
    package let kiosk: FleetName

    package init(chain: FleetName, site: FleetName?, group: FleetName?, kiosk: FleetName) {
        self.chain = chain
        self.site = site
        self.group = group
        self.kiosk = kiosk
    }

    /// Returns the name of the kiosk's chain, site or group, or of the kiosk itself. The kiosk's document at
    /// this level has this name. `nil` if the kiosk has no site or group.
    package func name(at level: FleetLevel) -> FleetName? {
        switch level {
        case .chain: chain
        case .site: site
        case .group: group
        case .kiosk: kiosk
        }
    }
}
