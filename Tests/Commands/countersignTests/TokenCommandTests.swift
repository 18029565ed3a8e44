import CommandBench
internal import PKIX
import Foundation
import Glibc
import MdocModel
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("countersign token and brand")
struct TokenCommandTests {
    private static let now = "2026-11-01T12:00:00Z"
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> CommandRun {
        try await execute(arguments, environment: ["COUNTERSIGN_STORE": folder.path("store")])
    }

    /// A brand with a key whose private half is `utopia.pem`.
    private func makeBrand() async throws {
        let brand = try await run(
            "brand", "add", "utopia", "--name", "Utopia Rentals", "--identity", "counter")
        try #require(brand.status == 0, "\(brand.errors)")
        let key = try await run(
            "brand", "key", "add", "utopia", "--kid", "k1", "--generate", folder.path("utopia.pem"))
        try #require(key.status == 0, "\(key.errors)")
    }

    private func sign(_ more: String..., at time: String = now) async throws -> CommandRun {
        let instance = try await run("token", "instance").output.trimmingCharacters(in: .newlines)
        return try await execute(
            [
                "token", "sign", "--brand", "utopia", "--kid", "k1", "--key", folder.path("utopia.pem"),
                "--instance", instance, "--at", time,
            ] + more)
    }

    private func verify(
        _ token: String, _ more: String..., at time: String = now
    ) async throws -> CommandRun {
        let file = try folder.write(token.utf8, as: "\(UUID()).jwt")
        return try await execute(
            ["token", "verify", file, "--at", time] + more,
            environment: ["COUNTERSIGN_STORE": folder.path("store")])
    }

