internal import Glibc
internal import Synchronization

/// A gate for the calls that change libpcsclite's list of contexts. The gate closes when the process ends.
///
/// The destructor of libpcsclite (1.9.9) frees the list without a lock. A thread that adds or removes a
/// context at that time frees the same memory again, and a signal ends the process. Therefore no change
/// begins after the process has begun to end, and the end of the process waits for changes in progress. pcscd
/// releases the contexts of a process that has ended.
final class ContextList: Sendable {
    private struct State {
        /// The number of changes in progress.
        var underWay = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The gate of this process. A handler of `atexit` closes the gate.
    static let ofProcess: ContextList = {
        atexit { ContextList.ofProcess.close() }
        return ContextList()
    }()

    /// Makes a call that adds or removes a context.
    ///
    /// - Returns: the result of `call`; `nil` if the gate is closed, in which case `call` does not run.
    func change<Value>(by call: () -> Value) -> Value? {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.underWay += 1 }
            return !state.isClosed
        }
        guard isOpen else { return nil }
        defer { state.withLock { $0.underWay -= 1 } }
        return call()
    }

    /// Closes the gate and waits for changes in progress.
    ///
    /// - Parameter milliseconds: the maximum wait, because pcscd may hang during a change.
    func close(within milliseconds: Int = 500) {
        state.withLock { $0.isClosed = true }
        for _ in 0..<milliseconds {
            if state.withLock({ $0.underWay == 0 }) { return }
            usleep(1000)
        }
    }
}
