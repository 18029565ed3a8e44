/// The name of a chain, a site, a group or a kiosk: 1 to 48 small letters, digits and hyphens, of which the first is no hyphen.
/// It stands in certificates, topics and paths without quotation.
package struct FleetName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let requirement =
        "must be 1 to 48 small letters, digits or hyphens, the first of them not a hyphen"

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

/// For whom a document is, from all kiosks to one. What a later level says replaces what an earlier one says.
package enum FleetLevel: String, CaseIterable, Sendable {
    case chain, site, group, kiosk
}

/// Where a kiosk belongs, as the file on the kiosk says: the hub cannot move it to other documents.
package struct FleetMembership: Equatable, Sendable {
    package let chain: FleetName
    /// Nil if the chain has no sites, or this kiosk is at none.
    package let site: FleetName?
    package let group: FleetName?
    package let kiosk: FleetName

    package init(chain: FleetName, site: FleetName?, group: FleetName?, kiosk: FleetName) {
        self.chain = chain
        self.site = site
        self.group = group
        self.kiosk = kiosk
    }

    /// The name of its document at a level; nil if it has none there.
    package func name(at level: FleetLevel) -> FleetName? {
        switch level {
        case .chain: chain
        case .site: site
        case .group: group
        case .kiosk: kiosk
        }
    }
}
