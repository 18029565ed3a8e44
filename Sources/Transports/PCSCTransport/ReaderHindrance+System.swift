internal import Glibc

extension ReaderHindrance {
    /// Looks at this computer. What cannot be read, as in a container, counts as not there.
    ///
    /// Reads a few small files of the kernel's; call it from a self-test, not from a transaction.
    package static func onThisComputer(
        listed: Set<USBIdentity>, usbDevices: String = "/sys/bus/usb/devices",
        modules: String = "/proc/modules"
    ) -> [ReaderHindrance] {
        let devices = names(in: usbDevices).compactMap { device(at: "\(usbDevices)/\($0)") }
        let loaded = text(of: modules).split(separator: "\n").compactMap { $0.split(separator: " ").first }
        return all(devices: Set(devices), modules: Set(loaded.map(String.init)), listed: listed)
    }

    private static func device(at path: String) -> USBIdentity? {
        USBIdentity("\(firstWord(of: "\(path)/idVendor")):\(firstWord(of: "\(path)/idProduct"))")
    }

    private static func firstWord(of path: String) -> Substring {
        text(of: path).split { $0.isWhitespace }.first ?? ""
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

    /// The beginning of a file, at most 64 KiB.
    private static func text(of path: String) -> String {
        guard let file = unsafe fopen(path, "re") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
