internal import ChildPrograms
internal import CommandLineInterface
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// The daemon's store, which its own user changes.
struct SetupStore {
    let path: String

    private var program: OwnProgram { OwnProgram(name: "countersign", asDaemon: true) }

    /// Whether the issuers of a file or folder are trusted now. What cannot be imported can be imported later.
    func importTrust(_ source: String) -> Bool {
        if (try? program.run(["trust", "import", source, "--store", path]))?.status == 0 { return true }
        Terminal.note(
            "nothing in \(Terminal.safe(source)) is trusted yet: the daemon's user must be able to read it")
        return false
    }

    /// The brand with its key, made where it is not there yet.
    /// - Parameter logo: a file that the daemon's user can read.
    func makeBrand(
        _ identifier: String, named name: String, logo: String?
    ) throws(CommandFailure) -> SetupBrand {
        let keyFile = "\(path)/\(identifier)-\(SetupBrand.kid).pem"
        if unsafe access(keyFile, F_OK) != 0 {
            try run(["brand", "add", identifier, "--name", name] + (logo.map { ["--logo", $0] } ?? []))
            try run(["brand", "key", "add", identifier, "--kid", SetupBrand.kid, "--generate", keyFile])
        }
        let instance = try run(["token", "instance"]).split(separator: "\n").first ?? ""
        return SetupBrand(identifier: identifier, keyFile: keyFile, instance: String(instance))
    }

    @discardableResult
    private func run(_ arguments: [String]) throws(CommandFailure) -> String {
        let (status, output) = try program.run(arguments + ["--store", path])
        guard status == 0 else {
            throw .usage(
                "the brand is not ready: `countersign \(arguments.prefix(2).joined(separator: " "))` says above why"
            )
        }
        return output
    }

    /// Makes the key of a reader identity, and the request for its certificate. Returns the file of the request, or nil if
    /// the identity cannot be made.
    func makeIdentity(
        _ name: String, of shop: String, in country: String, beside config: String
    ) throws(CommandFailure) -> String? {
        guard try program.run(["identity", "init", name, "--store", path]).status == 0 else {
            return nil
        }
        let subject = "CN=\(name),O=\(shop.filter { !",=+<>#;\\\"".contains($0) }),C=\(country)"
        let (status, request) = try program.run(
            ["identity", "csr", name, "--subject", subject, "--store", path])
        guard status == 0 else { return nil }
        let file = "\(config.dropLast(config.hasSuffix(".json") ? 5 : 0))-\(name).csr"
        try OutputFile.write(request.utf8, to: file)
        return file
    }
}

/// A program of this package, which is run to its end: it has its own deadlines. Its standard error is that of this one.
struct OwnProgram {
    /// The user of the daemon, whose store and files only that user may change.
    static let daemonUser = "countersign"

    let name: String
    /// Whether it runs as the daemon's user, if root starts it and there is such a user.
    var asDaemon = false

    /// Whether it is where the programs of this package are.
    var isInstalled: Bool {
        guard let folder = try? Self.folder() else { return false }
        return unsafe access("\(folder)/\(name)", X_OK) == 0
    }

    /// Its exit status, and what it wrote to its standard output.
    func run(_ arguments: [String]) throws(CommandFailure) -> (status: Int32, output: String) {
        let words = (asDaemon ? Self.daemonPrefix : []) + ["\(try Self.folder())/\(name)"] + arguments
        do {
            let (reading, writing) = try FileDescriptor.pipe(options: .closeOnExec)
            defer { try? reading.close() }
            let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
            let child = try writing.closeAfter {
                try ChildProgram(
                    words, environment: environment, input: .nowhere, output: .descriptor(writing.rawValue),
                    errors: .inherited)
            }
            let output = try Self.contents(of: reading)
            let status = child.end(until: nil) ?? -1
            return (
                status & 0x7f == 0 ? status >> 8 & 0xff : 128, String(decoding: output, as: UTF8.self)
            )
        } catch {
            throw .unavailable(
                "\(Terminal.safe(name)) cannot be run: \(error); install the whole package")
        }
    }

    /// The words before a command that run it as the daemon's user; empty if this is not root, or there is no such user.
    static var daemonPrefix: [String] {
        unsafe geteuid() == 0 && getpwnam(daemonUser) != nil ? ["runuser", "-u", daemonUser, "--"] : []
    }

    private static func folder() throws(CommandFailure) -> String {
        guard
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let end = program.lastIndex(of: "/")
        else { throw .unavailable("/proc/self/exe cannot be read: mount /proc") }
        return String(program[..<end])
    }

    private static func contents(of file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}

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
