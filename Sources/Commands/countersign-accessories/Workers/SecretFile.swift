internal import AccessoryDevices
internal import FileAccess
internal import Glibc

/// The files with a password or a key that the configuration names.
enum SecretFile {
    private static let longest = 4096

    /// Reads a file that only its owner, or also its group, can read.
    ///
    /// - Throws: `absent` without the file; `notPermitted` if this program may not read it; `misconfigured` for a file that
    ///   every user can read or that is longer than 4096 bytes.
    static func read(_ path: String) throws(DeviceFault) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw DeviceFault(errno: errno) }
        defer { close(descriptor) }
        do throws(FileRule.Fault) {
            _ = try FileRule.secretOfGroup.check(descriptor)
        } catch {
            if case .unknown(let code) = error { throw DeviceFault(errno: code) }
            throw .misconfigured(
                "a file with a secret must be readable by its owner and group alone: chmod 640")
        }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw DeviceFault(errno: errno) }
        guard count <= longest else {
            throw .misconfigured("a file with a secret is longer than \(longest) bytes")
        }
        return Array(bytes.prefix(count))
    }
}
