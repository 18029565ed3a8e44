internal import Accessories

/// The bus and the numbers of a HID device, as the kernel writes them in `uevent`.
struct HIDIdentity: Equatable {
    /// The bus; 3 is USB (linux/input.h).
    let bus: UInt16
    let usb: USBIdentity

    /// Reads the line `HID_ID=0003:00000C2E:00000B67` of a HID device's `uevent`. Returns `nil` if the text
    /// has no such line or more than one, or if a number is malformed.
    init?(uevent text: String) {
        let key = "HID_ID="
        let lines = text.split(separator: "\n").filter { $0.hasPrefix(key) }
        guard lines.count == 1, let line = lines.first else { return nil }
        let parts = line.dropFirst(key.count).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 8, 8],
            let bus = UInt16(parts[0], radix: 16), let vendor = UInt16(parts[1], radix: 16),
            let product = UInt16(parts[2], radix: 16)
        else { return nil }
        self.bus = bus
        usb = USBIdentity(vendor: vendor, product: product)
    }
}
