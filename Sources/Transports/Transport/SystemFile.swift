internal import Glibc

/// Reads small files of the system and the kernel, such as settings and facts about a device or a process.
package enum SystemFile {
    /// The maximum number of bytes that are read; the rest of a longer file is ignored.
    package static let limit = 65_536

    /// Returns the first ``limit`` bytes of a file as text; `nil` if the file cannot be read.
    package static func text(of path: String) -> String? {
        bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the first ``limit`` bytes of a file; `nil` if the file cannot be read.
    package static func bytes(of path: String) -> [UInt8]? {
        // `e` closes the file in child processes.
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        guard unsafe ferror(file) == 0 else { return nil }
        return Array(bytes.prefix(count))
    }

    /// Returns the first word of a file; empty if the file cannot be read.
    package static func firstWord(of path: String) -> Substring {
        (text(of: path) ?? "").split { $0.isWhitespace }.first ?? ""
    }

    /// Returns the USB device whose `idVendor` and `idProduct` are in a folder of sysfs; `nil` if the folder
    /// does not have them.
    package static func usbIdentity(at folder: String) -> USBIdentity? {
        USBIdentity("\(firstWord(of: "\(folder)/idVendor")):\(firstWord(of: "\(folder)/idProduct"))")
    }
}
