package import Transport

/// A Bluetooth adapter with its settings, its controller and its known quirks, for `countersign doctor` and
/// `countersign readers`.
package struct AdapterDescription: Equatable, Sendable {
    /// The controller of an adapter as the kernel describes it. A value that the kernel does not report is
    /// `nil`.
    package struct Controller: Equatable, Sendable {
        /// The maker's number in the Bluetooth SIG's list of companies.
        package var manufacturer: UInt16?
        /// The version of the HCI; 6 is Bluetooth 4.0.
        package var hciVersion: UInt8?
        /// The maker's version of the firmware. Known only if the adapter is switched on.
        package var revision: UInt16?
        /// The maker's version of the chip or its link layer. Known only if the adapter is switched on.
        package var subversion: UInt16?
        /// The kinds of Bluetooth that the adapter is used for.
        package var mode: AdapterMode?
        /// The USB identity; `nil` if the adapter is not a USB adapter.
        package var usb: USBIdentity?
        /// Whether the controller is connected by a serial line, as on a board.
        package var isSerial = false

        package init() {}

        /// The Bluetooth version that belongs to the version of the HCI (Assigned Numbers 2.1).
        package var bluetoothVersion: String? {
            guard let hciVersion, hciVersion >= 1, hciVersion <= Self.versions.count else { return nil }
            return Self.versions[Int(hciVersion) - 1]
        }

        private static let versions = [
            "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
            "6.1",
        ]
    }

    /// The number of active advertisements on an adapter, and the number that can still be added.
    package struct Advertising: Equatable, Sendable {
        /// The number of advertisements that are active.
        package let active: Int
        /// The number of advertisements that can be added, by this program or another program (Q85).
        package let free: Int

        package init(active: Int, free: Int) {
            self.active = active
            self.free = free
        }
    }

    /// The name of the adapter, such as `hci0`.
    package let name: String
    package let isPowered: Bool
    package let isPairable: Bool
    /// The number of active advertisements and the number that can still be added; `nil` for an adapter that
    /// cannot advertise and therefore cannot be a GATT server.
    package let advertising: Advertising?
    package let controller: Controller

    package init(
        name: String, isPowered: Bool, isPairable: Bool, advertising: Advertising?, controller: Controller
    ) {
        self.name = name
        self.isPowered = isPowered
        self.isPairable = isPairable
        self.advertising = advertising
        self.controller = controller
    }

    /// The model of the adapter; `nil` if the adapter has no known quirks.
    package var model: AdapterModel? { AdapterModel.known(as: controller) }

    package var quirks: Set<AdapterQuirk> {
        var quirks = model?.quirks ?? []
        // The chip has these versions before its firmware is loaded (Q109).
        let isBare = controller.subversion == 0x8761 && controller.revision == 0x000b
        if quirks.contains(.deafWithoutFirmware), isBare { quirks.insert(.firmwareMissing) }
        return quirks
    }
}

extension AdapterDescription {
    /// Creates a description from the properties of bluetoothd's adapter object.
    init(name: String, interfaces: BusInterfaces, controller: Controller) {
        let adapter = interfaces["org.bluez.Adapter1"]
        let manager = interfaces["org.bluez.LEAdvertisingManager1"]
        self.init(
            name: name, isPowered: adapter?["Powered"]?.flag == true,
            isPairable: adapter?["Pairable"]?.flag == true,
            advertising: manager.map {
                // bluetoothd's `SupportedInstances` is the number that can still be added, not the total.
                Advertising(
                    active: $0["ActiveInstances"]?.number ?? 0, free: $0["SupportedInstances"]?.number ?? 0)
            }, controller: controller)
    }
}
