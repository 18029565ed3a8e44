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

/// The scope of a document, from all kiosks of a chain to one kiosk. A document of a later case overrides the
/// documents of earlier cases.
package enum FleetLevel: String, CaseIterable, Sendable {
    case chain, site, group, kiosk
}

/// The chain, site and group of a kiosk. They come from the kiosk's own file and not from a hub, so a hub
/// cannot give the kiosk documents for another site or group.
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

    /// Returns the kiosk's own name, or the name of its chain, site or group, depending on the level. The
    /// kiosk accepts only documents with this name at this level. `nil` for the level of the site or group if
    /// the kiosk has none.
    package func name(at level: FleetLevel) -> FleetName? {
        switch level {
        case .chain: chain
        case .site: site
        case .group: group
        case .kiosk: kiosk
        }
    }
}
