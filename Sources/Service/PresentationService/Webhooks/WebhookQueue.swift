internal import HTTPClient
package import Logging
internal import MdocModel
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
///
/// The store is read beside the deliveries, and read again later where that fails. A delivery whose end the store does not take is
/// not made a second time in the same run.
package final class WebhookQueue: Service {
    /// When attempts are made, and when the store is tried again.
    struct Schedule: Sendable {
        /// From one attempt to the next. After the attempt that follows the last of them a delivery is given up.
        var pauses = [1, 5, 25, 125, 300].map { Duration.seconds($0) }
        /// The maximum number of attempts that one delivery makes before a pause is over, because its receiver answers again.
        var mostEarly = 6
        /// For one attempt.
        var timeout = Duration.seconds(10)
        /// From one try to read the store, or to write to it, to the next.
        var storePause = Duration.seconds(5)
    }

    private struct Delivery: Sendable {
        let presentation: PresentationID
        let share: WebhookShares.Key
        let url: String
        let body: [UInt8]
    }

    private enum Attempt {
        case accepted, refused, unreachable
    }

    /// How many connections one receiver has at most.
    private static let connectionsPerReceiver = 64
    /// How long a connection is kept for the next delivery.
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
    private let given: AsyncStream<Delivery>.Continuation

    /// - Parameter archive: where what is still to be delivered is kept; nil if it is lost with the process.
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
        var pending = await archive.pendingDeliveries()
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
                // Where the store does not take it, the next start drops it again.
                await archive.endDelivery(of: id)
            }
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
            try? await Task.sleep(for: schedule.storePause, clock: .continuous)
        }
    }

    /// Tries until the store takes the end of a delivery that it did not take at first, and once more when the daemon ends.
    private func recordEnd(of delivery: Delivery, in archive: RecordArchive) async {
        repeat {
            try? await Task.sleep(for: schedule.storePause, clock: .continuous)
            guard await archive.endDelivery(of: delivery.presentation, again: true) else { continue }
            let needsMore = shares.withLock { $0.recorded(delivery.presentation, of: delivery.share) }
            return needsMore ? await refill(delivery.share) : ()
        } while !Task.isCancelled
    }

    // MARK: Deliveries

    /// Delivers until the daemon ends; what waits then is tried once more, and again after the next start.
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
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.given.finish()
        }
        await client.close()
    }

    private func deliver(_ delivery: Delivery, by client: CurlClient) async {
        let isDelivered = await tryAll(delivery, by: client)
        let words: Logger.Metadata = ["presentation": "\(delivery.presentation)"]
        var isRecorded = true
        if isDelivered {
            isRecorded = await end(delivery, "delivered")
        } else if Task.isCancelled, archive != nil {
            log.notice("a webhook waits for the next start", metadata: words)
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

    /// Makes an attempt after each pause, and a limited number of attempts before, when the receiver answers again. Such an attempt does
    /// not begin the pause again, so that a delivery that always fails ends in time beside deliveries that succeed.
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
                early += isEarly ? 1 : 0
                recoveries = shares.withLock { $0.recoveries(of: delivery.share) }
                if await attempt(delivery, by: client) { return true }
            } while isEarly && ContinuousClock.now < end
        }
        return false
    }

    /// Waits for the next attempt.
    ///
    /// - Parameter recoveries: as they were before the attempt that failed; nil to wait for the time alone.
    /// - Returns: whether the receiver answers again before the time is over.
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
            group.addTask { await wakes.first { _ in true } != nil }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Counts the end of a delivery, and has the store record it.
    ///
    /// - Returns: false if the store does not take it.
    private func end(_ delivery: Delivery, _ outcome: String) async -> Bool {
        metrics.webhook(outcome)
        return await archive?.endDelivery(of: delivery.presentation) ?? true
    }

    private func attempt(_ delivery: Delivery, by client: CurlClient) async -> Bool {
        guard let request = signed(delivery) else { return false }
        // An attempt that has started continues when the daemon ends: it has its own deadline.
        let exchange = Task { () async -> Attempt in
            guard let response = try? await client.send(request) else { return .unreachable }
            return (200..<300).contains(response.status) ? .accepted : .refused
        }
        let result = await exchange.value
        shares.withLock { shares in
            switch result {
            case .accepted: shares.succeeded(delivery.share)
            case .refused: break
            case .unreachable: shares.failed(delivery.share)
            }
        }
        return result == .accepted
    }

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
        // The status is the answer: a body is not waited for.
        request.wantsBody = { _ in false }
        return request
    }
}

/// Where webhooks may go: `https://host[:port]`, or plain HTTP to this computer.
package struct WebhookOrigin: Hashable, Sendable {
    package let text: String

    /// Nil if it is not an origin, or one to which a webhook would be sent in plain text over a network.
    package init?(_ text: String) {
        let lower = text.lowercased()
        let isPlain = lower.hasPrefix("http://")
        guard isPlain || lower.hasPrefix("https://") else { return nil }
        let authority = lower.dropFirst(isPlain ? 7 : 8)
        guard !authority.isEmpty, !authority.contains(where: { "/?#@\\ ".contains($0) }) else { return nil }
        guard !isPlain || Self.isHere(authority) else { return nil }
        self.text = lower
    }

    private static func isHere(_ authority: Substring) -> Bool {
        ["127.0.0.1", "localhost", "[::1]"].contains { authority == $0 || authority.hasPrefix("\($0):") }
    }

    /// Whether a URL leads there.
    package func covers(_ url: String) -> Bool {
        let lower = url.lowercased()
        guard lower.hasPrefix(text), !url.unicodeScalars.contains(where: { !$0.isASCII || $0.value <= 0x20 })
        else {
            return false
        }
        let rest = lower.dropFirst(text.count)
        return rest.isEmpty || rest.first == "/" || rest.first == "?"
    }
}
