import CommandBench
import Foundation
import OpenSSLCrypto
import OtherPrograms
import Testing

@Suite("countersign identity, with a TPM")
struct IdentityTPMTests {
    @Test(
        "A key in the TPM is certified and linted as one in a file is, and is of no use to another TPM",
        .enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func wholeWay() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        let store = try IdentityStore(environment: ["TPM2OPENSSL_TCTI": tpm.address])
        let made = try await store.run("init", "counter", "--tpm", "--json")
        #expect(made.status == 0, "\(made.everything)")
        #expect(try made.json()["key"] as? String == "tpm")
        let pem = try String(contentsOfFile: store.keyPath("counter"), encoding: .utf8)
        #expect(pem.hasPrefix("-----BEGIN TSS2 PRIVATE KEY-----"))
        let imported = try await store.run("import", "counter", store.certify("counter"))
        #expect(imported.status == 0, "\(imported.everything)")
        #expect(try await store.run("list").output.contains("key: TPM"))
        let lint = try await store.run("lint")
        #expect(lint.status == 0 && lint.everything == "counter: in order\n", "\(lint.everything)")

        let elsewhere = ["TPM2OPENSSL_TCTI": other.address]
        let arguments = ["identity", "lint", "--store", store.path, "--at", IdentityStore.now]
        let stolen = try await execute(arguments, environment: elsewhere)
        #expect(stolen.status == 2 && stolen.output.contains("another TPM,"), "\(stolen.everything)")
        let gone = try await execute(arguments, environment: ["TPM2OPENSSL_TCTI": "swtpm:path=/nowhere"])
        #expect(gone.status == 2 && gone.output.contains("no TPM 2.0 answers"), "\(gone.everything)")
        // To look at it takes no TPM.
        let list = try await execute(
            ["identity", "list", "--store", store.path, "--at", IdentityStore.now],
            environment: ["TPM2OPENSSL_TCTI": "swtpm:path=/nowhere"])
        #expect(list.status == 0 && list.output.contains("counter (ready)"))
        withExtendedLifetime((tpm, other)) {}
    }

    @Test(
        "Without the provider init says what to install; without a TPM that there is none; and nothing is left"
    )
    func absent() async throws {
        let store = try IdentityStore(environment: ["OPENSSL_MODULES": "/nowhere"])
        let run = try await store.run("init", "counter", "--tpm")
        #expect(run.status == 69 && run.errors.contains("apt-get install tpm2-openssl"), "\(run.everything)")
        #expect(!FileManager.default.fileExists(atPath: store.path))
        // The twin: a key in a file needs no provider.
        #expect(try await store.run("init", "counter").status == 0)
    }

    @Test(
        "A TPM that does not answer is reported as such",
        .enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func unreachable() async throws {
        let store = try IdentityStore(environment: ["TPM2OPENSSL_TCTI": "swtpm:path=/nowhere"])
        let run = try await store.run("init", "counter", "--tpm")
        #expect(run.status == 69 && run.errors.contains("no TPM 2.0 answers"), "\(run.everything)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(try await store.run("init", "counter", "--tpm", "--curve", "brainpoolP256r1").status == 64)
    }
}
