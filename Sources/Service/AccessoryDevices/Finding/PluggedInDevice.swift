package import Accessories

/// A plugged-in device that may be an accessory, as the kernel describes it. The device was not opened.
///
/// The kind says what the device could be, never what it does: no kind means that a relay opens a door.
package struct PluggedInDevice: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// A serial line of a scanner.
        case serialScanner
        /// A scanner of the HID usage page 8Ch ("HID POS").
        case hidPOSScanner
        /// A scanner that types, as a keyboard does.
        case keyboardScanner
        /// A serial line with a CH340 chip: an LCUS relay board, or any other device with this chip.
        case ch340
        /// A serial line whose USB device says that it is a KMTronic relay board.
        case kmtronic
        /// Any other serial line at USB.
        case serialLine
        /// A USBRelay board. `contacts` is the number in the product's name.
        case usbRelay(contacts: Int)
        /// A HIDRelay board.
        case hidRelay(contacts: Int)
        /// A GPIO chip of the computer or of an adapter.
        case gpioChip
    }

    package let kind: Kind
    /// The path that the configuration file can name, such as `/dev/serial/by-id/usb-…-if00` or `/dev/hidraw0`.
    package let path: String
    /// The USB numbers; `nil` for a device that is not at USB.
    package let usb: USBIdentity?
    /// The name in `/sys/bus/usb/devices`, such as `1-1.2`; `nil` for a device that is not at USB.
    package let usbPath: String?
    /// The texts of maker and product. They come from the device, and can contain anything.
    package let text: String

    package init(
        _ kind: Kind, path: String, usb: USBIdentity? = nil, usbPath: String? = nil, text: String = ""
    ) {
        (self.kind, self.path, self.usb, self.usbPath, self.text) = (kind, path, usb, usbPath, text)
    }
}

/// The rules by which the kind of a device follows from its numbers and texts.
enum DeviceRules {
    /// The makers that make scanners alone: Honeywell, Zebra, Datalogic, Newland, Opticon. The udev rules of the package
    /// have the same numbers.
    private static let scannerMakers: Set<UInt16> = [0x0c2e, 0x05e0, 0x05f9, 0x1eab, 0x065a]
    private static let ch340 = USBIdentity(vendor: 0x1a86, product: 0x7523)
    private static let scannerWords = ["scanner", "barcode", "bar code"]
    /// The contacts of the largest relay boards.
    private static let mostContacts = 8

    /// Whether the maker makes scanners alone, or the text says that the device is a scanner.
    static func isScanner(_ usb: USBIdentity?, _ text: String) -> Bool {
        if let usb, scannerMakers.contains(usb.vendor) { return true }
        let words = text.lowercased()
        return scannerWords.contains(where: words.contains)
    }

    /// Returns the kind of a serial line.
    static func kind(ofSerialLine usb: USBIdentity?, _ text: String) -> PluggedInDevice.Kind {
        if isScanner(usb, text) { return .serialScanner }
        if text.lowercased().contains("kmtronic") { return .kmtronic }
        return usb == ch340 ? .ch340 : .serialLine
    }

    /// Returns the kind of a relay board with the numbers 16c0:05df, or `nil` for another device with these numbers.
    static func kind(ofRelay text: String) -> PluggedInDevice.Kind? {
        if RelayFinder.isOfKind(RelayFinder.readableProduct, text) {
            return .usbRelay(contacts: contacts(in: text, after: RelayFinder.readableProduct))
        }
        if RelayFinder.isOfKind(RelayFinder.silentProduct, text) {
            return .hidRelay(contacts: contacts(in: text, after: RelayFinder.silentProduct))
        }
        return nil
    }

    /// Returns the number after the product's name: 2 for `USBRelay2`. Without a number from 1 to 8 it is 8, so that no
    /// contact is left out.
    private static func contacts(in text: String, after name: String) -> Int {
        let word = text.split(separator: " ").first { $0.hasPrefix(name) }
        let number = word.flatMap { Int($0.dropFirst(name.count)) } ?? mostContacts
        return (1...mostContacts).contains(number) ? number : mostContacts
    }
}
