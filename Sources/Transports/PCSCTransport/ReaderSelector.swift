package import Transport

/// The reader that an installation has chosen.
package enum ReaderSelector: Equatable, Sendable {
    case any
    /// All readers whose name contains a text, without regard to case. The whole name selects one slot.
    case name(containing: String)
    case usb(USBIdentity)

    /// Parses a setting: `072f:2200` is a USB identity, an empty text means any reader, and every other text
    /// is a part of a name.
    package init(_ text: String) {
        if text.isEmpty {
            self = .any
        } else if let usb = USBIdentity(text) {
            self = .usb(usb)
        } else {
            self = .name(containing: text)
        }
    }

    /// Returns the readers to try, in order: antennas, slots of unknown kind, and readers that are not
    /// recommended. Contact slots and slots for security modules are never returned (Q127).
    package func candidates(among readers: [ReaderDescription]) -> [ReaderDescription] {
        readers
            .filter { $0.slot != .contact && $0.slot != .securityModule && selects($0) }
            .enumerated()
            .sorted { (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset) }
            .map(\.element)
    }

    private func selects(_ reader: ReaderDescription) -> Bool {
        switch self {
        case .any: true
        case .name(let part): reader.name.lowercased().contains(part.lowercased())
        case .usb(let identity): reader.usb == identity
        }
    }

    /// Returns the place of a reader in the order of candidates, from 0. A reader that is not recommended
    /// comes after all recommended readers, whatever its slot (Q123).
    private static func rank(_ reader: ReaderDescription) -> Int {
        (reader.quirks.contains(.tpduLevel) ? 2 : 0) + (reader.slot == .contactless ? 0 : 1)
    }
}
