import CommandBench
import Foundation
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import PKIX
import TestCredentials
import Testing

@Suite("countersign identity authority")
struct IdentityAuthorityTests {
    let store: IdentityStore

    init() throws {
        store = try IdentityStore()
    }

    private func make(_ name: String, _ further: String...) async throws -> CommandRun {
        try await execute(
            ["identity", "authority", "init", name, "--store", store.path, "--at", IdentityStore.now]
                + further)
    }

    @Test("Root and identity fit the reader's profile, and a later identity has the same root")
    func profile() async throws {
        let roots = ["one", "two"].map { store.folder.path($0) }
        for (name, root) in zip(["first", "second"], roots) {
            let made = try await make(name, "--root-file", root)
            #expect(made.status == 0, "\(made.everything)")
            #expect(made.output.contains("subject: CN=\(name),O=Laboratory"), "\(made.output)")
            #expect(made.output.contains("sent to wallets: 1 certificate; the root is stored and never sent"))
        }
        let lint = try await store.run("lint")
        #expect(lint.status == 0 && lint.output == "first: in order\nsecond: in order\n")
        #expect(try Data(contentsOf: URL(filePath: roots[0])) == Data(contentsOf: URL(filePath: roots[1])))
        #expect(try permissions(of: store.path + "/authority/key.pem") == 0o600)
    }

    @Test("An identity that exists is not overwritten, and nothing is made")
    func taken() async throws {
        #expect(try await store.run("init", "counter").status == 0)
        let made = try await make("counter")
        #expect(made.status == 64 && made.errors.contains("not overwritten"), "\(made.everything)")
        #expect(!FileManager.default.fileExists(atPath: store.path + "/authority"))
    }

    @Test("A key of the authority that others can read certifies nobody")
    func exposed() async throws {
        #expect(try await make("first").status == 0)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: store.path + "/authority/key.pem")
        let made = try await make("second")
        #expect(made.status == 2 && made.errors.contains("chmod go="), "\(made.everything)")
        #expect(try await store.run("list").output.contains("second") == false)
    }

    @Test("The software wallet that has the root shows this reader as authenticated, and answers no other")
    func wallet() async throws {
        let root = store.folder.path("readers.pem")
        let made = try await execute([
            "identity", "authority", "init", "counter", "--store", store.path, "--root-file", root,
        ])
        #expect(made.status == 0, "\(made.everything)")
        try Data(#"{"acceptTestDocuments": true}"#.utf8).write(to: URL(filePath: store.path + "/policy.json"))
        let known = try await WalletAtLink(["--reader-roots", root])
        let answered = try await known.request(
            ["--age-over", "21", "--identity", "counter", "--store", store.path])
        #expect(answered.status == 0 && answered.output.contains("over 21 yes"), "\(answered.everything)")
        try await known.wallet.said("the reader is authenticated: CN=counter,O=Laboratory")
        let unsigned = try await WalletAtLink(["--reader-roots", root])
        #expect(try await unsigned.request().status == 3)
        try await unsigned.wallet.said("the reader is not authenticated: the reader's request is not signed")
        let other = try await WalletAtLink([
            "--reader-roots", store.folder.write(store.authority.der, as: "other"),
        ])
        let refused = try await other.request(
            ["--age-over", "21", "--identity", "counter", "--store", store.path])
        #expect(refused.status == 3, "\(refused.everything)")
        try await other.wallet.said(
            "the reader is not authenticated: no root in --reader-roots or --reader-list issued the reader's certificate"
        )
    }

    /// A RICAL that names the authority, of a provider that both began a minute ago.
    private func list(
        of authority: [UInt8], _ more: [(String, [UInt8])] = []
    ) throws -> (list: [UInt8], provider: [UInt8]) {
        let begin = Int64(Date().timeIntervalSince1970) - 60
        let provider = try TestAuthority(
            [(.countryName, "UT"), (.commonName, "Provider")], notBefore: begin, notAfter: begin + 3600)
        var list = try TestRICAL([.init(authority, more)], provider: provider) { template in
            var template = template
            (template.notBefore, template.notAfter) = (begin, begin + 3600)
            return template
        }
        list.date = "\(Timestamp(secondsSince1970: begin))"
        list.nextUpdate = nil
        return (try list.encoded(), provider.der)
    }

    @Test(
        "A wallet with a list of readers' authorities answers a reader that one of them certified, and no other"
    )
    func readerList() async throws {
        let root = store.folder.path("readers.pem")
        let made = try await execute([
            "identity", "authority", "init", "counter", "--store", store.path, "--root-file", root,
        ])
        #expect(made.status == 0, "\(made.everything)")
        try Data(#"{"acceptTestDocuments": true}"#.utf8).write(to: URL(filePath: store.path + "/policy.json"))
        let ours = try #require(
            try PEM.decode([UInt8](Data(contentsOf: URL(filePath: root)))[...], label: "CERTIFICATE").first)
        let constraint = Encoded.array([Encoded.map([("extensions", Encoded.map([]))])])
        for (authority, more, status) in [
            (ours, [], 0), (store.authority.der, [], 3), (ours, [("trustConstraints", constraint)], 3),
        ] as [([UInt8], [(String, [UInt8])], Int32)] {
            let (list, provider) = try list(of: authority, more)
            let wallet = try await WalletAtLink([
                "--reader-list", store.folder.write(list, as: "list"),
                "--reader-list-provider", store.folder.write(provider, as: "provider"),
            ])
            let run = try await wallet.request(
                ["--age-over", "21", "--identity", "counter", "--store", store.path])
            #expect(run.status == status, "\(run.everything)")
        }
    }

    @Test("A list of another provider, or without its provider, is refused before a reader can ask")
    func otherReaderList() async throws {
        let (list, _) = try list(of: store.authority.der)
        let path = try store.folder.write(list, as: "list")
        let other = try store.folder.write(store.authority.der, as: "other")
        let wallet = ["wallet", "--listen", "tcp://127.0.0.1:0", "--reader-list", path]
        let refused = try await executeLab(wallet + ["--reader-list-provider", other])
        #expect(refused.status == 65, "\(refused.everything)")
        #expect(refused.errors.contains("the provider's root did not issue the RICAL signer's certificate"))
        let alone = try await executeLab(wallet)
        #expect(
            alone.status == 64
                && alone.errors.contains("Give --reader-list and --reader-list-provider together"),
            "\(alone.everything)")
    }
}
