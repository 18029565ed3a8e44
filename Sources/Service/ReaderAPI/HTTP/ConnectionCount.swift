internal import NIOCore
internal import Synchronization

/// How many connections are open, of which there are `limit` at most.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let open = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a connection until it is closed; false where there are enough.
    func enter(_ channel: any Channel) -> Bool {
        let isCounted = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
        if isCounted {
            channel.closeFuture.whenComplete { _ in self.open.withLock { $0 -= 1 } }
        }
        return isCounted
    }
}
