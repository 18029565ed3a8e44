internal import ErrorMapping
internal import FileAccess
internal import Glibc
package import OpenSSLCrypto
internal import SystemPackage

/// Reading and writing of files that only their owner may change: private keys, and also public files such as
/// certificates, which nobody else may replace.
///
/// - Reading refuses links, other users' files, and files that others may change; for secrets, also files
///   that others may read.
/// - `replace` is atomic and durable: a reader sees the old contents or the new ones, and the file and its
///   folder's entry are on the disk when the function returns.
package enum PrivateFile {
    /// The maximum size of a file, in bytes.
    package static let largest = 1 << 20
    /// The system's error code for a path at which no file exists.
    package static let absent = ENOENT

    /// Calls `body` with the contents of a secret file, and overwrites the memory afterwards. Refuses a link,
    /// another user's file, and a file that other users may read or write.
    package static func withSecret<R: ~Copyable>(
        _ path: String, _ body: (ArraySlice<UInt8>) throws(IdentityStoreError) -> R
    ) throws(IdentityStoreError) -> R {
        try contents(path, .secret).withUnprotectedBytes { bytes throws(IdentityStoreError) in
            try body(bytes)
        }
    }

    /// Returns the contents of a file that is not secret, such as certificates, but that no other user may
    /// change.
    package static func read(_ path: String) throws(IdentityStoreError) -> [UInt8] {
        try contents(path, .unchangeable).withUnprotectedBytes(Array.init)
    }

    /// Reads a file into memory that is overwritten when it is released.
    private static func contents(
        _ path: String, _ rule: FileRule
    ) throws(IdentityStoreError) -> SecretBytes {
        let file = try open(path)
        defer { try? file.close() }
        let size = try check(file, path, rule)
        return try unsafe SecretBytes(count: size) { target throws(IdentityStoreError) in
            try unsafe fill(target, from: file, path)
        }
    }

    /// Opens a file for reading; a link is refused.
    private static func open(_ path: String) throws(IdentityStoreError) -> FileDescriptor {
        try mapping(
            FileDescriptor.open(
                // The option `nonBlocking` is needed if the path is a named pipe. Without the option the call
                // would wait for a writer, and the pipe could not be refused.
                FilePath(path), .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking]),
            IdentityStoreError.refusing(path))
    }

    /// Checks the owner, the permissions and the size of an open file, and returns its size.
    private static func check(
        _ file: FileDescriptor, _ path: String, _ rule: FileRule
    ) throws(IdentityStoreError) -> Int {
        let size = try mapping(rule.check(file.rawValue)) { (fault: FileRule.Fault) -> IdentityStoreError in
            switch fault {
            case .unknown(let errno): .fileRefused(path: path, errno: errno)
            case .notAFile: .notAFile(path: path)
            case .ownedByOther: .ownedByOther(path: path)
            case .exposed(let mode): .exposed(path: path, mode: mode)
            }
        }
        guard size <= largest else { throw .tooLong(path: path) }
        return size
    }

    /// Fills `target` with bytes of the file.
    private static func fill(
        _ target: UnsafeMutableRawBufferPointer, from file: FileDescriptor, _ path: String
    ) throws(IdentityStoreError) {
        var done = 0
        while done < target.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = try mapping(unsafe file.read(into: rest), IdentityStoreError.refusing(path))
            // The file became shorter after its size was read.
            guard count > 0 else { throw .fileRefused(path: path, errno: EIO) }
            done += count
        }
    }

    /// Creates a file that only its owner may access, even while it is being written. The contents are on the
    /// disk when this function returns.
    package static func create(_ path: String, _ bytes: ArraySlice<UInt8>) throws(IdentityStoreError) {
        let file = try mapping(
            FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite), IdentityStoreError.refusing(path))
        try mapping(file.closeAfter { _ = try file.writeAll(bytes) }, IdentityStoreError.refusing(path))
        try flush(path)
    }

    /// Replaces a file in one step: a reader finds either the old contents or the new ones.
    package static func replace(_ path: String, with bytes: ArraySlice<UInt8>) throws(IdentityStoreError) {
        let draft = path + ".new"
        // A draft that an interrupted process left would make `create` fail.
        _ = unsafe unlink(draft)
        do throws(IdentityStoreError) {
            try create(draft, bytes)
            try rename(draft, to: path)
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
    }

    /// Deletes a file. Its contents are overwritten first and are then hard to recover from the disk.
    package static func remove(_ path: String) throws(IdentityStoreError) {
        let file: FileDescriptor
        do throws(IdentityStoreError) {
            file = try mapping(
                FileDescriptor.open(FilePath(path), .writeOnly, options: [.noFollow, .closeOnExec]),
                IdentityStoreError.refusing(path))
        } catch .fileRefused(_, errno: absent) {
            return
        }
        try mapping(
            file.closeAfter {
                // At most `largest` bytes are overwritten, because this type reads no larger file.
                let size = Int(min(try file.seek(offset: 0, from: .end), Int64(largest)))
                _ = try file.writeAll(toAbsoluteOffset: 0, [UInt8](repeating: 0, count: size))
            }, IdentityStoreError.refusing(path))
        try flush(path)
        guard unsafe unlink(path) == 0 else { throw .fileRefused(path: path, errno: errno) }
        // The folder is flushed, so that the file does not come back after a loss of power.
        try flush(folder(of: path))
    }

    /// Renames a file or folder. Then flushes the folder of `target`, so that the new entry survives a loss
    /// of power.
    static func rename(_ path: String, to target: String) throws(IdentityStoreError) {
        guard unsafe Glibc.rename(path, target) == 0 else { throw .fileRefused(path: target, errno: errno) }
        try flush(folder(of: target))
    }

    /// Creates a folder and missing folders above it, with access for the owner only. Refuses an existing
    /// folder that other users may write to.
    package static func makeFolder(_ path: String) throws(IdentityStoreError) {
        try makeFolders(to: path)
        try checkFolder(path)
    }

    /// Creates the folder. If a folder above it is missing, creates the missing one first.
    private static func makeFolders(to path: String) throws(IdentityStoreError) {
        // A slash at the beginning is skipped, because it has no folder before it.
        let cut = path.dropFirst().lastIndex(of: "/")
        if unsafe mkdir(path, S_IRWXU) == 0 { return }
        if errno == ENOENT, let cut {
            try makeFolders(to: String(path[..<cut]))
            if unsafe mkdir(path, S_IRWXU) == 0 { return }
        }
        guard errno == EEXIST else { throw .fileRefused(path: path, errno: errno) }
    }

    /// Refuses a folder that other users may write to: they could replace a key in it.
    package static func checkFolder(_ path: String) throws(IdentityStoreError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .fileRefused(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFile(path: path) }
        guard status.st_uid == geteuid() else { throw .ownedByOther(path: path) }
        guard status.st_mode & 0o022 == 0 else {
            throw .exposed(path: path, mode: status.st_mode & 0o7777)
        }
    }

    /// Returns the folder that holds the entry of `path`: "." if `path` is a name without a folder.
    static func folder(of path: String) -> String {
        let folder = FilePath(path).removingLastComponent()
        return folder.isEmpty ? "." : folder.string
    }

    /// Flushes a file's contents, or a folder's entries, to the disk.
    private static func flush(_ path: String) throws(IdentityStoreError) {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .fileRefused(path: path, errno: errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .fileRefused(path: path, errno: errno) }
    }
}

