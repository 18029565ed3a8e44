internal import Glibc
internal import JSON
package import SystemPackage

/// A file that a command writes, readable by its owner alone.
package enum OutputFile {
    package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(CommandFailure) {
        let file = try open(path)
        do {
            _ = try file.closeAfter { try file.writeAll(bytes) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
    }

    /// Writes a new file, and returns once it is on the disk: for data that exists nowhere else. The file is
    /// created before `bytes` is called, and removed if that fails.
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

    /// Opens the file and empties it, never through a symbolic link and never another user's file. An existing file
    /// that others could read is made private to its owner. Something other than a file, such as a terminal, keeps
    /// its permissions.
    package static func open(_ path: String) throws(CommandFailure) -> FileDescriptor {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate, .noFollow],
                permissions: .ownerReadWrite)
            var status = stat()
            let isFile = unsafe fstat(file.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            if isFile, status.st_uid != geteuid() { try file.closeAfter { throw Errno.permissionDenied } }
            if isFile, fchmod(file.rawValue, S_IRUSR | S_IWUSR) != 0 {
                let error = Errno(rawValue: errno)
                try file.closeAfter { throw error }
            }
            return file
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
    }
}
