internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
package import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// HTTP/1.1 for a limited number of connections. A connection above the limit gets the reason and is closed. In the
/// system's queue it would wait without an answer, and would delay later connections.
struct BoundedConnections: ServerChildChannel {
    enum Value: ServerChildChannelValue {
        case served(HTTP1Channel.Value)
        case refused(any Channel)

        var channel: any Channel {
            switch self {
            case .served(let served): served.channel
            case .refused(let channel): channel
            }
        }
    }

    let http: HTTP1Channel
    let served: OpenConnectionBook
    /// The connections that are being refused.
    let refused = ConnectionCount(limit: OpenConnections.refused)
    let tls: ServerTLS?
    let metrics: PresentationMetrics

    init(_ http: HTTP1Channel, served: OpenConnectionBook, tls: ServerTLS?, metrics: PresentationMetrics) {
        self.http = http
        self.served = served
        self.tls = tls
        self.metrics = metrics
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        switch served.enter(channel) {
        case .refused:
            metrics.refused(.tooManyConnections)
            return channel.eventLoop.makeCompletedFuture {
                // Nothing can be sent before the TLS handshake.
                if tls == nil { try refuse(channel) } else { channel.close(promise: nil) }
                return .refused(channel)
            }
        case .served(let leaving):
            if let leaving { makeRoom(leaving) }
            do {
                if let tls { try channel.pipeline.syncOperations.addHandler(tls.handler) }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return http.setup(channel: channel, logger: logger).flatMapThrowing { value throws -> Value in
                try readAbsoluteTargets(on: channel)
                return .served(value)
            }
        }
    }

    private func readAbsoluteTargets(on channel: any Channel) throws {
        let operations = channel.pipeline.syncOperations
        let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try operations.addHandler(AbsoluteTarget(), position: .after(decoder))
    }

    private func makeRoom(_ channel: any Channel) {
        metrics.refused(.tooManyConnections)
        channel.eventLoop.execute {
            // A request that is being answered may change something: its caller must not read that it was refused.
            guard !served.isAnsweringLast(on: channel) else { return channel.close(promise: nil) }
            do { try refuse(channel) } catch { channel.close(promise: nil) }
        }
    }

    /// To be called on the channel's event loop.
    private func refuse(_ channel: any Channel) throws {
        let timeout = refused.enter(channel) ? ConnectionEnd.timeout : .zero
        try ConnectionEnd(saying: ConnectionEnd.tooManyConnections, timeout: timeout).begin(on: channel)
    }

    func handle(value: Value, logger: Logger) async {
        guard case .served(let served) = value else { return }
        await withTaskExecutorPreference(EventLoopExecutor(served.channel.eventLoop)) {
            await http.handle(value: served, logger: logger)
        }
    }
}

/// Counts the open connections, `limit` at most.
package final class ConnectionCount: Sendable {
    private let limit: Int
    private let open = Mutex(0)

    package init(limit: Int) {
        self.limit = limit
    }

    /// Counts a connection until it is closed; false if there are enough.
    package func enter(_ channel: any Channel) -> Bool {
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
