internal import Glibc

/// How many files the connections of the listeners take.
package enum OpenConnections {
    /// How many connections a listener refuses at once with an answer.
    static let refused = 256
    /// What the rest of the daemon has open: the store, readers, the bus, webhooks, decoders of portraits.
    private static let others = 256

    /// Lets this process have as many files open as `listeners` with `connections` each need, as far as the system lets it.
    package static func makeRoom(for connections: Int, listeners: Int) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        let needed = rlim_t(listeners * (connections + refused) + others)
        guard limit.rlim_cur < needed else { return }
        limit.rlim_cur = min(needed, limit.rlim_max)
        _ = unsafe setrlimit(resource, &limit)
    }
}
