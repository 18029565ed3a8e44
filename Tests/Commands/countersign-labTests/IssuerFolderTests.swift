import CommandBench
import Foundation
import OtherPrograms
import Testing

@Suite("wallet --issuer")
struct IssuerFolderTests {
    private let folder: TemporaryFolder
    private let issuer: String

    init() throws {
        folder = try TemporaryFolder()
        issuer = folder.path("trial/issuer")
    }

    /// Starts and ends a wallet that has nobody to answer, because its page asks nothing.
    private func start(_ further: [String] = [], issuer other: String? = nil) async throws -> CommandRun {
        try await executeLab(
            ["wallet", "--web-request", "-", "--origin", "https://shop.example", "--issuer", other ?? issuer]
                + further)
    }

    private func root() throws -> Data { try Data(contentsOf: URL(filePath: issuer + "/root.der")) }

    @Test("A second start is believed with the root of the first, and another folder's is not")
    func secondStart() async throws {
        let first = try await WalletAtLink(["--issuer", issuer])
        #expect(try await first.request().status == 0)
        let second = try await WalletAtLink(["--issuer", issuer])
        let run = try await second.request(trust: first.root)
        #expect(run.status == 0, "\(run.everything)")
        let stranger = try await WalletAtLink(["--issuer", folder.path("other")])
        let refused = try await stranger.request(trust: first.root)
        #expect(refused.status == 2)
        #expect(refused.everything.contains("issuer_certificate"), "\(refused.everything)")
    }

    @Test("The folder and its files are for their owner only, and --root is a copy")
    func modes() async throws {
        let run = try await start(["--root", folder.path("copy.der")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try permissions(of: issuer) == 0o700)
        for name in ["key.pem", "root.der"] { #expect(try permissions(of: "\(issuer)/\(name)") == 0o600) }
        #expect(try Data(contentsOf: URL(filePath: folder.path("copy.der"))) == root())
    }

    @Test("A folder that others may write, and a key that others may read, are refused")
    func exposed() async throws {
        #expect(try await start().status == 0)
        let key = issuer + "/key.pem"
        for (path, mode) in [(issuer, 0o770), (issuer, 0o702), (key, 0o640), (key, 0o604)] {
            let before = try permissions(of: path)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let run = try await start()
            #expect(run.status == 64)
            #expect(run.errors.contains("other users have access to \(path) (mode"), "\(run.errors)")
            try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: path)
        }
        #expect(try await start().status == 0)
    }

    @Test("A damaged file is named, and is not replaced", arguments: ["key.pem", "root.der"])
    func damaged(_ name: String) async throws {
        #expect(try await start().status == 0)
        let path = "\(issuer)/\(name)"
        try Data("no key".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let run = try await start()
        #expect(run.status == 65)
        #expect(run.errors.contains("\(path): not "), "\(run.errors)")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("no key".utf8))
    }

    @Test("The root of another key is refused")
    func otherKey() async throws {
        #expect(try await start().status == 0)
        #expect(try await start(issuer: folder.path("other")).status == 0)
        try FileManager.default.removeItem(atPath: issuer + "/root.der")
        try FileManager.default.copyItem(
            atPath: folder.path("other/root.der"), toPath: issuer + "/root.der")
        let run = try await start()
        #expect(run.status == 65)
        #expect(run.errors.contains("not the root certificate of key.pem"), "\(run.errors)")
    }

    @Test("A root stays the same until it would end, and is then renewed under its key")
    func renewal() async throws {
        #expect(try await start(["--at", "2026-01-01T00:00:00Z"]).status == 0)
        let (first, key) = (try root(), try Data(contentsOf: URL(filePath: issuer + "/key.pem")))
        #expect(try await start(["--at", "2029-01-01T00:00:00Z"]).status == 0)
        #expect(try root() == first)
        #expect(try await start(["--at", "2031-06-01T00:00:00Z"]).status == 0)
        #expect(try root() != first)
        #expect(try Data(contentsOf: URL(filePath: issuer + "/key.pem")) == key)
    }

    @Test("A start that was interrupted after the key is completed by the next")
    func interrupted() async throws {
        #expect(try await start().status == 0)
        try FileManager.default.removeItem(atPath: issuer + "/root.der")
        #expect(try await start().status == 0)
        #expect(try !root().isEmpty)
    }

    @Test(
        "A fault of the root, and files of a presentation, need an issuer of their own",
        arguments: [["--fault", "x509.iaca_expired"], ["--fault", "x509.anchor_no_country"]])
    func rootFaults(_ options: [String]) async throws {
        let run = try await start(options)
        #expect(run.status == 64)
        #expect(run.errors.contains("leave out --issuer"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: issuer))
        #expect(try await start(["--fault", "x509.ds_expired"]).status == 0)
        let written = try await executeLab(["wallet", "--write", folder.path("case"), "--issuer", issuer])
        #expect(written.status == 64)
    }
}
