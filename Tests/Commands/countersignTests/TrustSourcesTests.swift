import CommandBench
import Foundation
import HTTPSBench
import PKIX
import TestCredentials
import Testing

/// `countersign trust sources` and `add`: published lists, and what it takes to trust one.
@Suite("trust sources")
struct TrustSourcesTests {
    let scene: TrustScene

    init() throws {
        scene = try TrustScene()
    }

    @Test(
        "Each published source says who publishes it, and where and when that was read; no key comes with it")
    func citations() throws {
        let run = try CommandRun(["trust", "sources", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let sources = try #require(run.json()["sources"] as? [[String: Any]])
        let names = sources.compactMap { $0["name"] as? String }
        #expect(names == ["aamva", "austroads", "google-wallet", "eu-age-verification", "eu-lotl"])
        for source in sources {
            #expect(
                Set(source.keys) == [
                    "name", "publisher", "format", "address", "list", "readFrom", "readOn", "note",
                ])
            let format = try #require(source["format"] as? String)
            #expect(["vical", "roots", "etsi-trusted-list"].contains(format))
            // What `trust add` cannot read has no address that it would fetch.
            if format != "vical" { #expect(source["list"] is NSNull) }
            let pages = try #require(source["readFrom"] as? [String])
            #expect(!pages.isEmpty)
            let addresses = [source["address"] as? String, source["list"] as? String].compactMap(\.self)
            #expect((pages + addresses).allSatisfy { $0.hasPrefix("https://") }, "\(source)")
            let day = try #require(source["readOn"] as? String)
            #expect(day.split(separator: "-").map(\.count) == [4, 2, 2], "\(day)")
        }
        let text = try CommandRun(["trust", "sources"]).output
        #expect(text.contains("aamva") && text.contains("read on "))
        #expect(!run.output.contains("BEGIN") && !text.contains("BEGIN"))
    }

    @Test("A published list is taken with the user's copy of its provider's root, and with no other")
    func add() async throws {
        let authority = try BenchAuthority()
        let serverRoots = try scene.write("server-roots.pem", authority.pem)
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        let stranger = try TestAuthority([(.countryName, "XX"), (.commonName, "Stranger")])
        let list = try TestVICAL([.init(scene.root.der)], provider: provider).encoded()
        let server = try await ListServer.start(
            .tls(authority, showing: .itself), ["/vical": .serving(list)])
        let own = try scene.write("provider.der", provider.der)
        for (root, outcomes, status) in try [
            (
                scene.write("stranger.der", stranger.der),
                ["provider new", "vical refused trust.vical_refused"], 2
            ),
            (own, ["provider new", "vical new"], 0),
        ] as [(String, [String], Int32)] {
            let run = try await execute([
                "trust", "add", "aamva", server.url("/vical"), "--provider", root, "--store", scene.store,
                "--at", TrustScene.time, "--server-roots", serverRoots, "--json",
            ])
            #expect(run.status == status, "\(run.everything)")
            #expect(try run.change().outcomes == outcomes)
        }
        await server.stop()
        #expect(try scene.trust("list").output.contains("trusted roots: 1;"))
    }

    @Test(
        "An unknown name, no root of the provider, and a source without an address of its list are wrong usage"
    )
    func usage() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        let root = try scene.write("provider.der", provider.der)
        let list = try scene.write("list.vical", TestVICAL([], provider: provider).encoded())
        for (arguments, words) in [
            (["nobody", list, "--provider", root], "no published source has this name"),
            (["aamva", list], "--provider"),
            (["google-wallet", "--provider", root], "https://developers.google.com/"),
        ] {
            let run = try CommandRun(
                ["trust", "add"] + arguments + ["--store", scene.store, "--at", TrustScene.time])
            #expect(run.status == 64 && run.errors.contains(words), "\(run.everything)")
        }
        #expect(!FileManager.default.fileExists(atPath: scene.store))
        let added = try scene.trust("add", "aamva", list, "--provider", root, "--json")
        #expect(try added.change().outcomes == ["provider new", "vical new"])
    }
}
