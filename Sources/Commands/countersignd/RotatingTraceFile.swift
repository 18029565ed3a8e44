internal import FieldTrace
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The two files of a lane's field trace: the current file, and the previous file with `.1` at the end of its
/// name.
///
/// Both files together have at most the configured size. Only the owner can read the files.
final class RotatingTraceFile: FieldTraceSink {
    private struct State {
        var file: FileDescriptor?
        var bytes = 0
    }

    private let path: String
    /// The maximum size of one file, in bytes.
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter bytes: the maximum size of both files together, in bytes.
    init(_ path: String, bytes: Int) {
        self.path = path
        limit = bytes / 2
        state.withLock { $0 = Self.makeFile(at: path) }
    }

    deinit {
        state.withLock { try? $0.file?.close() }
    }

    /// Begins a new file if the current file is more than half full, or could not be made. Called before each
    /// presentation.
    ///
    /// - Returns: whether a new file was begun.
    func beginsFile() -> Bool {
        state.withLock { state in
            guard state.file == nil || state.bytes > limit / 2 else { return false }
            try? state.file?.close()
            state = Self.makeFile(at: path)
            return true
        }
    }

    /// Writes a line. A line that does not fit, or cannot be written, is left out, because a trace must never
    /// prevent a presentation.
    func write(_ line: [UInt8]) {
        state.withLock { state in
            guard let file = state.file, state.bytes + line.count <= limit,
                (try? file.writeAll(line)) != nil
            else { return }
            state.bytes += line.count
        }
    }

    /// Renames the file at this path and makes a new file. If no file can be made, nothing is traced.
    private static func makeFile(at path: String) -> State {
        // The result is ignored, because there is no file to rename at the first start.
        _ = unsafe rename(path, path + ".1")
        // A file or a link that somebody else made at this path is never written to.
        let file = try? FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow],
            permissions: .ownerReadWrite)
        return State(file: file)
    }
}
