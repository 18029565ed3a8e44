import HTTPSBench
import MdocTrust
import Testing
import TestCredentials
import TrustFetch

@Suite("Lists fetched")
struct FetchTests {
    private typealias Paths = [TrustSource.Kind: String]

    /// A server with a root and a list of each kind that it or its people signed; and where each is.
    private func world() async throws -> (scene: FetchScene, root: TestAuthority, paths: Paths) {
        let root = try TestAuthority()
        let provider = try TestVICAL([TestVICAL.Entry(root.der)], provider: root)
        let scene = try await FetchScene([
            "/root": .serving(root.der), "/vical": .serving(try provider.encoded()),
            "/crl": .serving(try TestRevocationList(root).encoded()),
        ])
        // These say where they are published.
        for (path, kind) in [("/status", StatusToken.Kind.statusList), ("/identifiers", .identifierList)] {
            var token = try TestStatusToken(kind, authority: root)
            token.subject = scene.server.url(path)
            scene.server.answer(path, with: .serving(try token.encoded()))
        }
        return (
            scene, root,
            [
                .anchor: "/root", .vical: "/vical", .revocationList: "/crl", .statusList: "/status",
                .identifierList: "/identifiers",
            ]
        )
    }

    @Test("A list of each kind comes with where and when, and is let into a snapshot")
    func eachKind() async throws {
        let (scene, root, paths) = try await world()
        let targets = try paths.map { try scene.target($0.value, $0.key) }
        let results = try await scene.fetcher().fetch(targets, at: FetchScene.now)
        let snapshot = TrustSnapshot([
            .test(.anchor, "root.der", root.der), .test(.provider, "provider.der", root.der),
        ])
        #expect(results.count == 5)
        for (result, target) in zip(results, targets) {
            let source = try result.outcome.get()
            #expect(result.target == target)
            #expect(source.kind == target.identity.kind && source.name == target.identity.name)
            #expect(source.provenance == .fetched(url: target.url))
            #expect(source.obtained == FetchScene.now)
            #expect(try snapshot.admission(of: source, at: FetchScene.now) == .new)
        }
    }

    @Test("Q181 A request names the form of status list that is for an mdoc")
    func mediaTypes() async throws {
        let (scene, _, paths) = try await world()
        for kind in paths.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            _ = try await scene.fetch(paths[kind] ?? "", kind)
        }
        let accepted = Dictionary(
            uniqueKeysWithValues: scene.server.requests.map { request in
                (request.path, request.lines.filter { $0.lowercased().hasPrefix("accept:") })
            })
        #expect(accepted["/status"] == ["Accept: application/statuslist+cwt"])
        #expect(accepted["/identifiers"] == ["Accept: application/identifierlist+cwt"])
        #expect(accepted["/crl"]?.first?.contains("application/pkix-crl") == true)
    }

    @Test("A request says who asks and nothing of a user, and a cookie is not taken along")
    func nothingOfAUser() async throws {
        let scene = try await FetchScene([
            "/a": .head(length: 6, ["Set-Cookie: who=you"], then: [.send(FetchScene.body)]),
            "/b": .status(302, ["Location: /a", "Set-Cookie: who=you"]),
        ])
        let targets = try ["/a", "/b", "/a"].map { try scene.target($0) }
        _ = try await scene.fetcher().fetch(targets, at: FetchScene.now)
        _ = try await scene.fetch("/a")
        #expect(scene.server.requests.count == 5)
        for request in scene.server.requests {
            let names = request.lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(Set(names) == ["host", "user-agent", "accept", "accept-encoding"])
            #expect(request.lines.contains("User-Agent: Countersign"))
            #expect(request.lines.first == "GET \(request.path) HTTP/1.1")
        }
    }

    @Test("A list may have moved on its own host, and its source says where it was")
    func moved() async throws {
        let scene = try await FetchScene([
            "/list": .redirecting(to: "moved/2?a=b"), "/moved/2?a=b": .serving(FetchScene.body),
        ])
        let target = try scene.target("/list")
        let results = try await scene.fetcher().fetch([target], at: FetchScene.now)
        let source = try results[0].outcome.get()
        #expect(source.name == scene.server.url("/list"))
        #expect(source.provenance == .fetched(url: scene.server.url("/moved/2?a=b")))
    }

    @Test("A CRL comes without TLS, and may be sent on to TLS")
    func plain() async throws {
        let scene = try await FetchScene(["/crl": .serving(FetchScene.body)])
        let plain = try await ListServer.start(
            .plain,
            ["/here": .serving(FetchScene.body), "/there": .redirecting(to: scene.server.url("/crl"))])
        for path in ["/here", "/there"] {
            let target = try FetchTarget(.revocationList, name: plain.url(path))
            #expect(try await scene.fetcher().outcome(of: target) == .success(FetchScene.body))
        }
    }
}
