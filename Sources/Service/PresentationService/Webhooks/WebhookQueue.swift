internal import HTTPClient
package import Logging
internal import MdocModel
package import OpenSSLCrypto
package import ReaderService
internal import ServiceLifecycle
internal import ReaderStore
internal import Synchronization

/// The service that sends webhooks. A webhook is the JSON of a finished presentation, and is sent to the URL
/// that the order names.
///
/// `PresentationCoordinator` calls `send` after the finished presentation was written to the store; the
/// daemon's service group calls `run`. Only origins of the daemon's configuration receive webhooks.
///
/// **Signature.** The header `Countersign-Signature: v1=HEX` is the HMAC-SHA-256 of `TIMESTAMP.BODY`, where
/// `TIMESTAMP` is the value of the header `Countersign-Timestamp`. The receiver computes the HMAC too,
/// compares it with the header, and refuses a timestamp that is older than a few minutes.
///
/// **Attempts.** An attempt succeeds with a status of 200 to 299. After a failure the delivery pauses for the
/// times of `Schedule.pauses`, and is given up if the attempt after the last pause fails. When a receiver
/// that could not be reached accepts a delivery again, the same caller's other deliveries to this receiver
/// make their next attempt before their pause ends. Each delivery makes at most `Schedule.mostEarly` such
/// early attempts.
///
/// **Shares.** Each caller may have a limited number of deliveries to each origin at a time, its share
/// (`WebhookShares`). A receiver that does not answer therefore delays no other caller's webhooks. A webhook
/// that exceeds the limit stays in the store and is sent after another delivery has ended.
///
/// **Restart.** A webhook that was not delivered before the daemon ended is sent after the next start. The
/// header `Countersign-Delivery` contains the id of the presentation. By this id the receiver recognises a
/// webhook that it already has.
///
/// **The store.** Reads of the store do not delay deliveries, and a failed read is repeated later. If the
/// store cannot record the end of a delivery, the webhook is still not sent again in the same run.
package final class WebhookQueue: Service {
    /// The pauses and the limits of delivery attempts.
    struct Schedule: Sendable {
        /// The pauses, one after each failed attempt. After the attempt that follows the last pause, the
        /// delivery is given up.
        var pauses = [1, 5, 25, 125, 300].map { Duration.seconds($0) }
        /// The maximum number of early attempts of one delivery. An early attempt is made before the end of
        /// a pause, when the receiver answers again.
        var mostEarly = 6
        /// The time limit of one attempt.
        var timeout = Duration.seconds(10)
        /// The time between two attempts to read or write the store.
        var storePause = Duration.seconds(5)
    }

    /// A webhook on its way to its receiver.
    private struct Delivery: Sendable {
        let presentation: PresentationID
        let share: WebhookShares.Key
        let url: String
        let body: [UInt8]
    }

    /// The result of one attempt.
    private enum Attempt {
        case accepted, refused, unreachable
    }

    /// The maximum number of connections to one receiver.
    private static let connectionsPerReceiver = 64
    /// The time for which an idle connection is kept for the next delivery.
    private static let keepsConnections = Duration.seconds(60)
    private static let connectTimeout = Duration.seconds(3)

    private let origins: [WebhookOrigin]
    private let secret: SecretBytes
    private let metrics: PresentationMetrics
    private let log: Logger
    private let clock: WallClock
    private let archive: RecordArchive?
    private let schedule: Schedule
    private let shares = Mutex(WebhookShares())
    private let deliveries: AsyncStream<Delivery>
    private let queue: AsyncStream<Delivery>.Continuation

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - origins: the origins that may receive webhooks.
    ///   - secret: the key of the signatures.
    ///   - archive: the archive that keeps undelivered webhooks. Without an archive, undelivered webhooks are
    ///     lost when the process ends.
    package convenience init(
        to origins: [WebhookOrigin], secret: consuming SecretBytes, metrics: PresentationMetrics, log: Logger,
        clock: WallClock, archive: RecordArchive? = nil
    ) {
        self.init(
            to: origins, secret: secret, metrics: metrics, log: log, clock: clock, archive: archive,
            schedule: Schedule())
    }

    init(
        to origins: [WebhookOrigin], secret: consuming SecretBytes, metrics: PresentationMetrics, log: Logger,
        clock: WallClock, archive: RecordArchive?, schedule: Schedule
    ) {
        self.origins = origins
        self.secret = secret
        self.metrics = metrics
        self.log = log
        self.clock = clock
        self.archive = archive
        self.schedule = schedule
        (deliveries, queue) = AsyncStream.makeStream()
    }

    /// Whether a webhook may be sent to this URL.
    package func accepts(_ url: String) -> Bool { origin(of: url) != nil }

    private func origin(of url: String) -> WebhookOrigin? { origins.first { $0.covers(url) } }

    /// Queues a webhook, the JSON of a finished presentation, for delivery. The archive, if there is one, has
    /// stored the presentation already.
    func send(_ body: [UInt8], of presentation: PresentationID, by caller: String, to url: String) {
        guard let origin = origin(of: url) else { return metrics.webhook("dropped") }
        let key = WebhookShares.Key(caller: caller, origin: origin)
        guard shares.withLock({ $0.enter(presentation, of: key) }) else {
            // With an archive, the webhook is in the store, from which `refill` reads it later.
            return metrics.webhook(archive == nil ? "dropped" : "deferred")
        }
        queue.yield(Delivery(presentation: presentation, share: key, url: url, body: body))
    }

    // MARK: The store

    /// Queues the webhooks that an earlier run did not deliver. A webhook whose URL is no longer permitted is
    /// dropped.
    private func sendUndelivered(of archive: RecordArchive) async {
        var pending = await archive.pendingDeliveries()
        // `nil`: the store cannot be read at present.
        while pending == nil {
            try? await Task.sleep(for: schedule.storePause, clock: .continuous)
            guard !Task.isCancelled else { return }
            pending = await archive.pendingDeliveries()
        }
        var keys: Set<WebhookShares.Key> = []
        var refused: [PresentationID] = []
        for delivery in pending ?? [] {
            if let origin = origin(of: delivery.webhook) {
                keys.insert(WebhookShares.Key(caller: delivery.owner, origin: origin))
            } else {
                refused.append(PresentationID(delivery.id))
            }
        }
        shares.withLock { shares in
            for key in keys { shares.expectMore(of: key) }
        }
        await withDiscardingTaskGroup { group in
            for key in keys { group.addTask { await self.refill(key) } }
            for id in refused {
                metrics.webhook("dropped")
                // If the store does not accept this record, the next start drops the webhook again.
                await archive.endDelivery(of: id)
            }
        }
    }

    /// Queues undelivered webhooks of one share (a caller and an origin) from the store, up to the limit of
    /// the share.
    private func refill(_ key: WebhookShares.Key) async {
        guard let archive else { return }
        while !Task.isCancelled, let count = shares.withLock({ $0.beginRefill(of: key) }) {
            let found = await archive.undelivered(of: key.caller, to: key.origin.text, atMost: count)
            let ids = found?.map { PresentationID($0.id) }
            let entered = shares.withLock { $0.finishRefill(of: key, found: ids, asked: count) }
            for presentation in found ?? [] {
                let id = PresentationID(presentation.id)
                // A webhook is not queued if it is being delivered already or exceeds the limit.
                guard entered.contains(id), let url = presentation.webhook else { continue }
                queue.yield(
                    Delivery(
                        presentation: id, share: key, url: url, body: Array(presentation.description.utf8)))
            }
            // A delivery that ended during the read may have made room: the next pass of this loop reads
            // again, or ends.
            guard found == nil else { continue }
            try? await Task.sleep(for: schedule.storePause, clock: .continuous)
        }
    }

    /// Repeats the attempt to record that a delivery has ended, until the store accepts the record. When the
    /// daemon ends, one last attempt is made.
    private func recordEnd(of delivery: Delivery, in archive: RecordArchive) async {
        repeat {
            try? await Task.sleep(for: schedule.storePause, clock: .continuous)
            guard await archive.endDelivery(of: delivery.presentation, again: true) else { continue }
            let needsMore = shares.withLock { $0.recorded(delivery.presentation, of: delivery.share) }
            // The store has accepted the record: the loop ends here.
            return needsMore ? await refill(delivery.share) : ()
        } while !Task.isCancelled
    }

    // MARK: Deliveries

    /// Delivers webhooks until the daemon ends. Each webhook that still waits is then tried once more. If
    /// this attempt fails, the archive keeps the webhook for the next start.
    package func run() async throws {
        let client = CurlClient(
            ClientTrust(.system), keepsConnections: Self.keepsConnections,
            connectionsPerHost: Self.connectionsPerReceiver)
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                if let archive { group.addTask { await self.sendUndelivered(of: archive) } }
                for await delivery in deliveries {
                    group.addTask { await self.deliver(delivery, by: client) }
                }
                // Ends the pauses: each waiting delivery makes one last attempt.
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.queue.finish()
        }
        await client.close()
    }

    /// Delivers one webhook and records the result. Then queues further webhooks of the same caller and
    /// origin from the store.
    private func deliver(_ delivery: Delivery, by client: CurlClient) async {
        let isDelivered = await tryAll(delivery, by: client)
        let words: Logger.Metadata = ["presentation": "\(delivery.presentation)"]
        var isRecorded = true
        if isDelivered {
            isRecorded = await end(delivery, "delivered")
        } else if Task.isCancelled, archive != nil {
            // The daemon is ending, and the store keeps the webhook.
            log.notice("a webhook waits until the daemon starts again", metadata: words)
        } else {
            log.warning("a webhook is given up", metadata: words)
            isRecorded = await end(delivery, "given_up")
        }
        let needsMore = shares.withLock {
            $0.leave(delivery.presentation, of: delivery.share, isRecorded: isRecorded)
        }
        if needsMore { await refill(delivery.share) }
        if !isRecorded, let archive { await recordEnd(of: delivery, in: archive) }
    }

    /// Makes a first attempt, and another attempt after each pause. Before the end of a pause, it makes a
    /// limited number of early attempts when the receiver answers again. An early attempt does not start the
    /// pause again, so that a delivery that always fails is given up in time even if other deliveries to its
    /// receiver succeed.
    private func tryAll(_ delivery: Delivery, by client: CurlClient) async -> Bool {
        var early = 0
        var recoveries = shares.withLock { $0.recoveries(of: delivery.share) }
        if await attempt(delivery, by: client) { return true }
        for pause in schedule.pauses {
            let end = ContinuousClock.now + pause
            var isEarly: Bool
            repeat {
                guard !Task.isCancelled else { return false }
                isEarly = await wait(
                    until: end, delivery, since: early < schedule.mostEarly ? recoveries : nil)
                // After the last early attempt, only the end of a pause starts another attempt.
                early += isEarly ? 1 : 0
                recoveries = shares.withLock { $0.recoveries(of: delivery.share) }
                if await attempt(delivery, by: client) { return true }
            } while isEarly && ContinuousClock.now < end
        }
        return false
    }

    /// Waits until the next attempt. When the daemon ends, this function returns without waiting, and its
    /// caller makes a last attempt.
    ///
    /// - Parameter recoveries: how often the receiver had become reachable again before
    ///   the failed attempt; `nil` to wait until `end` in any case.
    /// - Returns: true if the receiver answered again before `end`.
    private func wait(
        until end: ContinuousClock.Instant, _ delivery: Delivery, since recoveries: Int?
    ) async -> Bool {
        guard let recoveries else {
            try? await Task.sleep(until: end, clock: .continuous)
            return false
        }
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
        shares.withLock { $0.pause(delivery.presentation, of: delivery.share, since: recoveries, wake) }
        defer { shares.withLock { $0.resume(delivery.presentation, of: delivery.share) } }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                try? await Task.sleep(until: end, clock: .continuous)
                return false
            }
            // The stream ends without a value if this task is cancelled.
            group.addTask { await wakes.first { _ in true } != nil }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Counts the outcome of a delivery in the metrics, and records in the store that the delivery has ended.
    ///
    /// - Returns: false if the store does not accept the record.
    private func end(_ delivery: Delivery, _ outcome: String) async -> Bool {
        metrics.webhook(outcome)
        return await archive?.endDelivery(of: delivery.presentation) ?? true
    }

    /// Makes one attempt.
    ///
    /// - Returns: whether the receiver accepted the delivery.
    private func attempt(_ delivery: Delivery, by client: CurlClient) async -> Bool {
        guard let request = signed(delivery) else { return false }
        // A separate task, so that an attempt in progress is not cancelled when the daemon ends. The
        // attempt has its own time limit.
        let exchange = Task { () async -> Attempt in
            guard let response = try? await client.send(request) else { return .unreachable }
            return (200..<300).contains(response.status) ? .accepted : .refused
        }
        let result = await exchange.value
        shares.withLock { shares in
            switch result {
            case .accepted: shares.succeeded(delivery.share)
            // A receiver that answers with an error can be reached. It is not marked as down.
            case .refused: break
            case .unreachable: shares.failed(delivery.share)
            }
        }
        return result == .accepted
    }

    /// The signed request of a delivery, or `nil` if OpenSSL cannot compute the signature.
    private func signed(_ delivery: Delivery) -> ClientRequest? {
        let timestamp = "\(clock.now.secondsSince1970)"
        let parts = [Array("\(timestamp).".utf8)[...], delivery.body[...]]
        guard let signature = try? hmacSHA256(key: secret, over: parts) else { return nil }
        var request = ClientRequest(
            delivery.url,
            headers: [
                ("User-Agent", "Countersign"), ("Content-Type", "application/json"),
                ("Countersign-Delivery", delivery.presentation.description),
                ("Countersign-Timestamp", timestamp),
                ("Countersign-Signature", "v1=\(signature.hexadecimal)"),
            ], body: delivery.body,
            limits: ClientLimits(
                connect: Self.connectTimeout, head: schedule.timeout, whole: schedule.timeout, bodySize: 0))
        // Only the status matters: the body of the response is not waited for.
        request.wantsBody = { _ in false }
        return request
    }
}

