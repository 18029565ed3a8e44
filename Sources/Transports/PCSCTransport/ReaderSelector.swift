package import Transport

/// Which reader to use, as an installation names it.
package enum ReaderSelector: Equatable, Sendable {
    case any
    /// A part of the reader's name, in any case of letters; the whole name pins one slot.
    case name(containing: String)
    case usb(USBIdentity)

    /// `072f:2200` is a USB identity, an empty text any reader, everything else a part of a name.
    package init(_ text: String) {
        if text.isEmpty {
            self = .any
        } else if let usb = USBIdentity(text) {
            self = .usb(usb)
        } else {
            self = .name(containing: text)
        }
    }

    /// The readers to try, the most promising first: antennas, then slots that do not say, and what is not
    /// recommended last. Contact and security module slots are never among them (Q127).
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

    private static func rank(_ reader: ReaderDescription) -> Int {
        (reader.quirks.contains(.tpduLevel) ? 2 : 0) + (reader.slot == .contactless ? 0 : 1)
    }
}
