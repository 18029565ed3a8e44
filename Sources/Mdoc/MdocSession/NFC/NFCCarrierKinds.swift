/// Kinds of carriers, for naming them in an end reason.
package struct NFCCarrierKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let nfc = Self(rawValue: 1)
    package static let peripheralServer = Self(rawValue: 2)
    package static let centralClient = Self(rawValue: 4)
    /// A record of a known carrier that cannot be read, or that lacks what it needs.
    package static let unreadable = Self(rawValue: 8)
    /// Bluetooth BR/EDR, Wi-Fi Aware and the like.
    package static let foreign = Self(rawValue: 16)
}