/// An origin to which webhooks may be sent: `https://host[:port]`, or `http://` on this computer.
package struct WebhookOrigin: Hashable, Sendable {
    package let text: String

    /// Returns `nil` if the text is not an origin, or would send webhooks over a network in plain text.
    package init?(_ text: String) {
        let lower = text.lowercased()
        let isPlain = lower.hasPrefix("http://")
        guard isPlain || lower.hasPrefix("https://") else { return nil }
        let authority = lower.dropFirst(isPlain ? 7 : 8)
        // An origin has no path, query, fragment or user name.
        guard !authority.isEmpty, !authority.contains(where: { "/?#@\\ ".contains($0) }) else { return nil }
        guard !isPlain || Self.isLoopback(authority) else { return nil }
        self.text = lower
    }

    /// Whether a host with an optional port is this computer.
    private static func isLoopback(_ authority: Substring) -> Bool {
        ["127.0.0.1", "localhost", "[::1]"].contains { authority == $0 || authority.hasPrefix("\($0):") }
    }

    /// Whether a URL belongs to this origin.
    package func covers(_ url: String) -> Bool {
        let lower = url.lowercased()
        guard lower.hasPrefix(text), !url.unicodeScalars.contains(where: { !$0.isASCII || $0.value <= 0x20 })
        else {
            return false
        }
        // The rest must begin a path or a query. Otherwise `https://shop.example` would also cover
        // `https://shop.example.org` and `https://shop.example@host`.
        let rest = lower.dropFirst(text.count)
        return rest.isEmpty || rest.first == "/" || rest.first == "?"
    }
}
