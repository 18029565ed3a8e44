internal import Glibc
package import Transport

/// A reason why pcscd does not list a reader that is plugged in.
package enum ReaderHindrance: Equatable, Sendable {
    /// The kernel's NFC modules are loaded and have probably taken the device (Q124).
    case takenByKernelNFC(USBIdentity, model: String, modules: [String])
    /// The device is an NFC reader but not of the USB class CCID, so none of pcscd's drivers supports it
    /// (Q138).
    case notCCID(USBIdentity, model: String)
    /// pcscd runs and has a driver for the model, but does not list it. The reader's firmware may be too old
    /// or may hang (update the firmware, or plug the reader in again, Q125), or a filter in pcscd's
    /// environment hides the reader (Q135).
    case notListed(USBIdentity, model: String)
    /// None of pcscd's drivers lists the device, because the drivers are older than the reader (Q211).
    case unknownToDrivers(USBIdentity, model: String)

    /// The kernel modules that use NFC chips themselves.
    package static let kernelModules = ["pn533_usb", "pn533", "nfc"]

    /// An NFC reader that is not of the USB class CCID.
    private struct NotCCID: Sendable {
        let vendor: UInt16
        /// The product number; `nil` for all products of the vendor.
        let product: UInt16?
        let model: String
    }

    private static let readersNotCCID = [
        NotCCID(vendor: 0x04cc, product: 0x2533, model: "NXP PN533"),
        NotCCID(vendor: 0x04e6, product: 0x5591, model: "SCM SCL3711"),
        NotCCID(vendor: 0x1fd3, product: 0x0608, model: "ASK LoGO"),
        NotCCID(vendor: 0x0ab1, product: nil, model: "FEIG"),
    ]

    /// Compares the USB devices with the readers that pcscd lists.
    ///
    /// - Parameters:
    ///   - devices: the USB devices that are plugged in.
    ///   - modules: the names of the loaded kernel modules.
    ///   - listed: the USB identities of the readers that pcscd lists.
    ///   - smartCard: the members of `devices` that are of the USB class of smart-card readers.
    ///   - driven: the devices that pcscd's drivers list; empty if that is not known.
    package static func all(
        devices: Set<USBIdentity>, modules: Set<String>, listed: Set<USBIdentity>,
        smartCard: Set<USBIdentity> = [], driven: Set<USBIdentity> = []
    ) -> [ReaderHindrance] {
        devices.subtracting(listed)
            .sorted { ($0.vendor, $0.product) < ($1.vendor, $1.product) }
            .compactMap { device in
                unknown(device, isSmartCard: smartCard.contains(device), driven: driven)
                    ?? hindrance(of: device, modules: kernelModules.filter(modules.contains))
            }
    }

    /// Returns `unknownToDrivers` for a reader that no driver lists; `nil` for any other device, and if the
    /// drivers' lists are not known.
    private static func unknown(
        _ device: USBIdentity, isSmartCard: Bool, driven: Set<USBIdentity>
    ) -> ReaderHindrance? {
        let model = ReaderModel.known(as: device)
        guard !driven.isEmpty, !driven.contains(device), isSmartCard || model != nil else { return nil }
        return .unknownToDrivers(device, model: model?.name ?? "smart-card reader")
    }

    /// Returns the reason why pcscd does not list a device. The device must be a known model, or a reader
    /// that is not CCID; for any other device the result is `nil`.
    ///
    /// - Parameter modules: the loaded kernel modules that use NFC chips.
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
    /// Returns the reasons why pcscd does not list readers that are plugged into this computer. Files that
    /// cannot be read, as in a container, count as absent.
    ///
    /// Reads small files of the kernel and of pcscd's drivers. Call it from a self-test, not from a
    /// transaction.
    package static func onThisComputer(
        listed: Set<USBIdentity>, usbDevices: String = "/sys/bus/usb/devices",
        modules: String = "/proc/modules", drivers: String = DriverList.folder
    ) -> [ReaderHindrance] {
        let entries = names(in: usbDevices)
        let devices = entries.compactMap { SystemFile.usbIdentity(at: "\(usbDevices)/\($0)") }
        // Interfaces of the class 0b are smart-card readers. The name of an interface begins with the name of
        // its device: 1-2:1.0 belongs to 1-2.
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

    /// Returns the names in a folder, without hidden names. Empty if the folder cannot be read.
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
