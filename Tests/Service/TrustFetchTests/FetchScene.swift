import HTTPSBench
import MdocModel
import MdocTrust
import TestCredentials
import TrustFetch

/// One server, and a fetcher that knows its CA.
struct FetchScene {
    static let now = Timestamp(secondsSince1970: TestAuthority.now)
    static let body = Array("a list".utf8)

    /// Time enough for a machine that has much to do, but for one phase that is to run out. That for progress is not the
    /// shortest: until the server has begun it is a head that is waited for.
    static func limits(short phase: FetchPhase? = nil) -> FetchLimits {
        var limits = FetchLimits()
        let long = Duration.seconds(30)
        limits.connect = phase == .connect ? .milliseconds(500) : long
        limits.headers = phase == .headers ? .milliseconds(700) : long
        limits.progress = phase == .progress ? .milliseconds(2500) : long
        limits.whole = phase == .whole ? .milliseconds(1100) : .seconds(40)
        limits.batch = phase == .batch ? .milliseconds(1500) : .seconds(60)
        return limits
    }

    let server: ListServer
    private let authority: BenchAuthority

    init(
        _ answers: [String: ServedAnswer] = ["/list": .serving(FetchScene.body)],
        showing shows: BenchAuthority.Shows = .itself
    ) async throws {
        authority = try BenchAuthority()
        server = try await ListServer.start(.tls(authority, showing: shows), answers)
    }

    init(speaking speaks: ListServer.Speaks) async throws {
        authority = try BenchAuthority()
        server = try await ListServer.start(speaks, ["/list": .serving(Self.body)])
    }

    func fetcher(_ limits: FetchLimits = FetchScene.limits()) throws -> TrustFetcher {
        try TrustFetcher(.pem(authority.pem), limits: limits)
    }

    func target(_ path: String, _ kind: TrustSource.Kind = .vical) throws -> FetchTarget {
        try FetchTarget(kind, name: server.url(path))
    }

    func fetch(
        _ path: String, _ kind: TrustSource.Kind = .vical, limits: FetchLimits = FetchScene.limits()
    ) async throws -> Outcome {
        try await fetcher(limits).outcome(of: target(path, kind))
    }
}

/// The bytes of a list, or why there are none: an outcome that can be compared.
typealias Outcome = Result<[UInt8], TrustFetchError>

extension TrustFetcher {
    func outcome(of target: FetchTarget) async -> Outcome {
        let results = await fetch([target], at: FetchScene.now)
        guard let outcome = results.first?.outcome else { return .failure(.cancelled) }
        return outcome.map { Array($0.bytes) }
    }
}
