import CommandBench
import Foundation
import OtherPrograms
import Testing

@Suite("countersign token and brand, with a TPM")
struct TokenTPMTests {
    private static let now = "2026-11-01T12:00:00Z"
    /// What TPM2OPENSSL_TCTI says where there is no TPM.
    private static let nowhere = "swtpm:path=/nowhere"
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs `countersign` on the store of this name, where `tpm` is the address of the TPM.
    private func run(
        _ arguments: String..., in store: String, tpm: String = nowhere
    ) async throws -> CommandRun {
        try await execute(
            arguments,
            environment: ["COUNTERSIGN_STORE": folder.path(store), "TPM2OPENSSL_TCTI": tpm])
    }

    private func keyPath(_ store: String) -> String { folder.path("\(store).pem") }

    /// The brand in the store of this name, with the key `k1` in the TPM.
    private func makeBrand(in store: String, tpm: String) async throws {
        let brand = try await run("brand", "add", "utopia", "--name", "Utopia Rentals", in: store)
        try #require(brand.status == 0, "\(brand.everything)")
        let key = try await run(
            "brand", "key", "add", "utopia", "--kid", "k1", "--generate", keyPath(store), "--tpm",
            in: store, tpm: tpm)
        try #require(key.status == 0, "\(key.everything)")
    }

    /// A token for the reader of the store `shop`, by the key of the store of this name.
    private func sign(with store: String, tpm: String) async throws -> CommandRun {
        let instance = try await run("token", "instance", in: "shop")
        return try await run(
            "token", "sign", "--brand", "utopia", "--kid", "k1", "--key", keyPath(store), "--instance",
            instance.output.trimmingCharacters(in: .newlines), "--at", Self.now, in: store, tpm: tpm)
    }

    private func verify(_ token: String) async throws -> CommandRun {
        let file = try folder.write(token.utf8, as: "\(UUID()).jwt")
        return try await run("token", "verify", file, "--at", Self.now, in: "shop")
    }

    @Test(
        "A brand accepts a token that its TPM key signed, and refuses one by another TPM key with the same kid",
        .enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func wholeWay() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        try await makeBrand(in: "shop", tpm: tpm.address)
        try await makeBrand(in: "stranger", tpm: other.address)
        let pem = try String(contentsOfFile: keyPath("shop"), encoding: .utf8)
        #expect(pem.hasPrefix("-----BEGIN TSS2 PRIVATE KEY-----"))
        #expect(try permissions(of: keyPath("shop")) == 0o600)

        let token = try await sign(with: "shop", tpm: tpm.address)
        #expect(token.status == 0, "\(token.everything)")
        // To verify takes no TPM.
        let believed = try await verify(token.output)
        #expect(believed.status == 0, "\(believed.everything)")
        #expect(believed.output.contains("for Utopia Rentals (utopia)"))
        let foreign = try await sign(with: "stranger", tpm: other.address)
        #expect(foreign.status == 0, "\(foreign.everything)")
        let refused = try await verify(foreign.output)
        #expect(refused.status == 2 && refused.output.contains("the token's signature does not verify"))

        let stolen = try await sign(with: "shop", tpm: other.address)
        #expect(stolen.status == 2 && stolen.output.isEmpty, "\(stolen.everything)")
        #expect(stolen.errors.contains("another TPM,") && stolen.errors.hasSuffix("  [identity.tpm]\n"))
        let absent = try await sign(with: "shop", tpm: Self.nowhere)
        #expect(absent.status == 69 && absent.output.isEmpty, "\(absent.everything)")
        #expect(absent.errors.contains("no TPM 2.0 answers"))
        withExtendedLifetime((tpm, other)) {}
    }

    @Test("Without the provider no key is added and no file left; --tpm is for a new key alone")
    func absent() async throws {
        #expect(try await run("brand", "add", "utopia", "--name", "Utopia Rentals", in: "shop").status == 0)
        let add = ["brand", "key", "add", "utopia", "--kid", "k1"]
        let environment = ["COUNTERSIGN_STORE": folder.path("shop"), "OPENSSL_MODULES": "/nowhere"]
        let generate = add + ["--generate", keyPath("shop")]
        let missing = try await execute(generate + ["--tpm"], environment: environment)
        #expect(
            missing.status == 69 && missing.errors.contains("apt-get install tpm2-openssl"),
            "\(missing.everything)")
        #expect(!FileManager.default.fileExists(atPath: keyPath("shop")))
        #expect(try await !run("brand", "list", in: "shop").output.contains("k1"))
        let given = try await execute(
            add + ["--public-key", "public.pem", "--tpm"], environment: environment)
        #expect(
            given.status == 64 && given.errors.contains("--tpm needs --generate"),
            "\(given.everything)")
        // The twin: a key in a file needs no provider.
        #expect(try await execute(generate, environment: environment).status == 0)
    }
}
