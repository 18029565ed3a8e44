internal import ChildPrograms
internal import CommandLineInterface
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// The daemon's store, changed by commands that run as the daemon's user.
struct SetupStore {
    /// The maximum size of the list of a store's issuers, in bytes.
    private static let longestList = 1 << 22

    let path: String

    private var program: OwnProgram { OwnProgram(name: "countersign", asDaemon: true) }

    /// Imports issuers from a file or folder, and returns whether the import succeeded. A failure is reported
    /// but does not end setup, because issuers can be imported later.
    func importTrust(_ source: String) -> Bool {
        if (try? program.run(["trust", "import", source, "--store", path]))?.status == 0 { return true }
        Terminal.message(
            "no issuer in \(Terminal.safe(source)) is trusted yet: see the error above; the daemon's user must be able to read the file"
        )
        return false
    }

    /// Whether the store trusts an issuer. An unreadable store counts as `false`, because it may not exist
    /// yet.
    var hasIssuer: Bool {
        guard
            let listed = try? program.run(
                ["trust", "list", "--json", "--store", path], errors: .nowhere),
            listed.status == 0,
            let members = try? JSONText(Array(listed.output.utf8)[...], limit: Self.longestList).members(),
            let roots = try? members.required("roots").integer(in: 0...Int64(Int32.max))
        else { return false }
        return roots > 0
    }

    /// Returns the shop's brand. If the key file of the brand does not exist yet, makes the brand and the key
    /// first.
    ///
    /// - Parameter logo: The path of a logo that the daemon's user can read.
    func makeBrand(
        _ identifier: String, named name: String, logo: String?
    ) throws(CommandFailure) -> SetupBrand {
        let keyFile = "\(path)/\(identifier)-\(SetupBrand.kid).pem"
        if unsafe access(keyFile, F_OK) != 0 {
            try run(["brand", "add", identifier, "--name", name] + (logo.map { ["--logo", $0] } ?? []))
            try run(["brand", "key", "add", identifier, "--kid", SetupBrand.kid, "--generate", keyFile])
        }
        // The command prints the identifier in its first line.
        let instance = try run(["token", "instance"]).split(separator: "\n").first ?? ""
        return SetupBrand(identifier: identifier, keyFile: keyFile, instance: String(instance))
    }

    /// Runs a `countersign` command for the brand with this store, and returns its standard output.
    @discardableResult
    private func run(_ arguments: [String]) throws(CommandFailure) -> String {
        let (status, output) = try program.run(arguments + ["--store", path])
        guard status == 0 else {
            throw .usage(
                "the brand cannot be made: see the error of `countersign \(arguments.prefix(2).joined(separator: " "))` above"
            )
        }
        return output
    }

    /// Makes the key of a reader identity and the request for its certificate.
    ///
    /// - Returns: The path of the certification request, or `nil` if the identity cannot be made, for example
    ///   because there is an identity of this name.
    func makeIdentity(
        _ name: String, of shop: String, in country: String, beside config: String
    ) throws(CommandFailure) -> String? {
        guard try program.run(["identity", "init", name, "--store", path]).status == 0 else {
            return nil
        }
        // Characters with a meaning in RFC 4514 are removed from the shop's name.
        let subject = "CN=\(name),O=\(shop.filter { !",=+<>#;\\\"".contains($0) }),C=\(country)"
        let (status, request) = try program.run(
            ["identity", "csr", name, "--subject", subject, "--store", path])
        guard status == 0 else { return nil }
        // The five characters of `.json` at the end are left out.
        let file = "\(config.dropLast(config.hasSuffix(".json") ? 5 : 0))-\(name).csr"
        try OutputFile.write(request.utf8, to: file)
        return file
    }
}

/// A program of this package that is run to its end. There is no timeout here, because each of the programs
/// limits its own waiting time. The program's errors appear on the standard error of this process.
struct OwnProgram {
    /// The user of the daemon. Only this user may change the daemon's store and files.
    static let daemonUser = "countersign"

    let name: String
    /// Whether the program runs as the daemon's user. This is possible only as root, and only if the daemon's
    /// user exists. Otherwise the program runs as the current user.
    var asDaemon = false

    /// Whether the program is in the folder of the running program.
    var isInstalled: Bool {
        guard let folder = try? Self.folder() else { return false }
        return unsafe access("\(folder)/\(name)", X_OK) == 0
    }

    /// Runs the program and waits for its end.
    ///
    /// - Parameter errors: The target of the program's standard error.
    /// - Returns: The exit status (128 if a signal ended the program) and the standard output.
    func run(
        _ arguments: [String], errors: ChildProgram.Place = .inherited
    ) throws(CommandFailure) -> (status: Int32, output: String) {
        let words = (asDaemon ? Self.daemonPrefix : []) + ["\(try Self.folder())/\(name)"] + arguments
        do {
            let (reading, writing) = try FileDescriptor.pipe(options: .closeOnExec)
            defer { try? reading.close() }
            let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
            // This process closes its copy of the pipe's writing end, so that reading ends when the child
            // exits.
            let child = try writing.closeAfter {
                try ChildProgram(
                    words, environment: environment, input: .nowhere, output: .descriptor(writing.rawValue),
                    errors: errors)
            }
            // The pipe is read before the wait for the end of the child. In the opposite order, the child
            // could block on a full pipe and never end.
            let output = try Self.contents(of: reading)
            // Without a deadline, `end` always returns a status.
            let status = child.end(until: nil) ?? -1
            // A wait status has the signal in its low 7 bits and the exit code in the next byte.
            return (
                status & 0x7f == 0 ? status >> 8 & 0xff : 128, String(decoding: output, as: UTF8.self)
            )
        } catch {
            throw .unavailable(
                "\(Terminal.safe(name)) cannot be run: \(error); install the whole package")
        }
    }

