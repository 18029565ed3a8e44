internal import HTTPClient
internal import MdocModel
package import MdocTrust
internal import PKIX
internal import Synchronization

/// One list asked for, from its location to its last byte.
struct FetchExchange: Sendable {
    private static let redirections: Set = [301, 302, 303, 307, 308]

    let target: FetchTarget
    let client: CurlClient
    let limits: FetchLimits
    let room: FetchRoom
    /// When the time for this list is over, with all redirects, and whose time that is.
    let end: (instant: ContinuousClock.Instant, phase: FetchPhase)
    let now: Timestamp

    private var kind: TrustSource.Kind { target.identity.kind }

    func run() async -> Result<TrustSource, TrustFetchError> {
        do throws(TrustFetchError) {
            return .success(try await followed())
        } catch {
            return .failure(error)
        }
    }

    /// Goes where the server sends it, a few times.
    private func followed() async throws(TrustFetchError) -> TrustSource {
        var location = target.location
        for _ in 0...FetchLimits.redirects {
            let response = try await response(from: location)
            guard Self.redirections.contains(response.status),
                let next = response.values(of: "location").first
            else { return try source(response, from: location) }
            location = try location.redirected(to: next, for: kind)
        }
        throw .redirectedTooOften(limit: FetchLimits.redirects)
    }

    /// The response of one location, with its body where that is a list.
    private func response(from location: FetchLocation) async throws(TrustFetchError) -> ClientResponse {
        let maximumSize = limits.maximumSize(of: kind)
        var request = ClientRequest(
            location.text,
            headers: [
                ("User-Agent", "Countersign"), ("Accept", kind.mediaTypes), ("Accept-Encoding", "identity"),
            ],
            limits: ClientLimits(
                connect: limits.connect, head: limits.headers, progress: limits.progress,
                whole: end.instant - .now, bodySize: maximumSize))
        request.wantsBody = { $0.status == 200 && $0.namesNoCoding }
        request.hasRoom = { [room] in room.take($0) }
        do throws(ClientError) {
            return try await client.send(request)
        } catch {
            throw TrustFetchError(error, limits: (maximumSize, limits.total), whole: end.phase)
        }
    }

    private func source(
        _ response: ClientResponse, from location: FetchLocation
    ) throws(TrustFetchError) -> TrustSource {
        guard response.status == 200 else { throw .status(response.status) }
        guard response.namesNoCoding else { throw .contentEncoded }
        return TrustSource(
            kind, name: target.identity.name, provenance: .fetched(url: location.text),
            obtained: now, bytes: response.body[...])
    }
}

extension TrustSource.Kind {
    /// A status list may be there in other forms than the one for an mdoc, which has to be named (Q181).
    fileprivate var mediaTypes: String {
        switch self {
        case .anchor, .provider: "application/pkix-cert, application/x-pem-file, */*;q=0.5"
        case .vical: "application/cbor, application/cose, */*;q=0.5"
        case .revocationList: "application/pkix-crl, */*;q=0.5"
        case .statusList: StatusToken.Kind.statusList.rawValue
        case .identifierList: StatusToken.Kind.identifierList.rawValue
        }
    }
}

extension ClientResponse {
    /// Whether the body comes as it is, in chunks at most.
    fileprivate var namesNoCoding: Bool {
        values(of: "content-encoding").allSatisfy { $0.lowercased() == "identity" }
            && values(of: "transfer-encoding").allSatisfy { $0.lowercased() == "chunked" }
    }
}

/// How long servers have, and how much they may send.
package struct FetchLimits: Sendable {
    /// For the host's address, the connection and the TLS handshake.
    package var connect: Duration = .seconds(5)
    /// From the request to the head of its answer, connection included.
    package var headers: Duration = .seconds(10)
    /// Between two pieces of what a server sends; the head of its answer has no longer either.
    package var progress: Duration = .seconds(10)
    /// For one list, with all redirects.
    package var whole: Duration = .seconds(60)
    /// For all lists of one call. What was not asked by then is not asked.
    package var batch: Duration = .seconds(300)
    /// How many lists are asked for at the same time.
    package var concurrent = 4
    /// How many bytes all lists of one call may have together.
    package var total = 1 << 28
    /// The longest body of each kind in bytes, where it is to be less than what can be read.
    package var sizes: [TrustSource.Kind: Int] = [:]

    /// How often one request may be sent on.
    static let redirects = 3

    package init() {}

    /// The longest body of a list of this kind, in bytes: what its reader takes at most.
    package func maximumSize(of kind: TrustSource.Kind) -> Int {
        if let size = sizes[kind] { return size }
        return switch kind {
        case .anchor, .provider: 1 << 16
        case .vical: UnverifiedVICAL.maximumSize
        case .revocationList: CertificateRevocationList.maximumSize
        case .statusList, .identifierList: StatusToken.maximumSize
        }
    }
}

/// The bytes that all lists of one call may still have. What a list that failed took is not given back.
final class FetchRoom: Sendable {
    private let left: Atomic<Int>

    init(bytes: Int) { left = Atomic(bytes) }

    /// Whether there was room for so many bytes more.
    func take(_ count: Int) -> Bool {
        left.subtract(count, ordering: .relaxed).newValue >= 0
    }
}
