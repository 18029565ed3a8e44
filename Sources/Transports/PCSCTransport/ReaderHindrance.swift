internal import Glibc
package import Transport

/// Why a reader that is plugged in is not one pcscd lists.
package enum ReaderHindrance: Equatable, Sendable {
    /// The kernel's NFC modules are loaded and have, or may have, taken the device (Q124).
    case takenByKernelNFC(USBIdentity, model: String, modules: [String])
    /// The device is an NFC reader, but not one of the CCID class, so no driver of pcscd's knows it (Q138).
    case notCCID(USBIdentity, model: String)
    /// pcscd runs and does not list a model it has a driver for: firmware too old or hanging (Q125: update, plug in
    /// again), or hidden by a filter in pcscd's environment (Q135).
    case notListed(USBIdentity, model: String)
    /// No driver of pcscd's lists the device: the driver is older than the reader (Q211).
    case unknownToDrivers(USBIdentity, model: String)

    /// The modules of the kernel that drive NFC chips themselves.
    package static let kernelModules = ["pn533_usb", "pn533", "nfc"]

    private struct NotCCID: Sendable {
        let vendor: UInt16
        /// Nil for all of that vendor's.
        let product: UInt16?
        let model: String
    }

    private static let readersNotCCID = [
        NotCCID(vendor: 0x04cc, product: 0x2533, model: "NXP PN533"),
        NotCCID(vendor: 0x04e6, product: 0x5591, model: "SCM SCL3711"),
        NotCCID(vendor: 0x1fd3, product: 0x0608, model: "ASK LoGO"),
        NotCCID(vendor: 0x0ab1, product: nil, model: "FEIG"),
    ]

    /// Compares what is plugged in with what pcscd lists.
    ///
    /// - Parameters:
    ///   - devices: the USB devices there are.
    ///   - modules: the names of the kernel modules loaded.
    ///   - listed: the USB identities of the readers pcscd lists.
    ///   - smartCard: those of `devices` that are of the USB class of smart-card readers.
    ///   - driven: the devices that pcscd's drivers list; empty if that is not known.
    package static func all(
        devices: Set<USBIdentity>, modules: Set<String>, listed: Set<USBIdentity>,
        smartCard: Set<USBIdentity> = [], driven: Set<USBIdentity> = []
    ) -> [ReaderHindrance] {
        devices.subtracting(listed)
            .sorted { ($0.vendor, $0.product) < ($1.vendor, $1.product) }
            .compactMap { device in
                unknown(device, isSmartCard: smartCard.contains(device), driven)
                    ?? hindrance(of: device, modules: kernelModules.filter(modules.contains))
            }
    }

    private static func unknown(
        _ device: USBIdentity, isSmartCard: Bool, _ driven: Set<USBIdentity>
    ) -> ReaderHindrance? {
        let model = ReaderModel.known(as: device)
        guard !driven.isEmpty, !driven.contains(device), isSmartCard || model != nil else { return nil }
        return .unknownToDrivers(device, model: model?.name ?? "smart-card reader")
    }

    private static func hindrance(of device: USBIdentity, modules: [String]) -> ReaderHindrance? {
        let foreign = readersNotCCID.first {
            $0.vendor == device.vendor && ($0.product ?? device.product) == device.product
        }
        if let foreign { return .notCCID(device, model: foreign.model) }
        guard let model = ReaderModel.known(as: device) else { return nil }
        return model.quirks.contains(.takenByKernelNFC) && !modules.isEmpty
            ? .takenByKernelNFC(device, model: model.name, modules: modules)
            : .notListed(device, model: model.name)
    }
}

extension ReaderHindrance {
    /// Looks at this computer. What cannot be read, as in a container, counts as not there.
    ///
    /// Reads a few small files of the kernel's and of pcscd's drivers; call it from a self-test, not from a
    /// transaction.
    package static func onThisComputer(
        listed: Set<USBIdentity>, usbDevices: String = "/sys/bus/usb/devices",
        modules: String = "/proc/modules", drivers: String = DriverList.folder
    ) -> [ReaderHindrance] {
        let entries = names(in: usbDevices)
        let devices = entries.compactMap { SystemFile.usbIdentity(at: "\(usbDevices)/\($0)") }
        // An interface is named for its device: 1-2:1.0 is of 1-2.
        let smartCard = entries.filter {
            $0.contains(":") && SystemFile.firstWord(of: "\(usbDevices)/\($0)/bInterfaceClass") == "0b"
        }.compactMap { SystemFile.usbIdentity(at: "\(usbDevices)/\($0.prefix { $0 != ":" })") }
        let lines = (SystemFile.text(of: modules) ?? "").split(separator: "\n")
        let loaded = lines.compactMap { $0.split(separator: " ").first }
        let lists = names(in: drivers).compactMap {
            SystemFile.text(of: "\(drivers)/\($0)/Contents/Info.plist")
        }
        return all(
            devices: Set(devices), modules: Set(loaded.map(String.init)), listed: listed,
            smartCard: Set(smartCard), driven: Set(lists.flatMap { DriverList($0).devices }))
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
