package import Transport

package struct AdapterDescription: Equatable, Sendable {
    /// What the kernel says of the device; nil for what it does not.
    package struct Controller: Equatable, Sendable {
        /// From the Bluetooth SIG's list of companies.
        package var manufacturer: UInt16?
        /// The version of the HCI: 6 is Bluetooth 4.0.
        package var hciVersion: UInt8?
        /// The maker's own version of firmware or chip; known if the adapter is switched on.
        package var revision: UInt16?
        package var subversion: UInt16?
        package var mode: AdapterMode?
        package var usb: USBIdentity?
        /// Behind a serial line, as on a board.
        package var isSerial = false

        package init() {}

        /// The Bluetooth version that its HCI belongs to (Assigned Numbers 2.1).
        package var bluetoothVersion: String? {
            guard let hciVersion, hciVersion >= 1, hciVersion <= Self.versions.count else { return nil }
            return Self.versions[Int(hciVersion) - 1]
        }

        private static let versions = [
            "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
            "6.1",
        ]
    }

    /// How many advertisements an adapter can carry at a time.
    package struct Advertising: Equatable, Sendable {
        package let active: Int
        /// Left for this program and others (Q85).
        package let free: Int

        package init(active: Int, free: Int) {
            self.active = active
            self.free = free
        }
    }

    /// Like `hci0`.
    package let name: String
    package let isPowered: Bool
    package let isPairable: Bool
    /// Nil for an adapter that cannot advertise, and with it not serve.
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

    package var model: AdapterModel? { AdapterModel.known(as: controller) }

    package var quirks: Set<AdapterQuirk> {
        var quirks = model?.quirks ?? []
        // What the chip says of itself before firmware is loaded into it.
        let isBare = controller.subversion == 0x8761 && controller.revision == 0x000b
        if quirks.contains(.deafWithoutFirmware), isBare { quirks.insert(.firmwareMissing) }
        return quirks
    }
}

extension AdapterDescription {
    /// From the properties that bluetoothd shows.
    init(name: String, interfaces: BusInterfaces, controller: Controller) {
        let adapter = interfaces["org.bluez.Adapter1"]
        let manager = interfaces["org.bluez.LEAdvertisingManager1"]
        self.init(
            name: name, isPowered: adapter?["Powered"]?.flag == true,
            isPairable: adapter?["Pairable"]?.flag == true,
            advertising: manager.map {
                Advertising(
                    active: $0["ActiveInstances"]?.number ?? 0, free: $0["SupportedInstances"]?.number ?? 0)
            }, controller: controller)
    }
}