extension IdentityStoreError {
    /// Returns a function that translates a system error about `path`.
    fileprivate static func refusing(_ path: String) -> (any Error) -> IdentityStoreError {
        { .fileRefused(path: path, errno: ($0 as? Errno)?.rawValue ?? EIO) }
    }
}

extension PrivateFile {
    /// Returns the private key in a file that only its owner may access: in PEM, or wrapped by this
    /// computer's TPM.
    package static func key(_ path: String) throws(IdentityStoreError) -> PrivateKey {
        try withSecret(path) { pem throws(IdentityStoreError) in
            try mapping(
                isWrappedKey(pem) ? PrivateKey(wrappedPEM: pem) : PrivateKey(pem: pem),
                IdentityStoreError.keyUnusable)
        }
    }

    /// Writes a private key to a new file: in PEM, or wrapped by this computer's TPM.
    package static func create(_ path: String, _ key: borrowing PrivateKey) throws(IdentityStoreError) {
        let pem = try mapping(
            key.residence == .tpm ? SecretBytes(copying: key.wrappedPEM()[...]) : key.unprotectedPEM(),
            IdentityStoreError.keyUnusable)
        try pem.withUnprotectedBytes { bytes throws(IdentityStoreError) in
            try create(path, bytes)
        }
    }

    static func isWrappedKey(_ pem: ArraySlice<UInt8>) -> Bool {
        PEM.hasBlock(PrivateKey.wrappedLabel, in: pem)
    }
}
