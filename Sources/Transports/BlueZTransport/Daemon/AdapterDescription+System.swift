internal import CBlueZ
internal import Glibc
internal import Transport

extension AdapterDescription.Controller {
    /// Reads the description of a controller from the kernel and the controller itself. Takes at most 2 s and
    /// needs no privilege.
    ///
    /// - Parameter name: the name of the adapter, such as `hci0`.
    static func current(named name: String, devices: String = "/sys/class/bluetooth") -> Self {
        var controller = Self()
        // The folder `device` is the adapter's USB interface; the folder above it is the USB device.
        controller.usb = SystemFile.usbIdentity(at: "\(devices)/\(name)/device/..")
        guard name.hasPrefix("hci"), let number = UInt16(name.dropFirst(3)) else { return controller }
        if let information = ControllerInformation.current(ofDevice: number) {
            controller.manufacturer = information.manufacturer
            controller.hciVersion = information.hciVersion
            controller.mode = information.mode
        }
        var device = hci_dev_info()
        if unsafe hci_devinfo(Int32(number), &device) == 0 {
            // The low four bits of the type are the bus.
            controller.isSerial = device.type & 0x0f == UInt8(HCI_UART)
        }
        controller.readVersion(ofDevice: number)
        return controller
    }

    /// Reads the versions of the controller. An adapter that is off does not answer, so the versions stay
    /// `nil`.
    private mutating func readVersion(ofDevice number: UInt16) {
        let descriptor = hci_open_dev(Int32(number))
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var version = hci_version()
        // The limit of the wait is 1000 ms.
        guard unsafe hci_read_local_version(descriptor, &version, 1000) == 0 else { return }
        revision = version.hci_rev
        subversion = version.lmp_subver
    }
}
