internal import HTTPClient
internal import MdocModel
package import MdocTrust
internal import PKIX
internal import Synchronization

/// The download of one list, from the first request to the last byte of the list.
struct FetchExchange: Sendable {
    private static let redirections: Set = [301, 302, 303, 307, 308]

    let target: FetchTarget
    let client: CurlClient
    let limits: FetchLimits
    let room: FetchRoom
    /// The deadline for this list, redirects included. `phase` is the limit that sets this deadline: `whole`
    /// for the time limit of one list, `batch` for the time limit of all lists.
    let end: (instant: ContinuousClock.Instant, phase: FetchPhase)
    /// The time to record in the list as the time of its download.
    let now: Timestamp

    private var kind: TrustSource.Kind { target.identity.kind }

    /// Downloads the list.
    func run() async -> Result<TrustSource, TrustFetchError> {
        do throws(TrustFetchError) {
            return .success(try await followingRedirects())
        } catch {
            return .failure(error)
        }
    }

    /// Requests the list and follows redirects, at most `FetchLimits.redirects` times.
    private func followingRedirects() async throws(TrustFetchError) -> TrustSource {
        var location = target.location
        // The first request is not a redirect, so the loop runs once more than the maximum number of
        // redirects.
        for _ in 0...FetchLimits.redirects {
            let response = try await response(from: location)
            guard Self.redirections.contains(response.status),
                let next = response.values(of: "location").first
            else { return try source(response, from: location) }
            location = try location.redirected(to: next, for: kind)
        }
        throw .redirectedTooOften(limit: FetchLimits.redirects)
    }

    /// Requests one location. Reads the body only if the status is 200 and the body has no content coding.
    private func response(from location: FetchLocation) async throws(TrustFetchError) -> ClientResponse {
        let maximumSize = limits.maximumSize(of: kind)
        // A redirected request has only the time that is left until `end`.
        var request = ClientRequest(
            location.text,
            headers: [
                ("User-Agent", "Countersign"), ("Accept", kind.mediaTypes), ("Accept-Encoding", "identity"),
            ],
            limits: ClientLimits(
                connect: limits.connect, head: limits.headers, progress: limits.progress,
                whole: end.instant - .now, bodySize: maximumSize))
        request.wantsBody = { $0.status == 200 && $0.namesNoCoding }
        request.hasRoom = { [room] in room.reserve($0) }
        do throws(ClientError) {
            return try await client.send(request)
        } catch {
            throw TrustFetchError(error, limits: (maximumSize, limits.total), whole: end.phase)
        }
    }

    /// Returns the list from a response that is no redirect.
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
    /// The value of the header `Accept`. A status list may be offered in several forms, so the header must
    /// contain the media type of the form for an mdoc (Q181).
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
    /// Whether the headers announce no content coding, such as compression. The transfer coding `chunked` is
    /// allowed.
    fileprivate var namesNoCoding: Bool {
        values(of: "content-encoding").allSatisfy { $0.lowercased() == "identity" }
            && values(of: "transfer-encoding").allSatisfy { $0.lowercased() == "chunked" }
    }
}

/// The limits of downloads: times and sizes.
package struct FetchLimits: Sendable {
    /// The maximum time for resolving the host's name, connecting, and the TLS handshake.
    package var connect: Duration = .seconds(5)
    /// The maximum time from the request to the head of the response, connection included.
    package var headers: Duration = .seconds(10)
    /// The maximum time between two pieces of a body, and from the sent request to the head of the response.
    package var progress: Duration = .seconds(10)
    /// The maximum time for the download of one list, redirects included.
    package var whole: Duration = .seconds(60)
    /// The maximum time for all lists of one `fetch` call. After this time, no further list is requested.
    package var batch: Duration = .seconds(300)
    /// The maximum number of lists that are requested at the same time.
    package var concurrent = 4
    /// The maximum size in bytes of all lists of one `fetch` call together.
    package var total = 1 << 28
    /// The maximum size of a list in bytes, by kind. A kind without an entry has the limit of the list's
    /// parser.
    package var sizes: [TrustSource.Kind: Int] = [:]

    /// The maximum number of redirects of one list.
    static let redirects = 3

    package init() {}

    /// Returns the maximum size of a list of this kind in bytes: the entry in `sizes`, or else the limit of
    /// the list's parser.
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

/// A budget of bytes for all lists of one `fetch` call together. Bytes that were received for a failed list
/// still count.
final class FetchRoom: Sendable {
    private let left: Atomic<Int>

    init(bytes: Int) { left = Atomic(bytes) }

    /// Reserves `count` bytes. Returns `false` if fewer bytes were left. Every later call then returns
    /// `false` too.
    func reserve(_ count: Int) -> Bool {
        left.subtract(count, ordering: .relaxed).newValue >= 0
    }
}
