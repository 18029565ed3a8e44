internal import Synchronization

/// Peers that could not be removed when their transaction ended, since the radio was lost: bluetoothd keeps them,
/// and has them again when the radio is back (Q114, Q117).
final class PeersLeftBehind: Sendable {
    /// By the last component of their path: the adapter may come back with another name.
    private let names = Mutex<Set<Substring>>([])

    private func name(_ device: String) -> Substring {
        device.split(separator: "/").last ?? ""
    }

    func insert(_ device: String) { _ = names.withLock { $0.insert(name(device)) } }

    /// - Returns: whether it was among them.
    @discardableResult
    func remove(_ device: String) -> Bool { names.withLock { $0.remove(name(device)) } != nil }
}
