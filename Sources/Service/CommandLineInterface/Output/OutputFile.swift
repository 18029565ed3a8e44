internal import Glibc
internal import JSON
package import SystemPackage

/// Functions that write files which only their owner may read.
package enum OutputFile {
    /// Writes a file, and replaces the contents of an existing file.
    package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(CommandFailure) {
        let file = try open(path)
        do {
            _ = try file.closeAfter { try file.writeAll(bytes) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
    }

    /// Writes a new file and returns when its contents are on the disk. Used for data that exists nowhere
    /// else, such as an export of retained data.
    ///
    /// - Parameter bytes: Makes the contents. This closure is called only after the file was created. If the
    ///   closure throws, the file is removed.
    /// - Throws: Status 64 (usage) if the file exists or cannot be written, or the error of `bytes`.
    package static func writeNew(
        to path: String, _ bytes: () throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow],
                permissions: .ownerReadWrite)
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
        let contents: [UInt8]
        do throws(CommandFailure) {
            contents = try bytes()
        } catch {
            try? file.close()
            _ = unsafe unlink(path)
            throw error
        }
        do {
            try file.closeAfter {
                _ = try file.writeAll(contents)
                try synchronize(file)
            }
            // A new name survives a power cut only when its folder is synchronised too (fsync(2)).
            let parent = FilePath(path).removingLastComponent()
            let folder = try FileDescriptor.open(
                parent.isEmpty ? "." : parent, .readOnly, options: .directory)
            try folder.closeAfter { try synchronize(folder) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
    }

    private static func synchronize(_ file: FileDescriptor) throws {
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Opens a file for writing and empties it.
    ///
    /// A symbolic link and a file of another user are refused. An existing file that others could read
    /// becomes private to its owner. A target that is not a regular file, such as a terminal, keeps its
    /// permissions.
    package static func open(_ path: String) throws(CommandFailure) -> FileDescriptor {
        do {
            // The file is emptied only after its owner is known. With O_TRUNC, a process of root would empty
            // the file of another user before refusing it.
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .noFollow], permissions: .ownerReadWrite)
            var status = stat()
            let isFile = unsafe fstat(file.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            // `closeAfter` closes the file even though its body throws.
            if isFile, status.st_uid != geteuid() { try file.closeAfter { throw Errno.permissionDenied } }
            if isFile, fchmod(file.rawValue, S_IRUSR | S_IWUSR) != 0 || ftruncate(file.rawValue, 0) != 0 {
                let error = Errno(rawValue: errno)
                try file.closeAfter { throw error }
            }
            return file
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
    }
}
