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
/// What could not be delivered before the daemon ended follows after its next start, with the same
/// `Countersign-Delivery`: the id of the presentation, by which the receiver knows what it has already.
package final class WebhookQueue: Service {
    private struct Delivery: Sendable {
        let presentation: PresentationID
        let url: String
        let body: [UInt8]
    }

    /// How many may wait at once; further ones are dropped until the next start, and counted.
    static let mostWaiting = 256
    /// From one attempt to the next, in seconds.
    private static let pauses = [1, 5, 25, 125, 300]
    /// For one attempt.
    private static let timeout = TimeAmount.seconds(10)

    private let origins: [WebhookOrigin]
    private let secret: SecretBytes
    private let metrics: PresentationMetrics
    private let log: Logger
    private let clock: WallClock
    private let archive: RecordArchive?
    private let waiting = Mutex(0)
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

    package func accepts(_ url: String) -> Bool {
        origins.contains { $0.covers(url) }
    }

    /// The end of a presentation goes out. It has been written where there is an archive.
    func send(_ body: [UInt8], of presentation: PresentationID, to url: String) {
        let isRoom = waiting.withLock { count in
            guard count < Self.mostWaiting else { return false }
            count += 1
            return true
        }
        guard isRoom else { return metrics.webhook("dropped") }
        given.yield(Delivery(presentation: presentation, url: url, body: body))
    }

    /// Sends what an earlier run had no time to deliver, unless it may not go there any more.
    private func sendUndelivered(of archive: RecordArchive) async {
        for presentation in archive.takeUndelivered() {
            let id = PresentationID(presentation.id)
            if let url = presentation.webhook, accepts(url) {
                send(Array(presentation.description.utf8), of: id, to: url)
            } else {
                metrics.webhook("dropped")
                await archive.endDelivery(of: id)
            }
        }
    }

    /// Delivers until the daemon ends; what waits then is tried once more, and again after the next start.
    package func run() async throws {
        if let archive { await sendUndelivered(of: archive) }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3), read: Self.timeout))
        configuration.httpVersion = .http1Only
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
        defer { waiting.withLock { $0 -= 1 } }
        for pause in Self.pauses {
            if await attempt(delivery, by: client) { return await end(delivery, "delivered") }
            do { try await Task.sleep(for: .seconds(pause), clock: .continuous) } catch { break }
        }
        if await attempt(delivery, by: client) { return await end(delivery, "delivered") }
        let words: Logger.Metadata = ["presentation": "\(delivery.presentation)"]
        if Task.isCancelled, archive != nil {
            return log.notice("a webhook waits for the next start", metadata: words)
        }
        log.warning("a webhook is given up", metadata: words)
        await end(delivery, "given_up")
    }

    private func end(_ delivery: Delivery, _ outcome: String) async {
        await archive?.endDelivery(of: delivery.presentation)
        metrics.webhook(outcome)
    }

    private func attempt(_ delivery: Delivery, by client: HTTPClient) async -> Bool {
        guard let request = signed(delivery) else { return false }
        // An attempt that has started continues when the daemon ends: it has its own deadline.
        let exchange = Task { () -> Bool in
            // The status is the answer: a body is not waited for.
            let response = try await client.execute(request, deadline: .now() + Self.timeout)
            return (200..<300).contains(Int(response.status.code))
        }
        return (try? await exchange.value) ?? false
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
