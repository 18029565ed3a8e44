internal import Glibc

/// A small file of the system's or the kernel's: settings, facts about a device or a process.
package enum SystemFile {
    /// The longest beginning that is read, in bytes.
    package static let limit = 65_536

    /// The beginning of a file as text; nil when it cannot be read.
    package static func text(of path: String) -> String? {
        bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The beginning of a file; nil when it cannot be read.
    package static func bytes(of path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        guard unsafe ferror(file) == 0 else { return nil }
        return Array(bytes.prefix(count))
    }

    /// The first word of a file; empty if the file is absent.
    package static func firstWord(of path: String) -> Substring {
        (text(of: path) ?? "").split { $0.isWhitespace }.first ?? ""
    }

    /// The USB device whose `idVendor` and `idProduct` are in a folder of the kernel's.
    package static func usbIdentity(at folder: String) -> USBIdentity? {
        USBIdentity("\(firstWord(of: "\(folder)/idVendor")):\(firstWord(of: "\(folder)/idProduct"))")
    }
}
