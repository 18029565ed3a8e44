internal import Transport

/// An adapter model with known quirks. An adapter whose model is not in `all` is used as the adapter
/// describes itself.
package struct AdapterModel: Sendable {
    /// The property that identifies a model.
    enum Identity: Sendable {
        case usb(USBIdentity)
        /// A radio on the board, connected by a serial line, with the number of its maker.
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
        // The maker of the Raspberry Pi's radios has two numbers.
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

/// A property of an adapter that the adapter does not report.
package enum AdapterQuirk: String, Sendable, CaseIterable {
    /// Was seen to drop Android phones after 5 s. Concerns the radio of a Raspberry Pi (Q106).
    case dropsPhonesEarly = "bluetooth.drops_phones_early"
    /// Receives no advertisement without its firmware, which some kernels fail to load. Only plugging the
    /// adapter in again resets the adapter (Q109).
    case deafWithoutFirmware = "bluetooth.deaf_without_firmware"
    /// Runs without its firmware now (Q109).
    case firmwareMissing = "bluetooth.firmware_missing"
}
