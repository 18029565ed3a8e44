internal import Glibc
package import Transport

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
