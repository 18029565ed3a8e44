internal import Transport

/// An adapter model with known quirks. An adapter whose model is not in `all` is assumed to have no quirks.
package struct AdapterModel: Sendable {
    /// The property that identifies a model.
    enum Identity: Sendable {
        case usb(USBIdentity)
        /// A radio on the computer's board, connected by a serial line. Identified by the maker's number.
        case serial(manufacturer: UInt16)
    }

    let identity: Identity
    package let name: String
    package let quirks: Set<AdapterQuirk>

    private init(_ identity: Identity, _ name: String, _ quirks: Set<AdapterQuirk>) {
        self.identity = identity
        self.name = name
        self.quirks = quirks
    }

    /// Creates a USB model with the chip RTL8761B, which receives nothing without its firmware (Q109).
    private init(_ vendor: UInt16, _ product: UInt16, _ name: String) {
        self.init(.usb(USBIdentity(vendor: vendor, product: product)), name, [.deafWithoutFirmware])
    }

    /// Returns the model of a controller; `nil` if it has no known quirks.
    static func known(as controller: AdapterDescription.Controller) -> AdapterModel? {
        all.first { model in
            switch model.identity {
            case .usb(let usb): controller.usb == usb
            case .serial(let manufacturer):
                controller.isSerial && controller.manufacturer == manufacturer
            }
        }
    }

    package static let all: [AdapterModel] = [
        // The maker of the Raspberry Pi's radios has two manufacturer numbers.
        AdapterModel(.serial(manufacturer: 15), "Broadcom on board", [.dropsPhonesEarly]),
        AdapterModel(.serial(manufacturer: 305), "Cypress on board", [.dropsPhonesEarly]),
        AdapterModel(0x0bda, 0x8771, "Realtek RTL8761B"),
        AdapterModel(0x0bda, 0xa728, "Realtek RTL8761B"),
        AdapterModel(0x0b05, 0x190e, "ASUS BT500 (RTL8761B)"),
        AdapterModel(0x2357, 0x0604, "TP-Link UB500 (RTL8761B)"),
        AdapterModel(0x7392, 0xc611, "Edimax BT-8500 (RTL8761B)"),
        AdapterModel(0x2550, 0x8761, "RTL8761B"),
        AdapterModel(0x2b89, 0x8761, "UGREEN (RTL8761B)"),
        AdapterModel(0x2c4e, 0x0115, "RTL8761B"),
        AdapterModel(0x6655, 0x8771, "RTL8761B"),
    ]
}

/// A known fault of an adapter, which the adapter itself does not report.
package enum AdapterQuirk: String, Sendable, CaseIterable {
    /// The adapter, the radio of a Raspberry Pi, was seen to drop Android phones after 5 s (Q106).
    case dropsPhonesEarly = "bluetooth.drops_phones_early"
    /// The adapter receives no advertisement without its firmware, which some kernels fail to load. Only
    /// plugging the adapter in again resets it (Q109).
    case deafWithoutFirmware = "bluetooth.deaf_without_firmware"
    /// The adapter now runs without its firmware (Q109).
    case firmwareMissing = "bluetooth.firmware_missing"
}
