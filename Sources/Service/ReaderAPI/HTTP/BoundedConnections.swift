internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

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
    let served: ConnectionCount
    /// The connections that are being refused.
    let refused: ConnectionCount
    let metrics: PresentationMetrics

    init(_ http: HTTP1Channel, limit: Int, metrics: PresentationMetrics) {
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
