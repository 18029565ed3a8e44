internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// HTTP/1.1 for so many connections at once. One more is told why it is not served, and closed: left in the system's queue
/// it would wait without a word, and in the way of those that come when there is room again.
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
    let served: ConnectionCount
    /// Those that are told, for the moment that takes.
    let refused: ConnectionCount
    let metrics: CounterMetrics

    init(_ http: HTTP1Channel, limit: Int, metrics: CounterMetrics) {
        self.http = http
        served = ConnectionCount(limit: limit)
        refused = ConnectionCount(limit: OpenConnections.refused)
        self.metrics = metrics
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard served.enter(channel) else {
            metrics.refused(.tooManyConnections)
            return channel.eventLoop.makeCompletedFuture {
                let timeout = refused.enter(channel) ? ConnectionRefusal.timeout : .zero
                try channel.pipeline.syncOperations.addHandler(ConnectionRefusal(timeout: timeout))
                return .refused(channel)
            }
        }
        return http.setup(channel: channel, logger: logger).map { .served($0) }
    }

    func handle(value: Value, logger: Logger) async {
        guard case .served(let served) = value else { return }
        await withTaskExecutorPreference(EventLoopExecutor(served.channel.eventLoop)) {
            await http.handle(value: served, logger: logger)
        }
    }
}
