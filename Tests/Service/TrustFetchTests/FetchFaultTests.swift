import HTTPSBench
import MdocTrust
import Testing
import TestCredentials
import TrustFetch

@Suite("Faults of servers")
struct FetchFaultTests {
    @Test("Q182 What a server does wrong has its name, and none is a revocation", arguments: FetchFault.table)
    func fault(_ fault: FetchFault) async throws {
        let scene = try await FetchScene([
            "/list": fault.answer, "/twin": fault.twin, "/moved": .serving(FetchScene.body),
        ])
        async let failing = scene.fetch("/list", limits: fault.limits)
        async let passing = scene.fetch("/twin")
        #expect(try await failing == .failure(fault.error))
        #expect(try await passing == .success(FetchScene.body))
        await scene.server.stop()
    }

    @Test("A list of just the size that is allowed is taken, and one byte more is not")
    func size() async throws {
        var limits = FetchScene.limits()
        limits.sizes[.vical] = 6
        let scene = try await FetchScene([
            "/fits": .head(length: nil, then: [.send(FetchScene.body), .close]),
            "/over": .head(length: nil, then: [.send(FetchScene.body + [0]), .close]),
        ])
        #expect(try await scene.fetch("/fits", limits: limits) == .success(FetchScene.body))
        #expect(try await scene.fetch("/over", limits: limits) == .failure(.tooLarge(limit: 6)))
    }

    @Test("A redirect to another host or to an address without TLS is not followed")
    func nobodyAsked() async throws {
        let (other, plain) = (
            try await ListServer.start(.plain, [:]), try await ListServer.start(.plain, [:])
        )
        let scene = try await FetchScene([
            "/host": .redirecting(to: "https://localhost:\(other.port)/x"),
            "/plain": .redirecting(to: plain.url("/x")),
        ])
        #expect(try await scene.fetch("/host") == .failure(.redirectedElsewhere))
        #expect(try await scene.fetch("/plain") == .failure(.redirectedToPlaintext))
        #expect(other.requests.isEmpty && plain.requests.isEmpty)
        #expect(scene.server.requests.count == 2)
    }
}

@Suite("Faults of TLS and of connections")
struct ConnectionFaultTests {
    private static let good = Outcome.success(FetchScene.body)

    @Test(
        "A certificate that is expired or for another host is refused, and no request is sent",
        arguments: [
            (BenchAuthority.Shows.expired, TLSFault.certificateRefused), (.anotherHost, .hostNameWrong),
        ])
    func certificate(_ shows: BenchAuthority.Shows, _ fault: TLSFault) async throws {
        let scene = try await FetchScene(showing: shows)
        #expect(try await scene.fetch("/list") == .failure(.tls(fault)))
        #expect(scene.server.requests.isEmpty)
    }

    @Test("The twin: a certificate for this host is taken, by address and by name")
    func certificateTwin() async throws {
        let scene = try await FetchScene()
        #expect(try await scene.fetch("/list") == Self.good)
        let byName = try FetchTarget(.vical, name: "https://localhost:\(scene.server.port)/list")
        #expect(try await scene.fetcher().outcome(of: byName) == Self.good)
    }

    @Test("A server of a CA that is not known is refused, and so it is by the system's roots")
    func unknownAuthority() async throws {
        let scene = try await FetchScene(speaking: .tls(BenchAuthority(), showing: .itself))
        #expect(try await scene.fetch("/list") == .failure(.tls(.certificateRefused)))
        let bySystem = try TrustFetcher(limits: FetchScene.limits())
        #expect(await bySystem.outcome(of: try scene.target("/list")) == .failure(.tls(.certificateRefused)))
        #expect(scene.server.requests.isEmpty)
    }

    @Test("A server that speaks TLS 1.1 at most is no handshake")
    func oldTLS() async throws {
        let scene = try await FetchScene(showing: .itselfOverOldTLS)
        #expect(try await scene.fetch("/list") == .failure(.tls(.handshakeFailed)))
        #expect(scene.server.requests.isEmpty)
    }

    @Test("HTTP without TLS where TLS is asked is no handshake")
    func plainOnTLSPort() async throws {
        let scene = try await FetchScene(speaking: .plain)
        let target = try FetchTarget(.vical, name: "https://127.0.0.1:\(scene.server.port)/list")
        #expect(try await scene.fetcher().outcome(of: target) == .failure(.tls(.handshakeFailed)))
        #expect(scene.server.requests.isEmpty)
    }

    @Test("A server that never says anything has its time to connect, or to answer")
    func silence() async throws {
        let scene = try await FetchScene(speaking: .nothing)
        let location = "127.0.0.1:\(scene.server.port)/list"
        let secured = try FetchTarget(.revocationList, name: "https://\(location)")
        let connecting = try scene.fetcher(FetchScene.limits(short: .connect))
        #expect(await connecting.outcome(of: secured) == .failure(.timedOut(.connect)))
        let plain = try FetchTarget(.revocationList, name: "http://\(location)")
        for phase in [FetchPhase.headers, .progress] {
            let answering = try scene.fetcher(FetchScene.limits(short: phase))
            #expect(await answering.outcome(of: plain) == .failure(.timedOut(.headers)))
        }
    }

    @Test("A host that takes no connection is unreachable")
    func refused() async throws {
        let scene = try await FetchScene()
        #expect(try await scene.fetch("/list") == Self.good)
        await scene.server.stop()
        #expect(try await scene.fetch("/list") == .failure(.unreachable))
    }

    @Test("A name that is none is not resolved")
    func unresolved() async throws {
        let label = String(repeating: "a", count: 64)
        let target = try FetchTarget(.vical, name: "https://\(label).example/list")
        let fetcher = try TrustFetcher(limits: FetchScene.limits())
        #expect(await fetcher.outcome(of: target) == .failure(.nameUnresolved))
    }

    @Test("Roots that cannot be read are none")
    func roots() throws {
        #expect(throws: TrustFetchError.serverRootsUnreadable) { _ = try TrustFetcher(.pem([])) }
        #expect(throws: TrustFetchError.serverRootsUnreadable) {
            _ = try TrustFetcher(.pem(Array("-----BEGIN CERTIFICATE-----".utf8)))
        }
        _ = try TrustFetcher(.pem(BenchAuthority().pem))
    }
}