    /// Replaces this process with the program, which keeps the terminal.
    ///
    /// - Throws: Status 69 (unavailable) if the program cannot be run.
    func replaceThisProcess(_ arguments: [String]) throws(CommandFailure) -> Never {
        let path = "\(try Self.folder())/\(name)"
        // The copies are never freed: either another program replaces this process, or the command fails and
        // ends.
        let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        _ = unsafe execv(path, words)
        throw .unavailable(
            "\(Terminal.safe(name)) cannot be run: \(Errno(rawValue: errno)); install the whole package")
    }

    /// The words that must precede a command so that it runs as the daemon's user. Empty if the current user
    /// is not root or if the daemon's user does not exist.
    static var daemonPrefix: [String] {
        unsafe geteuid() == 0 && getpwnam(daemonUser) != nil ? ["runuser", "-u", daemonUser, "--"] : []
    }

    /// Returns the folder of the running program. The other programs of the package are in this folder, too.
    private static func folder() throws(CommandFailure) -> String {
        guard
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let end = program.lastIndex(of: "/")
        else { throw .unavailable("/proc/self/exe cannot be read: mount /proc") }
        return String(program[..<end])
    }

    /// Reads a pipe to its end.
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

/// The file of the daemon's configuration. It is written with the owner and permissions that the Debian
/// package expects. The previous file is kept under another name.
struct SetupFile {
    let path: String

    private var draft: String { "\(path).new" }

    /// The path of the file with the answers from which this configuration is made.
    var answers: String { "\(stem)-answers.json" }

    /// The path of the folder with the copies of the issuers' files.
    var issuers: String { "\(stem)-issuers" }

    /// The path without the ending `.json`.
    private var stem: String { path.hasSuffix(".json") ? String(path.dropLast(5)) : path }

    var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// Checks that the folder can be written, before any question is asked.
    func checkFolder() throws(CommandFailure) {
        let folder = FilePath(path).removingLastComponent().string
        // A missing folder is no fault, because it is created later.
        guard unsafe folder.isEmpty || access(folder, F_OK) != 0 || access(folder, W_OK) == 0 else {
            throw .usage(
                "\(Terminal.safe(folder)): this user may not write in this folder; run the command as root, or give another file with --config"
            )
        }
    }

    /// Writes the configuration if `countersignd --check` accepts it.
    ///
    /// - Returns: The new path of the former configuration, or `nil` if there was no former configuration.
    func write(_ text: String) throws(CommandFailure) -> String? {
        try Self.writeForDaemon(Array("\(text)\n".utf8), at: draft)
        let (status, _) = try OwnProgram(name: "countersignd", asDaemon: true).run([
            "--check", "--config", draft,
        ])
        guard status == 0 else {
            throw .usage(
                "countersignd does not accept the new configuration: see the faults above; the new configuration is in \(Terminal.safe(draft)), and \(Terminal.safe(path)) is unchanged"
            )
        }
        // Only an accepted configuration replaces the former configuration, which is renamed first.
        let former = exists ? freeName() : nil
        if let former { try rename(path, former) }
        try rename(draft, path)
        return former
    }

    /// Writes a file for the daemon. Only root and the daemon's group may read the file. If this user is not
    /// root or there is no such group, only this user may read it.
    ///
    /// - Parameter isPublic: Whether every user may read the file.
    static func writeForDaemon(
        _ bytes: [UInt8], at path: String, isPublic: Bool = false
    ) throws(CommandFailure) {
        do {
            let folder = FilePath(path).removingLastComponent().string
            if !folder.isEmpty {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            // A symbolic link at this path is removed, because a write as root must not follow a link.
            _ = unsafe unlink(path)
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow],
                permissions: [.ownerReadWrite])
            try file.closeAfter {
                _ = try file.writeAll(bytes)
                if isPublic {
                    guard fchmod(file.rawValue, 0o644) == 0 else { throw Errno(rawValue: errno) }
                } else if geteuid() == 0, let group = unsafe getgrnam(OwnProgram.daemonUser) {
                    guard unsafe fchown(file.rawValue, 0, group.pointee.gr_gid) == 0,
                        fchmod(file.rawValue, 0o640) == 0
                    else { throw Errno(rawValue: errno) }
                }
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            let reason = (error as? Errno)?.description ?? "access was refused"
            throw .usage(
                "\(Terminal.safe(path)): \(reason); run the command as root, or give another file with --config"
            )
        }
    }

    /// Returns this path with a number at its end: the smallest number for which there is no file yet.
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
