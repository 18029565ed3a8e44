/// The USB device to which a device of the kernel belongs, read from a path below `/sys/devices`.
struct USBPlace: Equatable {
    /// The name in `/sys/bus/usb/devices`, such as `1-1.2`: the bus, and the ports on the way to the device.
    /// It stays the same as long as the device is plugged into the same port.
    let name: String
    /// The folder of the USB device, with its texts.
    let folder: String

    /// Finds the USB device that is nearest to the end of a path without links. Returns `nil` for a path
    /// without a USB device, such as that of a virtual device.
    init?(devicePath: String) {
        let names = devicePath.split(separator: "/", omittingEmptySubsequences: false)
        // Devices of other buses have similar names, such as `0-0050` of an I2C device. A USB device is below
        // its bus.
        guard let index = names.lastIndex(where: Self.isDevice),
            names[..<index].contains("usb\(names[index].prefix { $0 != "-" })")
        else { return nil }
        name = String(names[index])
        folder = names[...index].joined(separator: "/")
    }

    /// Whether a name is one of a USB device: `1-1.2`. The name of an interface has a colon: `1-1.2:1.0`.
    private static func isDevice(_ name: Substring) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        return isNumber(parts[0])
            && parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isNumber)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
