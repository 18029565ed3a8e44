internal import CommandLineInterface
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// The daemon's configuration on the disk: owned and readable as the package expects, and never replaced without a copy.
struct SetupFile {
    let path: String

    private var draft: String { "\(path).new" }

    /// What was answered for this configuration, beside it.
    var answers: String { "\(path.hasSuffix(".json") ? String(path.dropLast(5)) : path)-answers.json" }

    var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// To be known before anything is asked.
    func checkFolder() throws(CommandFailure) {
        let folder = FilePath(path).removingLastComponent().string
        guard unsafe folder.isEmpty || access(folder, F_OK) != 0 || access(folder, W_OK) == 0 else {
            throw .usage(
                "\(Terminal.safe(folder)): this user may not write there; run this as root, or name another file with --config"
            )
        }
    }

    /// Writes the file once `countersignd --check` finds nothing wrong with it. Returns where the former one is now.
    func write(_ text: String) throws(CommandFailure) -> String? {
        try Self.place(Array("\(text)\n".utf8), at: draft)
        let (status, _) = try OwnProgram(name: "countersignd", asDaemon: true).run([
            "--check", "--config", draft,
        ])
        guard status == 0 else {
            throw .usage(
                "the configuration has the faults above; it is in \(Terminal.safe(draft)), and \(Terminal.safe(path)) stays as it was"
            )
        }
        let former = exists ? freeName() : nil
        if let former { try rename(path, former) }
        try rename(draft, path)
        return former
    }

    /// Writes a file for the daemon: readable by its group where there is one, and by nobody else.
    static func place(_ bytes: [UInt8], at path: String) throws(CommandFailure) {
        do {
            let folder = FilePath(path).removingLastComponent().string
            if !folder.isEmpty {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            _ = unsafe unlink(path)
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow],
                permissions: [.ownerReadWrite])
            try file.closeAfter {
                _ = try file.writeAll(bytes)
                if geteuid() == 0, let group = unsafe getgrnam(OwnProgram.daemonUser) {
                    guard unsafe fchown(file.rawValue, 0, group.pointee.gr_gid) == 0,
                        fchmod(file.rawValue, 0o640) == 0
                    else { throw Errno(rawValue: errno) }
                }
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            let reason = (error as? Errno)?.description ?? "refused"
            throw .usage(
                "\(Terminal.safe(path)): \(reason); run this as root, or name another file with --config")
        }
    }

    private func freeName() -> String {
        var number = 1
        while unsafe access("\(path).\(number)", F_OK) == 0 { number += 1 }
        return "\(path).\(number)"
    }

    private func rename(_ old: String, _ new: String) throws(CommandFailure) {
        guard unsafe Glibc.rename(old, new) == 0 else {
            throw .usage("\(Terminal.safe(new)): \(Errno(rawValue: errno))")
        }
    }
}
