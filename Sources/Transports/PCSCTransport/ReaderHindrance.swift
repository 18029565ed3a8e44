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
    package static func all(
        devices: Set<USBIdentity>, modules: Set<String>, listed: Set<USBIdentity>
    ) -> [ReaderHindrance] {
        devices.subtracting(listed)
            .sorted { ($0.vendor, $0.product) < ($1.vendor, $1.product) }
            .compactMap { hindrance(of: $0, modules: kernelModules.filter(modules.contains)) }
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
    /// Reads a few small files of the kernel's; call it from a self-test, not from a transaction.
    package static func onThisComputer(
        listed: Set<USBIdentity>, usbDevices: String = "/sys/bus/usb/devices",
        modules: String = "/proc/modules"
    ) -> [ReaderHindrance] {
        let devices = names(in: usbDevices).compactMap { SystemFile.usbIdentity(at: "\(usbDevices)/\($0)") }
        let lines = (SystemFile.text(of: modules) ?? "").split(separator: "\n")
        let loaded = lines.compactMap { $0.split(separator: " ").first }
        return all(devices: Set(devices), modules: Set(loaded.map(String.init)), listed: listed)
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
