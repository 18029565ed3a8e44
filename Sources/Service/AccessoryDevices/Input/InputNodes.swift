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

    private static func number(_ path: String) -> UInt16? {
        SystemFiles.text(of: path).flatMap { UInt16($0, radix: 16) }
    }
}
