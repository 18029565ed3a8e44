internal import CAccessoryDevices
internal import Glibc

/// A signal by which one thread ends the wait of another thread in a `WaitSet` (eventfd(2)).
///
/// The waiting thread adds `descriptor` to its list, and calls `clear()` when the descriptor is ready. A
/// signal that comes while the thread does not wait ends its next wait.
package struct WakeUp: ~Copyable, Sendable {
    private let counter: OwnedDescriptor

    /// - Throws: `failed` if the process has no descriptor left.
    package init() throws(DeviceFault) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw DeviceFault(errno: errno) }
        counter = OwnedDescriptor(owning: raw)
    }

    /// The descriptor that is readable after `wake()`, valid as long as this value exists.
    package var descriptor: Int32 { counter.raw }

    /// Ends the other thread's wait. May be called from any thread, any number of times.
    package func wake() {
        var one: UInt64 = 1
        // The write fails only if the counter is at its limit, and then the descriptor is readable anyway.
        _ = unsafe write(counter.raw, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes the descriptor unreadable until the next `wake()`.
    package func clear() {
        var count: UInt64 = 0
        // The read fails only if no signal came, and then there is nothing to clear.
        _ = unsafe read(counter.raw, &count, MemoryLayout<UInt64>.size)
    }
}
