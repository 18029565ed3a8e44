import CommandBench
import Foundation
import Glibc
import OpenSSLCrypto
import PKIX
import ReaderIdentityStore
import TestCredentials
import Testing

/// What keeps an identity from being used, by the ids of the reference: as `identity lint` reports it, and as a message.
@Suite("countersign identity, faults")
struct IdentityFaultTests {
    let store: IdentityStore

    init() throws {
        store = try IdentityStore()
    }

    private var certificatesPath: String { "\(store.path)/identities/counter/certificates.pem" }

    /// The id that `lint` reports for the only identity; nil where it is in order.
    private func finding(at time: String? = nil, environment: [String: String] = [:]) async throws -> String?
    {
        let run = try await execute(
            [
                "identity", "lint", "--json", "--lenient", "--warn", "0", "--store", store.path, "--at",
                time ?? IdentityStore.now,
            ],
            environment: environment)
        let identity = try #require(try run.list().first)
        let id = (identity["error"] as? [String: Any])?["id"] as? String
        #expect(run.status == (id == nil ? 0 : 2), "\(run.everything)")
        #expect((identity["passed"] as? Bool) == (id == nil))
        return id
    }

    private func write(_ bytes: some Sequence<UInt8>, _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
        try #require(unsafe chmod(path, 0o600) == 0)
    }

    /// Puts something in the place of a file; its twin is the file as it was.
    private func withFile(
        _ path: String, _ change: () throws -> Void, _ id: String, environment: [String: String] = [:]
    ) async throws {
        let before = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        try change()
        #expect(try await finding(environment: environment) == id)
        try FileManager.default.removeItem(atPath: path)
        try write(before, path)
        #expect(try await finding() == nil)
    }

    @Test(
        "A key that is no file, too long, no key, a link or in a TPM that is not there is reported by its id")
    func key() async throws {
        try await store.make("counter")
        let path = store.keyPath("counter")
        try await withFile(
            path,
            { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
            "identity.not_a_file")
        try await withFile(
            path,
            { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null") },
            "identity.file_refused")
        try await withFile(
            path, { try write([UInt8](repeating: 0x2d, count: PrivateFile.largest + 1), path) },
            "identity.too_long")
        try await withFile(path, { try write("no key".utf8, path) }, "identity.key_unusable")
        try await withFile(
            path, { try write(PEM.encode([0x30, 0x00], label: "TSS2 PRIVATE KEY"), path) }, "identity.tpm",
            environment: ["OPENSSL_MODULES": "/nonexistent"])
        try #require(unsafe chmod(path, 0o640) == 0)
        #expect(try await finding() == "identity.exposed")
        try #require(unsafe chmod(path, 0o600) == 0)
        #expect(try await finding() == nil)
    }

    @Test(
        "A key of another user is refused",
        .enabled(if: geteuid() == 0, "not root: no file can be given away"))
    func otherUser() async throws {
        try await store.make("counter")
        try #require(unsafe chown(store.keyPath("counter"), 65_534, 65_534) == 0)
        #expect(try await finding() == "identity.owned_by_other")
        try #require(unsafe chown(store.keyPath("counter"), geteuid(), getegid()) == 0)
        #expect(try await finding() == nil)
    }

    @Test(
        "Certificates that cannot be read, are no chain, or are for another key or use are reported by their id"
    )
    func certificates() async throws {
        try await store.make("counter")
        let path = certificatesPath
        let leaf = try await store.certify("counter", root: false)
        let own = try [UInt8](Data(contentsOf: URL(filePath: leaf)))
        let stranger = try TestAuthority([(.commonName, "Stranger")])
        let other = try store.authority.sign(store.authority.reader(for: TestKey()))
        let signer = try await store.certify("counter") {
            $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")]))
        }
        for (bytes, id) in [
            (Array("no certificate".utf8), "identity.certificates_unreadable"),
            (own + PEM.encode(stranger.der[...], label: "CERTIFICATE"), "identity.chain_unusable"),
            (PEM.encode(other[...], label: "CERTIFICATE"), "identity.key_not_certified"),
            (try [UInt8](Data(contentsOf: URL(filePath: signer))), "identity.profile_broken"),
        ] as [([UInt8], String)] {
            try await withFile(path, { try write(bytes, path) }, id)
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(try await finding() == "identity.no_certificates")
    }

    @Test("Before its certificate is valid and after that, an identity is reported by the id of each")
    func time() async throws {
        try await store.make("counter")
        for (time, id) in [
            ("2026-10-02T11:59:59Z", "identity.not_yet_valid"), ("2026-10-02T12:00:00Z", nil),
            ("2027-08-28T12:00:00Z", nil), ("2027-08-28T12:00:01Z", "identity.expired"),
        ] {
            #expect(try await finding(at: time) == id, "\(time)")
        }
    }

    @Test("What a command refuses without JSON has its id at the end of the message")
    func messages() async throws {
        try await store.make("counter")
        let rules = "\(store.path)/identities/choice.json"
        func expect(_ arguments: [String], _ id: String, _ status: Int32) async throws {
            let run = try await execute(["identity"] + arguments + ["--store", store.path])
            #expect(run.status == status && run.output.isEmpty, "\(arguments)")
            #expect(run.errors.hasSuffix("  [\(id)]\n"), "\(run.errors)")
        }
        try await expect(["init", "counter"], "identity.name_taken", 64)
        try await expect(["csr", "nobody", "--subject", "CN=x"], "identity.unknown", 64)
        try await expect(["choose", "--forget", "--wallet", "W"], "identity.no_such_rule", 64)
        // The twin: a rule that is there.
        #expect(try await store.run("choose", "counter", "--wallet", "W").status == 0)
        #expect(try await store.run("choose", "--forget", "--wallet", "W").status == 0)
        try write("{}".utf8, rules)
        try await expect(["choose", "counter"], "identity.rules_malformed", 65)
        try FileManager.default.removeItem(atPath: rules)
        let lock = try FolderLock("\(store.path)/identities/.lock")
        try await expect(["choose", "counter"], "identity.busy", 69)
        lock.release()
        #expect(try await store.run("choose", "counter").status == 0)
    }
}
