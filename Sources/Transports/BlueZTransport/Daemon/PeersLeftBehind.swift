internal import Synchronization

/// The peers that bluetoothd could not forget when their transaction ended, for example because the radio was
/// lost. bluetoothd keeps such peers, and reports them again when the radio is available again (Q114, Q117).
final class PeersLeftBehind: Sendable {
    /// The last component of each peer's path. The component before it is the name of the adapter, which may
    /// change when the adapter returns.
    private let names = Mutex<Set<Substring>>([])

    private func name(_ device: String) -> Substring {
        device.split(separator: "/").last ?? ""
    }

    func insert(_ device: String) { _ = names.withLock { $0.insert(name(device)) } }

    /// Removes a peer.
    ///
    /// - Returns: whether the peer was in the list.
    @discardableResult
    func remove(_ device: String) -> Bool { names.withLock { $0.remove(name(device)) } != nil }
}
