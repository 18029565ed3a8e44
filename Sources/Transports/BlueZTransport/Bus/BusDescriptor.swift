internal import Glibc
internal import Synchronization

/// A descriptor that is sent or was received. It is closed with the last reference, so that one that nobody asked for
/// does not stay open.
final class BusDescriptor: Sendable {
    private let descriptor: Mutex<Int32>

    /// - Parameter descriptor: handed over.
    init(owning descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        let last = take()
        if last >= 0 { _ = Glibc.close(last) }
    }

    /// The descriptor, handed over to the caller; -1 when it was taken before.
    func take() -> Int32 {
        descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
    }

    /// Lends the descriptor; -1 when it was taken.
    func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value {
        descriptor.withLock { body($0) }
    }
}

extension BusDescriptor: Equatable {
    static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
}
