internal import AsyncHTTPClient
package import Logging
internal import MdocModel
internal import NIOCore
internal import NIOHTTP1
package import OpenSSLCrypto
package import ReaderService
internal import ServiceLifecycle
internal import ReaderStore
internal import Synchronization

/// Notifies others of ended presentations: signed, only if the daemon's file allows it, and again if that fails.
///
/// The body is signed with `Countersign-Signature: v1=HEX`, the HMAC-SHA-256 of `TIMESTAMP.BODY`, where the
/// timestamp is that of `Countersign-Timestamp`: the receiver compares both, and refuses what is older than a few
/// minutes.
///
/// Each caller has a share of the places for each origin (`WebhookShares`), so that a receiver that does not answer delays nobody
/// else's webhooks. An end for which there is no place, or that could not be delivered before the daemon ended, stays in the store. It
/// follows when the share has room, or after the next start, with the same `Countersign-Delivery`: the id of the presentation, by
/// which the receiver knows what it has already.
package final class WebhookQueue: Service {
    private struct Delivery: Sendable {
        let presentation: PresentationID
        let share: WebhookShares.Key
        let url: String
        let body: [UInt8]
    }

    private enum Attempt {
        case accepted, refused, unreachable
    }

    /// From one attempt to the next, in seconds.
    private static let pauses = [1, 5, 25, 125, 300]
    /// For one attempt.
    private static let timeout = TimeAmount.seconds(10)
    /// The pause before the store is read again where that failed.
    private static let storePause = Duration.seconds(5)
    /// How many connections one receiver has at most.
    private static let connectionsPerReceiver = 64

    private let origins: [WebhookOrigin]
    private let secret: SecretBytes
    private let metrics: PresentationMetrics
    private let log: Logger
    private let clock: WallClock
    private let archive: RecordArchive?
    private let shares = Mutex(WebhookShares())
    private let deliveries: AsyncStream<Delivery>
    private let given: AsyncStream<Delivery>.Continuation

    /// - Parameter archive: where what is still to be delivered is kept; nil if it is lost with the process.
    package init(
        to origins: [WebhookOrigin], secret: consuming SecretBytes, metrics: PresentationMetrics, log: Logger,
        clock: WallClock, archive: RecordArchive? = nil
    ) {
        self.origins = origins
        self.secret = secret
        self.metrics = metrics
        self.log = log
        self.clock = clock
        self.archive = archive
        (deliveries, given) = AsyncStream.makeStream()
    }

    package func accepts(_ url: String) -> Bool { origin(of: url) != nil }

    private func origin(of url: String) -> WebhookOrigin? { origins.first { $0.covers(url) } }

    /// Sends the end of a presentation. It has been written where there is an archive.
    ///
    /// - Parameter caller: the name of the caller who ordered the presentation.
    func send(_ body: [UInt8], of presentation: PresentationID, by caller: String, to url: String) {
        guard let origin = origin(of: url) else { return metrics.webhook("dropped") }
        let key = WebhookShares.Key(caller: caller, origin: origin)
        guard shares.withLock({ $0.enter(presentation, of: key) }) else {
            return metrics.webhook(archive == nil ? "dropped" : "deferred")
        }
        given.yield(Delivery(presentation: presentation, share: key, url: url, body: body))
    }

    // MARK: The store

    /// Sends what an earlier run had no time to deliver, unless it may not go there any more.
    private func sendUndelivered(of archive: RecordArchive) async {
        var keys: Set<WebhookShares.Key> = []
        for pending in await archive.pendingDeliveries() ?? [] {
            if let origin = origin(of: pending.webhook) {
                keys.insert(WebhookShares.Key(caller: pending.owner, origin: origin))
            } else {
                metrics.webhook("dropped")
                await archive.endDelivery(of: PresentationID(pending.id))
            }
        }
        for key in keys {
            shares.withLock { $0.expectMore(of: key) }
            await refill(key)
        }
    }

    /// Takes up ends of the store for which a share has room.
    private func refill(_ key: WebhookShares.Key) async {
        guard let archive else { return }
        while !Task.isCancelled, let count = shares.withLock({ $0.beginRefill(of: key) }) {
            let found = await archive.undelivered(of: key.caller, to: key.origin.text, atMost: count)
            let ids = found?.map { PresentationID($0.id) }
            let entered = shares.withLock { $0.finishRefill(of: key, found: ids, asked: count) }
            for presentation in found ?? [] {
                let id = PresentationID(presentation.id)
                guard entered.contains(id), let url = presentation.webhook else { continue }
                given.yield(
                    Delivery(
                        presentation: id, share: key, url: url, body: Array(presentation.description.utf8)))
            }
            // A delivery that ended meanwhile may have made room: the next turn asks again, or ends.
            guard found == nil else { continue }
            try? await Task.sleep(for: Self.storePause, clock: .continuous)
        }
    }

    // MARK: Deliveries

    /// Delivers until the daemon ends; what waits then is tried once more, and again after the next start.
    package func run() async throws {
        if let archive { await sendUndelivered(of: archive) }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: Self.timeout))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsPerReceiver
        let client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await delivery in deliveries {
                    group.addTask { await self.deliver(delivery, by: client) }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.given.finish()
        }
        try? await client.shutdown()
    }

    private func deliver(_ delivery: Delivery, by client: HTTPClient) async {
        let isDelivered = await tryAll(delivery, by: client)
        let words: Logger.Metadata = ["presentation": "\(delivery.presentation)"]
        if isDelivered {
            await end(delivery, "delivered")
        } else if Task.isCancelled, archive != nil {
            log.notice("a webhook waits for the next start", metadata: words)
        } else {
            log.warning("a webhook is given up", metadata: words)
            await end(delivery, "given_up")
        }
        let needsMore = shares.withLock { $0.leave(delivery.presentation, of: delivery.share) }
        if needsMore { await refill(delivery.share) }
    }

    /// Makes an attempt after each pause, and whenever the receiver answers again.
    private func tryAll(_ delivery: Delivery, by client: HTTPClient) async -> Bool {
        var pauses = Self.pauses[...]
        while true {
            let recoveries = shares.withLock { $0.recoveries(of: delivery.share) }
            if await attempt(delivery, by: client) { return true }
            guard let pause = pauses.first, !Task.isCancelled else { return false }
            if await wait(pause, delivery, since: recoveries) { pauses.removeFirst() }
        }
    }

    /// Waits for the next attempt.
    ///
    /// - Returns: whether the time is over; false where the receiver answers again before.
    private func wait(_ seconds: Int, _ delivery: Delivery, since recoveries: Int) async -> Bool {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        shares.withLock { $0.pause(delivery.presentation, of: delivery.share, since: recoveries, wake) }
        defer { shares.withLock { $0.resume(delivery.presentation, of: delivery.share) } }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds), clock: .continuous)
                return true
            }
            group.addTask { await wakes.first { _ in true } == nil }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
    }

    private func end(_ delivery: Delivery, _ outcome: String) async {
        await archive?.endDelivery(of: delivery.presentation)
        metrics.webhook(outcome)
    }

    private func attempt(_ delivery: Delivery, by client: HTTPClient) async -> Bool {
        guard let request = signed(delivery) else { return false }
        // An attempt that has started continues when the daemon ends: it has its own deadline.
        let exchange = Task { () -> Attempt in
            // The status is the answer: a body is not waited for.
            let response = try await client.execute(request, deadline: .now() + Self.timeout)
            return (200..<300).contains(Int(response.status.code)) ? .accepted : .refused
        }
        let result = (try? await exchange.value) ?? .unreachable
        shares.withLock { shares in
            switch result {
            case .accepted: shares.succeeded(delivery.share)
            case .refused: break
            case .unreachable: shares.failed(delivery.share)
            }
        }
        return result == .accepted
    }

    private func signed(_ delivery: Delivery) -> HTTPClientRequest? {
        let timestamp = "\(clock.now.secondsSince1970)"
        let parts = [Array("\(timestamp).".utf8)[...], delivery.body[...]]
        guard let signature = try? hmacSHA256(key: secret, over: parts) else { return nil }
        var request = HTTPClientRequest(url: delivery.url)
        request.method = .POST
        for (name, value) in [
            ("User-Agent", "Countersign"), ("Content-Type", "application/json"),
            ("Countersign-Delivery", delivery.presentation.description), ("Countersign-Timestamp", timestamp),
            ("Countersign-Signature", "v1=\(signature.hexadecimal)"),
        ] { request.headers.add(name: name, value: value) }
        request.body = .bytes(delivery.body)
        return request
    }
}