    @Test(
        "From brand and key over the instance to a token that prepares the reader, with its newline and all")
    func wholeWay() async throws {
        let none = try await run("brand", "list")
        #expect(none.status == 0 && none.output.contains("no brand yet"))
        try await makeBrand()
        let list = try await run("brand", "list")
        #expect(
            list.output == """
                utopia: Utopia Rentals
                  logo: none
                  requests signed by: counter
                  key k1

                """)
        let token = try await sign()
        #expect(token.status == 0 && token.errors.isEmpty && token.output.split(separator: ".").count == 3)
        let verified = try await verify(token.output)
        #expect(verified.status == 0, "\(verified.everything)")
        #expect(verified.output.contains("for Utopia Rentals (utopia)\n  until: 2026-11-03T12:00:00Z"))
        let late = try await verify(token.output, at: "2026-11-01T12:05:00Z")
        #expect(late.status == 2 && late.output.contains("the token expired at 2026-11-01T12:05:00Z"))
    }

    @Test("--json carries the same, with every member at every time")
    func json() async throws {
        try await makeBrand()
        let signed = try await sign("--lifetime", "60", "--json").json()
        #expect(signed["brand"] as? String == "utopia" && signed["kid"] as? String == "k1")
        #expect(signed["audience"] as? String == "countersign-reader-v1")
        #expect(
            signed["issued"] as? String == Self.now && signed["expires"] as? String == "2026-11-01T12:01:00Z")
        let instance = try await run("token", "instance", "--json").json()["instance"] as? String
        #expect(instance?.count == 32 && signed["instance"] as? String == instance)
        let token = try #require(signed["token"] as? String)
        let good = try await verify(token, "--json").json()
        let bad = try await verify(token, "--json", "--audience", "else").json()
        #expect(Set(good.keys) == Set(bad.keys))
        #expect(
            good["verdict"] as? String == "verified" && good["until"] as? String == "2026-11-03T12:00:00Z")
        #expect(bad["verdict"] as? String == "rejected" && good["error"] is NSNull)
        #expect((bad["error"] as? [String: Any])?["id"] as? String == "token.audience")
        let brands = try await run("brand", "list", "--json").json()["brands"] as? [[String: Any]]
        let key = (brands?.first?["keys"] as? [[String: Any]])?.first
        #expect(
            key?["kid"] as? String == "k1" && key?["revoked"] as? Bool == false && key?["notAfter"] is NSNull)
    }

    @Test("A revoked key, another reader, a changed token and what is no token end as the codes say")
    func refused() async throws {
        try await makeBrand()
        let token = try await sign().output
        let other = try await verify(token, "--instance", String(repeating: "0", count: 32))
        #expect(other.status == 2 && other.output.contains("\"sub\" names another reader"))
        let point = try #require(token.lastIndex(of: "."))
        let after = token.index(after: point)
        let changed = token.replacingCharacters(in: after...after, with: token[after] == "A" ? "B" : "A")
        let forged = try await verify(changed)
        #expect(forged.status == 2 && forged.output.contains("the token's signature does not verify"))
        for text in ["", "a.b", "a.b.c.d", token + token] {
            #expect(try await verify(text).status == 65, "\(text)")
        }
        #expect(try await run("token", "verify", "/no/such/file").status == 64)
        #expect(try await run("brand", "key", "revoke", "k1").output.contains("key k1, revoked"))
        let revoked = try await verify(token)
        #expect(revoked.status == 2 && revoked.output.contains("was revoked"))
    }

    @Test("A key that others can read signs nothing, nor does one of another curve, nor what is no key")
    func key() async throws {
        try await makeBrand()
        let path = folder.path("utopia.pem")
        #expect(try permissions(of: path) == 0o600)
        try #require(unsafe chmod(path, 0o640) == 0)
        let exposed = try await sign()
        #expect(exposed.status == 2 && exposed.output.isEmpty && exposed.errors.contains("mode 640"))
        try #require(unsafe chmod(path, 0o600) == 0)
        #expect(try await sign().status == 0)
        func replace(_ bytes: some Sequence<UInt8>) throws {
            try Data(bytes).write(to: URL(filePath: path))
            try #require(unsafe chmod(path, 0o600) == 0)
        }
        let other = try PrivateKey.generate(.p384).unprotectedPEM().withUnprotectedBytes(Array.init)
        try replace(other)
        let curve = try await sign()
        #expect(curve.status == 64 && curve.errors.contains("not on P-256"))
        for text in ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            try replace(text.utf8)
            let unusable = try await sign()
            #expect(unusable.status == 2 && unusable.output.isEmpty, "\(text)")
            #expect(unusable.errors.hasSuffix("  [identity.key_unusable]\n"), "\(unusable.errors)")
        }
        for lifetime in ["0", "301", "x"] { #expect(try await sign("--lifetime", lifetime).status == 64) }
    }

    @Test("Nothing that is there is overwritten, and nothing is left behind where the registry refuses")
    func taken() async throws {
        try await makeBrand()
        #expect(try await run("brand", "add", "utopia", "--name", "Another").status == 64)
        let again = folder.path("again.pem")
        for arguments in [["utopia", "--kid", "k1"], ["nobody", "--kid", "k2"]] {
            let run = try await execute(
                ["brand", "key", "add"] + arguments + ["--generate", again],
                environment: ["COUNTERSIGN_STORE": folder.path("store")])
            #expect(run.status == 64 && !FileManager.default.fileExists(atPath: again), "\(run.everything)")
        }
        let before = try Data(contentsOf: URL(filePath: folder.path("utopia.pem")))
        let over = try await run(
            "brand", "key", "add", "utopia", "--kid", "k2", "--generate", folder.path("utopia.pem"))
        #expect(over.status == 64)
        #expect(try Data(contentsOf: URL(filePath: folder.path("utopia.pem"))) == before)
        #expect(try await !run("brand", "list").output.contains("k2"))
    }

    @Test("A public key is taken from PEM, with the instant up to which it is believed; another curve is not")
    func publicKey() async throws {
        try await makeBrand()
        func write(_ curve: Curve) throws -> String {
            let key = try PrivateKey.generate(curve).publicKey().subjectPublicKeyInfo
            return try folder.write(PEM.encode(key[...], label: "PUBLIC KEY"), as: "\(curve).pem")
        }
        let added = try await run(
            "brand", "key", "add", "utopia", "--kid", "k2", "--public-key", write(.p256), "--not-after",
            "2027-01-01T00:00:00Z")
        #expect(added.status == 0 && added.output.contains("key k2, until 2027-01-01T00:00:00Z"))
        let other = try await run(
            "brand", "key", "add", "utopia", "--kid", "k3", "--public-key", write(.p384))
        #expect(other.status == 64 && other.errors.contains("P-256"))
        #expect(try await run("brand", "key", "add", "utopia", "--kid", "k3").status == 64)
    }

    @Test("A fault in brands.json is reported with its line, and a logo that is no PNG is not taken")
    func faults() async throws {
        try await makeBrand()
        let svg = try folder.write(Array("<svg/>".utf8), as: "logo.svg")
        let logo = try await run("brand", "add", "arcadia", "--name", "A", "--logo", svg)
        #expect(logo.status == 65 && logo.errors.contains("not a complete PNG"))
        let file = URL(filePath: folder.path("store/brands/brands.json"))
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing("\"kty\"", with: "\"type\"").utf8).write(to: file)
        let list = try await run("brand", "list")
        #expect(list.status == 65 && list.errors.contains("brands.json, line "))
        try Data(text.utf8).write(to: file)
        #expect(try await run("brand", "list").status == 0)
    }

    @Test("A brand of any name keeps its logo, and whoever adds it again does not replace it")
    func logo() async throws {
        let brand = String(repeating: "b", count: 128)
        let png = VectorFiles.repository.appending(path: "TestVectors/portraits/still.png")
        let added = try await run("brand", "add", brand, "--name", "B", "--logo", png.path)
        #expect(added.status == 0 && added.output.contains("\(brand).png"), "\(added.errors)")
        let kept = URL(filePath: folder.path("store/brands/\(brand).png"))
        try #expect(Data(contentsOf: kept) == Data(contentsOf: png))
        try Data("mine".utf8).write(to: kept)
        #expect(try await run("brand", "add", brand, "--name", "B", "--logo", png.path).status == 64)
        try #expect(Data(contentsOf: kept) == Data("mine".utf8))
    }

    @Test("No output of any command has anything of the private key")
    func secret() async throws {
        try await makeBrand()
        let pem = try String(contentsOfFile: folder.path("utopia.pem"), encoding: .utf8)
        let line = try #require(pem.split(separator: "\n").dropFirst().first)
        for arguments in [["brand", "list"], ["brand", "list", "--json"], ["token", "instance"]] {
            let run = try await execute(arguments, environment: ["COUNTERSIGN_STORE": folder.path("store")])
            #expect(!run.everything.contains(line) && !run.everything.contains("PRIVATE"))
        }
        let signed = try await sign("--json")
        #expect(!signed.everything.contains(line) && !signed.everything.contains("PRIVATE"))
    }
}
