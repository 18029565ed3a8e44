internal import Accessories

/// The event nodes of input devices, as the kernel describes them below `/sys`.
enum InputNodes {
    /// The folder of the kernel with the input devices.
    static let folder = "/sys/class/input"

    /// Returns the names of the event nodes of a USB device, such as `event3`. A device with several
    /// interfaces has several nodes.
    ///
    /// No node is opened, so that another keyboard's node is never touched.
    static func names(of usb: USBIdentity, in folder: String = folder) -> [String] {
        SystemFiles.names(in: folder, beginningWith: "event").filter { name in
            number("\(folder)/\(name)/device/id/vendor") == usb.vendor
                && number("\(folder)/\(name)/device/id/product") == usb.product
        }
    }

    /// Whether an input device has the keys of a keyboard (`keysOfKeyboards`).
    ///
    /// - Parameter path: the file `capabilities/key` of the device, with the bits of the keys in hexadecimal words. The
    ///   last word has the first 64 keys, which contain all letters.
    static func isKeyboard(_ path: String) -> Bool {
        guard let word = SystemFiles.text(of: path)?.split(separator: " ").last,
            let bits = UInt64(word, radix: 16)
        else { return false }
        return KeyboardDevice.keysOfKeyboards.allSatisfy { bits & (1 << UInt64($0)) != 0 }
    }

    private static func number(_ path: String) -> UInt16? {
        SystemFiles.text(of: path).flatMap { UInt16($0, radix: 16) }
    }
}
