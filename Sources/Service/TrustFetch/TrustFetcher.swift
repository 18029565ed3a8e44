internal import HTTPClient
package import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX

/// A downloader of trust lists over HTTP, within limits, which returns the bytes of each list with their URL
/// and time.
///
/// `countersign trust update` passes the targets of a `FetchPlan`, and `countersign trust import` passes the
/// targets that the user names. Several lists are requested at a time, each by a `FetchExchange` in a
/// separate task, through one `CurlClient` for each call of `fetch`.
///
/// - A request carries no cookie, no credential and no data of a user. A server learns which list is
///   requested, the client's network address, and that Countersign is the client.
/// - Only locations that a trusted issuer named should be requested, never a location that occurs only in a
///   phone's message.
/// - If one list fails, the other lists are still fetched. Every target has a result.
///
/// The fetcher neither verifies nor stores a list. Signature, age and issuer of a list are checked when the
/// list is admitted to a snapshot.
package struct TrustFetcher: Sendable {
    private let limits: FetchLimits
    private let trust: ClientTrust

    /// - Throws: `serverRootsUnreadable` if the PEM in `roots` cannot be read.
    package init(
        _ roots: ServerRoots = .system, limits: FetchLimits = FetchLimits()
    ) throws(TrustFetchError) {
        self.limits = limits
        trust = try roots.trust()
    }

    /// Requests all `targets`, several at a time, within the time `FetchLimits.batch`. When this time is over
    /// or the task is cancelled, connections in progress end immediately.
    ///
    /// - Parameter now: the time that each list records as the time of its download.
    /// - Returns: one result for each target, in the order of the targets.
    package func fetch(_ targets: [FetchTarget], at now: Timestamp) async -> [FetchResult] {
        let end = ContinuousClock.now.advanced(by: limits.batch)
        // No connection is kept for later requests, because a server could close a kept connection just when
        // the next request is sent over it.
        let client = CurlClient(
            trust, keepsConnections: nil, connectionsPerHost: max(1, limits.concurrent))
        let room = FetchRoom(bytes: limits.total)
        var outcomes: [Int: Result<TrustSource, TrustFetchError>] = [:]
        await withTaskGroup(of: (Int, Result<TrustSource, TrustFetchError>).self) { group in
            var waiting = targets.indices.makeIterator()
            /// Starts the download of the next list. If no time is left, the download fails without a
            /// request.
            func startNext() {
                guard let index = waiting.next() else { return }
                let left = ContinuousClock.now.duration(to: end)
                let exchange = FetchExchange(
                    target: targets[index], client: client, limits: limits, room: room,
                    end: left < limits.whole ? (end, .batch) : (.now + limits.whole, .whole), now: now)
                group.addTask { (index, left > .zero ? await exchange.run() : .failure(.timedOut(.batch))) }
            }
            for _ in 0..<max(1, limits.concurrent) { startNext() }
            while let (index, outcome) = await group.next() {
                outcomes[index] = outcome
                startNext()
            }
        }
        await client.close()
        // Each target has an outcome, so `cancelled` is never used here.
        return targets.indices.map { index in
            FetchResult(target: targets[index], outcome: outcomes[index] ?? .failure(.cancelled))
        }
    }
}

/// The roots that verify the certificates of servers. These roots do not make any issuer trusted.
package enum ServerRoots: Sendable {
    /// The roots of the operating system.
    case system
    /// The certificates of this PEM instead of the operating system's, for a shop whose proxy decrypts TLS.
    case pem([UInt8])
}

extension ServerRoots {
    /// Returns the roots in the form of the HTTP client.
    fileprivate func trust() throws(TrustFetchError) -> ClientTrust {
        guard case .pem(let pem) = self else { return ClientTrust(.system) }
        guard let roots = try? certificates(fromPEMOrDER: pem[...]) else { throw .serverRootsUnreadable }
        return ClientTrust(.pem(roots.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }))
    }
}
