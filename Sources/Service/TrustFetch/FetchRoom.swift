internal import Synchronization

/// The bytes that all lists of one call may still have. What a list that failed took is not given back.
final class FetchRoom: Sendable {
    private let left: Atomic<Int>

    init(bytes: Int) { left = Atomic(bytes) }

    /// Whether there was room for so many bytes more.
    func take(_ count: Int) -> Bool {
        left.subtract(count, ordering: .relaxed).newValue >= 0
    }
}
