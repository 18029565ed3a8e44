internal import Glibc
internal import Synchronization

/// The calls that change libpcsclite's list of contexts, and the end of the process.
///
/// The library's destructor frees the list without a lock (1.9.9). A thread that adds or removes a context meanwhile frees
/// it again, which ends the process with a signal. So no change begins after the end has begun, and the end waits for
/// the changes under way. pcscd itself releases the contexts of a process that ended.
final class ContextList: Sendable {
    private struct State {
        var underWay = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The list of this process, closed by its end.
    static let ofProcess: ContextList = {
        atexit { ContextList.ofProcess.close() }
        return ContextList()
    }()

    /// Runs a call that adds or removes a context.
    ///
    /// - Returns: nil, without the call, once the list is closed.
    func change<Value>(by call: () -> Value) -> Value? {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.underWay += 1 }
            return !state.isClosed
        }
        guard isOpen else { return nil }
        defer { state.withLock { $0.underWay -= 1 } }
        return call()
    }

    /// Lets no further change begin, and waits for those under way.
    ///
    /// - Parameter milliseconds: the longest wait: pcscd, which is asked in a change, may hang.
    func close(within milliseconds: Int = 500) {
        state.withLock { $0.isClosed = true }
        for _ in 0..<milliseconds {
            if state.withLock({ $0.underWay == 0 }) { return }
            usleep(1000)
        }
    }
}
