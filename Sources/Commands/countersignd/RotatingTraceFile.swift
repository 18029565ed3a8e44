internal import FieldTrace
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The field trace of a lane: a file, and the one before it with `.1` at the end of its name. Together they have no more
/// than the bytes that are allowed, and both are their owner's alone.
final class RotatingTraceFile: FieldTraceSink {
    private struct State {
        var file: FileDescriptor?
        var bytes = 0
    }

    private let path: String
    /// The most bytes of one file.
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter bytes: of both files.
    init(_ path: String, bytes: Int) {
        self.path = path
        limit = bytes / 2
        state.withLock { $0 = Self.began(path) }
    }

    deinit {
        state.withLock { try? $0.file?.close() }
    }

    /// A file that is more than half full makes room for the next presentation.
    func beginsFile() -> Bool {
        state.withLock { state in
            guard state.file == nil || state.bytes > limit / 2 else { return false }
            try? state.file?.close()
            state = Self.began(path)
            return true
        }
    }

    /// What does not fit any more is left out, up to the next presentation.
    func write(_ line: [UInt8]) {
        state.withLock { state in
            guard let file = state.file, state.bytes + line.count <= limit,
                (try? file.writeAll(line)) != nil
            else { return }
            state.bytes += line.count
        }
    }

    /// The new file, in the place of the one that is there. Without one nothing is traced: a trace never keeps a
    /// presentation from being made.
    private static func began(_ path: String) -> State {
        _ = unsafe rename(path, path + ".1")
        let file = try? FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow],
            permissions: .ownerReadWrite)
        return State(file: file)
    }
}
