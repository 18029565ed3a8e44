internal import Glibc
internal import Synchronization

/// A file descriptor in a D-Bus message. The descriptor is closed with the last reference to this object, so
/// that a received descriptor that is not used does not stay open.
final class BusDescriptor: Sendable {
    private let descriptor: Mutex<Int32>

    /// Takes ownership of a descriptor.
    init(owning descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        let last = take()
        if last >= 0 { _ = Glibc.close(last) }
    }

    /// Returns the descriptor, which the caller then closes; -1 if an earlier call has returned it.
    func take() -> Int32 {
        descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
    }

    /// Calls `body` with the descriptor; with -1 if `take` has returned it.
    func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value {
        descriptor.withLock { body($0) }
    }
}

extension BusDescriptor: Equatable {
    static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
}
