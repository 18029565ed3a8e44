import CommandBench
internal import PKIX
import Foundation
import HTTPSBench
import OpenSSLCrypto
import TestCredentials
import Testing
import VectorFiles

/// `countersign trust update` and `import` of URLs, against a server of our own.
@Suite("trust update")
struct TrustUpdateTests {
    let scene: TrustScene
    let authority: BenchAuthority
    let serverRoots: String

    init() throws {
        scene = try TrustScene()
        authority = try BenchAuthority()
        serverRoots = try scene.write("server-roots.pem", authority.pem)
    }

    private func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> CommandRun {
        try await execute(
            ["trust"] + arguments + ["--store", scene.store, "--at", TrustScene.time]
                + ["--server-roots", serverRoots], environment: environment)
    }

    private func server(_ answers: [String: ServedAnswer]) async throws -> ListServer {
        try await ListServer.start(.tls(authority, showing: .itself), answers)
    }

    @Test("Q176 A VICAL is fetched, renewed, and never replaced by an older, shorter or foreign one")
    func vical() async throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        let entries = try (0..<10).map { _ in TestVICAL.Entry(try TestAuthority().der) }
        var list = try TestVICAL(entries, provider: provider)
        let server = try await server(["/vical": .serving(list.encoded())])
        let url = server.url("/vical")
        _ = try scene.trust("import", scene.write("p.der", provider.der), "--as", "provider")
        let imported = try await run(["import", url, "--as", "vical", "--json"])
        #expect(imported.status == 0, "\(imported.everything)")
        #expect(try imported.change().outcomes == ["vical new"])
        let again = try await run(["update", "--json"])
        #expect(try again.status == 0 && again.change().outcomes == ["vical unchanged"])

        list.issueID = 8
        list.entries = Array(entries.prefix(9))
        server.answer("/vical", with: .serving(try list.encoded()))
        let renewed = try await run(["update", "--json"])
        #expect(try renewed.status == 0 && renewed.change().outcomes == ["vical renewed"])
        let snapshot = try scene.snapshot()

        list.issueID = 9
        list.entries = Array(entries.prefix(3))
        let stranger = try TestAuthority([(.countryName, "XX"), (.commonName, "Stranger")])
        for (bytes, reason) in try [
            (list.encoded(), "trust.shrunken"),
            (TestVICAL(entries, provider: provider).encoded(), "trust.older"),
            (TestVICAL(entries, provider: stranger).encoded(), "trust.vical_refused"),
            ([0x00], "trust.vical_refused"),
        ] {
            server.answer("/vical", with: .serving(bytes))
            let refused = try await run(["update", "--json"])
            #expect(refused.status == 2, "\(reason)")
            #expect(try refused.change().outcomes == ["vical refused \(reason)"])
            #expect(try scene.snapshot() == snapshot)
        }
        server.answer("/vical", with: .serving(try list.encoded()))
        #expect(try await run(["update", "--accept-shrunken"]).status == 0)
        await server.stop()
    }

    @Test("A proxy that the environment names is not used")
    func proxy() async throws {
        let crl = try TestRevocationList(scene.root).encoded()
        let (proxy, plain) = (
            try await ListServer.start(.plain, [:]),
            try await ListServer.start(.plain, ["/crl": .serving(crl)])
        )
        let secured = try await server(["/crl": .serving(crl)])
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, proxy.url("")) })
        for server in [plain, secured] {
            let imported = try await run(
                ["import", server.url("/crl"), "--as", "crl", "--json"], environment: environment)
            #expect(server.requests.map(\.path) == ["/crl"], "\(imported.everything)")
        }
        #expect(proxy.connections == 0)
        for server in [proxy, plain, secured] { await server.stop() }
    }

    @Test(
        "Q182 A list that cannot be fetched stops no other list: the present list stays, and nothing gets revoked"
    )
    func faults() async throws {
        let token = try TestStatusToken(authority: scene.root)
        let list = TestRevocationList(scene.root)
        let server = try await server([
            "/crl": .serving(try list.encoded()), "/gone": .serving(try list.encoded()),
        ])
        _ = try scene.trust(
            "import", scene.write("r.der", scene.root.der), scene.write("s.cwt", token.encoded()))
        for path in ["/crl", "/gone"] {
            let run = try await run(["import", server.url(path), "--as", "crl"])
            #expect(run.status == 0, "\(run.everything)")
        }
        server.answer("/gone", with: .status(404))
        var next = list
        next.extensions = [.authorityKeyIdentifier(scene.root.keyIdentifier), .crlNumber([8])]
        server.answer(
            "/crl", with: .serving(PEM.encode(try next.encoded()[...], label: "X509 CRL")))
        let run = try await run(["update", "--json"])
        #expect(run.status == 69)
        let outcomes = try run.change().outcomes
        #expect(outcomes.contains("revocation_list renewed"))
        #expect(outcomes.contains("revocation_list failed fetch.status_404"))
        // The status list's URI leads nowhere on this machine.
        #expect(outcomes.contains { $0.hasPrefix("status_list failed fetch.") })
        #expect(try scene.verify("--policy", "rental").status == 0)
        await server.stop()
    }

    @Test("Q240 An update keeps a newer list with gaps beside the complete one, until a complete one follows")
    func incomplete() async throws {
        var list = TestRevocationList(scene.root, [.init([1])])
        let server = try await server(["/crl": .serving(try list.encoded())])
        _ = try scene.trust("import", scene.write("r.der", scene.root.der))
        #expect(try await run(["import", server.url("/crl"), "--as", "crl"]).status == 0)
        list.extensions[1] = CertificateExtension(oid: .crlNumber, isCritical: false, value: [2, 1, 0xff])
        list.thisUpdate += 60
        server.answer("/crl", with: .serving(try list.encoded()))
        let run = try await run(["update"])
        #expect(run.status == 0, "\(run.everything)")
        #expect(run.output.contains("the CRL's number cannot be read"))
        #expect(try await self.run(["update", "--json"]).change().outcomes == ["revocation_list unchanged"])
        list.extensions[1] = .crlNumber([8])
        list.thisUpdate += 60
        server.answer("/crl", with: .serving(try list.encoded()))
        #expect(
            try await self.run(["update", "--json"]).change().outcomes == [
                "revocation_list renewed", "revocation_list removed",
            ])
        await server.stop()
    }

    @Test("A server that another authority vouches for is not asked")
    func foreignServer() async throws {
        let server = try await ListServer.start(
            .tls(BenchAuthority(), showing: .itself), ["/crl": .serving([0])])
        let run = try await run(["import", server.url("/crl"), "--as", "crl", "--json"])
        #expect(run.status == 69)
        #expect(
            try run.change().outcomes == ["revocation_list failed fetch.tls_certificate_refused"])
        #expect(server.requests.isEmpty)
        await server.stop()
    }

    @Test("What is no place for lists is not asked: no TLS, a provider's root, and what is no URL")
    func locations() async throws {
        for arguments in [
            ["import", "http://127.0.0.1:1/vical", "--as", "vical"],
            ["import", "https://127.0.0.1:1/root", "--as", "provider"],
            ["import", "https://user:word@127.0.0.1/crl", "--as", "crl"],
            ["import", "ldap://x/crl", "--as", "crl"],
        ] {
            #expect(try await run(arguments).status == 64, "\(arguments)")
        }
    }
}
