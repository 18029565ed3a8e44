import CommandBench
import Foundation
import Glibc
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

/// A store of identities that the built command works on, and an authority for readers.
final class IdentityStore {
    /// The time of all runs.
    static let now = "2026-11-01T12:00:00Z"

    let folder: TemporaryFolder
    let authority: TestAuthority
    let environment: [String: String]
    var path: String { folder.path("store") }

    init(environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        authority = try TestAuthority([(.commonName, "Utopia readers")])
        self.environment = environment
    }

    /// `countersign identity …`, on this store and at the time of the tests where that matters.
    func run(_ arguments: String..., at time: String? = nil) async throws -> CommandRun {
        let clock = ["import", "list", "lint"].contains(arguments[0]) ? ["--at", time ?? Self.now] : []
        return try await execute(
            ["identity"] + arguments + ["--store", path] + clock, environment: environment)
    }

    func keyPath(_ name: String) -> String { "\(path)/identities/\(name)/key.pem" }

    /// The key that the request of an identity is for.
    func requestedKey(_ name: String) async throws -> SubjectPublicKeyInfo {
        let run = try await run("csr", name, "--subject", "CN=Counter 1,O=Shop,C=UT")
        try #require(run.status == 0, "\(run.errors)")
        let der = try #require(PEM.decode(Array(run.output.utf8)[...], label: "CERTIFICATE REQUEST").first)
        var file = DERReader(der[...])
        var request = try file.enter(DERTag.sequence)
        var fields = try request.enter(DERTag.sequence)
        _ = try fields.read(DERTag.integer)
        _ = try fields.readElement(DERTag.sequence)
        return try SubjectPublicKeyInfo(fields.readElement(DERTag.sequence))
    }

    /// A certificate for the key of an identity, with the root, as the authority returns it in a file.
    func certify(
        _ name: String, root: Bool = true,
        _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) async throws -> String {
        let key = try await requestedKey(name)
        var template = try authority.reader(for: TestKey())
        template.subjectPublicKeyInfo = Array(key.encoding)
        template = template.with(.subjectKeyIdentifier(try key.keyIdentifier()))
        var pem = PEM.encode(try authority.sign(change(template))[...], label: "CERTIFICATE")
        if root { pem += PEM.encode(authority.der[...], label: "CERTIFICATE") }
        return try folder.write(pem, as: "\(UUID()).pem")
    }

    /// An identity that is ready.
    func make(
        _ name: String, _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) async throws {
        try #require(try await run("init", name).status == 0)
        let imported = try await run("import", name, certify(name, change), "--lenient")
        try #require(imported.status == 0, "\(imported.errors)")
    }
}

extension CommandRun {
    func list() throws -> [[String: Any]] {
        try #require(json()["identities"] as? [[String: Any]])
    }
}
