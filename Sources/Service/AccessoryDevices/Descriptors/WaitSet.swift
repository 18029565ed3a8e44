internal import Glibc

/// A list of descriptors for which a thread waits together (poll(2)).
package struct WaitSet: Sendable {
    /// The longest wait in one call, in milliseconds, so that the value fits into an `Int32`.
    private static let longest = 1e9

    private var entries: [pollfd] = []

    package init() {}

    /// Adds a descriptor, which must stay open while this list is used.
    ///
    /// - Parameter isWriting: whether to wait for room to write also. The list always waits for bytes to
    ///   read.
    package mutating func add(_ descriptor: Int32, isWriting: Bool = false) {
        entries.append(
            pollfd(fd: descriptor, events: Int16(isWriting ? POLLIN | POLLOUT : POLLIN), revents: 0))
    }

    /// Waits until a descriptor is ready.
    ///
    /// A descriptor whose other side has closed, and a descriptor with an error, count as ready: the next
    /// read gives the fault. The wait stands still while the computer is suspended, so that it can be longer
    /// by `MonotonicNow`. A signal ends the wait early.
    ///
    /// - Parameter limit: the longest wait; `nil` for no limit.
    /// - Returns: the descriptors that are ready; none if the time has passed or a signal came.
    /// - Throws: `failed` if the system refuses the call, for example because it has no memory.
    package mutating func wait(atMost limit: Duration?) throws(DeviceFault) -> Set<Int32> {
        let count = unsafe poll(&entries, nfds_t(entries.count), limit.map(Self.milliseconds) ?? -1)
        guard count >= 0 else {
            guard errno == EINTR else { throw .failed(errno: errno) }
            return []
        }
        return Set(entries.lazy.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Returns a time in milliseconds for poll(2), rounded up so that a wait never ends before its deadline.
    static func milliseconds(_ time: Duration) -> Int32 {
        Int32(min(max(0, (time / .milliseconds(1)).rounded(.up)), longest))
    }
}
