internal import AsyncHTTPClient
package import MdocModel
internal import MdocTrust
internal import NIOCore
internal import NIOSSL

/// Fetches lists over HTTP within limits and hands their bytes on with where and when they came from. It judges nothing.
///
/// A request carries no cookie, no credential and nothing of a user; a server learns which list is asked for, from where, and
/// that Countersign asks. Only locations that a trusted issuer named should be asked: a phone's word is not enough.
package struct TrustFetcher: Sendable {
    private let limits: FetchLimits
    private let tls: TLSConfiguration

    package init(
        _ roots: ServerRoots = .system, limits: FetchLimits = FetchLimits()
    ) throws(TrustFetchError) {
        self.limits = limits
        tls = try roots.tlsConfiguration()
    }

    /// Requests all `targets`, several at a time, within the time of a batch. Connections in progress when that
    /// time is over or the task is cancelled may use the rest of their time to end.
    ///
    /// - Parameter now: the time recorded as when the lists were obtained.
    /// - Returns: one result for each target, in their order.
    package func fetch(_ targets: [FetchTarget], at now: Timestamp) async -> [FetchResult] {
        let end = ContinuousClock.now.advanced(by: limits.batch)
        let client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let room = FetchRoom(bytes: limits.total)
        var outcomes: [Int: Result<TrustSource, TrustFetchError>] = [:]
        await withTaskGroup(of: (Int, Result<TrustSource, TrustFetchError>).self) { group in
            var waiting = targets.indices.makeIterator()
            func startNext() {
                guard let index = waiting.next() else { return }
                let exchange = FetchExchange(
                    target: targets[index], client: client, limits: limits, room: room, now: now)
                group.addTask { (index, await outcome(of: exchange, until: end)) }
            }
            for _ in 0..<max(1, limits.concurrent) { startNext() }
            while let (index, outcome) = await group.next() {
                outcomes[index] = outcome
                startNext()
            }
        }
        // It fails only where it was shut down before.
        try? await client.shutdown()
        return targets.indices.map { index in
            FetchResult(target: targets[index], outcome: outcomes[index] ?? .failure(.cancelled))
        }
    }

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(limits.connect), read: TimeAmount(limits.progress)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, limits.concurrent)
        // A connection that is kept may be closed by its server just when it is used again.
        configuration.maximumUsesPerConnection = 1
        return configuration
    }

    /// What comes first: the exchange's own end, or that of its time.
    private func outcome(
        of exchange: FetchExchange, until end: ContinuousClock.Instant
    ) async -> Result<TrustSource, TrustFetchError> {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return .failure(.timedOut(.batch)) }
        let phase: FetchPhase = left < limits.whole ? .batch : .whole
        return await withTaskGroup(of: Result<TrustSource, TrustFetchError>.self) { group in
            group.addTask { await exchange.run() }
            group.addTask {
                let slept: Void? = try? await Task.sleep(for: min(left, limits.whole))
                return .failure(slept == nil ? .cancelled : .timedOut(phase))
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(.cancelled)
        }
    }
}
