internal import AsyncHTTPClient
internal import MdocModel
internal import MdocTrust
internal import NIOCore
internal import NIOHTTP1

/// One list asked for, from its location to its last byte.
struct FetchExchange: Sendable {
    private static let redirections: Set<UInt> = [301, 302, 303, 307, 308]

    let target: FetchTarget
    let client: HTTPClient
    let limits: FetchLimits
    let room: FetchRoom
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
            let response = try await head(of: location)
            guard Self.redirections.contains(response.status.code),
                let next = response.headers.first(name: "location")
            else { return try await source(response, from: location) }
            location = try location.redirected(to: next, for: kind)
        }
        throw .redirectedTooOften(limit: FetchLimits.redirects)
    }

    private func head(of location: FetchLocation) async throws(TrustFetchError) -> HTTPClientResponse {
        var request = HTTPClientRequest(url: location.text)
        request.headers = [
            "User-Agent": "Countersign", "Accept": kind.mediaTypes, "Accept-Encoding": "identity",
        ]
        do {
            return try await client.execute(request, deadline: .now() + TimeAmount(limits.headers))
        } catch {
            throw TrustFetchError(error, in: .headers)
        }
    }

    private func source(
        _ response: HTTPClientResponse, from location: FetchLocation
    ) async throws(TrustFetchError) -> TrustSource {
        guard response.status == .ok else { throw .status(Int(response.status.code)) }
        guard response.headers.namesNoCoding else { throw .contentEncoded }
        let bytes = try await body(of: response)
        return TrustSource(
            kind, name: target.identity.name, provenance: .fetched(url: location.text),
            obtained: now, bytes: bytes[...])
    }

    /// Reads piece by piece and stops at the piece that is too much.
    private func body(of response: HTTPClientResponse) async throws(TrustFetchError) -> [UInt8] {
        let limit = limits.maximumSize(of: kind)
        let announced = response.headers.first(name: "content-length").flatMap(Int.init)
        if let announced, announced > limit { throw .tooLarge(limit: limit) }
        var bytes: [UInt8] = []
        do {
            for try await piece in response.body {
                guard piece.readableBytes <= limit - bytes.count else {
                    throw TrustFetchError.tooLarge(limit: limit)
                }
                guard room.take(piece.readableBytes) else {
                    throw TrustFetchError.tooLarge(limit: limits.total)
                }
                bytes.append(contentsOf: piece.readableBytesView)
            }
        } catch {
            throw TrustFetchError(error, in: .progress)
        }
        return bytes
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

extension HTTPHeaders {
    /// Whether the body comes as it is, in chunks at most.
    fileprivate var namesNoCoding: Bool {
        self[canonicalForm: "content-encoding"].allSatisfy { $0.lowercased() == "identity" }
            && self[canonicalForm: "transfer-encoding"].allSatisfy { $0.lowercased() == "chunked" }
    }
}
