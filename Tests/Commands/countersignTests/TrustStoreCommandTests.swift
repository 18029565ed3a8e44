import CommandBench
internal import PKIX
import Foundation
import OpenSSLCrypto
import TestCredentials
import Testing
import VectorFiles

/// The trust store in use: by `verify`, through its history, and by several commands at once.
@Suite("The trust store")
struct TrustStoreCommandTests {
    let scene: TrustScene

    init() throws {
        scene = try TrustScene()
    }

    private func importRoot() throws -> CommandRun {
        try scene.trust("import", scene.write("root.der", scene.root.der), "--json")
    }

    // In use

    @Test("With a store and no --trust the store is used, and the result names its snapshot")
    func used() throws {
        #expect(try scene.verify().status == 64)
        #expect(try importRoot().status == 0)
        let run = try scene.verify("--json")
        #expect(run.status == 0, "\(run.output)")
        let report = try run.report()
        #expect(try report.trustSnapshot == scene.snapshot())
        #expect(report.policy?.name == "age")
        #expect(
            try scene.verify().output.contains(
                "judged by: trust snapshot \(scene.snapshot().prefix(12)), policy age")
        )
    }

    @Test("--trust takes the place of the store, for better and for worse")
    func replaced() throws {
        let other = try scene.write("other.der", TestAuthority().der)
        let own = try scene.write("own.der", scene.root.der)
        let withoutStore = try scene.verify("--trust", own, "--json")
        #expect(withoutStore.status == 0)
        _ = try scene.trust("import", other)
        #expect(try scene.verify().status == 2)
        let report = try scene.verify("--trust", own, "--json").report()
        #expect(report.verdict == "verified")
        #expect(try scene.verify("--trust", own).output.hasPrefix("VERIFIED\n"))
        #expect(try report.trustSnapshot == withoutStore.report().trustSnapshot)
        #expect(try report.trustSnapshot != scene.snapshot())
        #expect(try importRoot().status == 0)
        #expect(try scene.verify().status == 0)
        #expect(try scene.verify("--trust", other).status == 2)
    }

    @Test("The environment names the store where --store does not")
    func environment() async throws {
        _ = try importRoot()
        let run = try await execute(
            ["trust", "list", "--json"], environment: ["COUNTERSIGN_STORE": scene.store])
        #expect(run.status == 0)
        let data = try await execute(
            ["trust", "list"], environment: ["COUNTERSIGN_STORE": "", "XDG_DATA_HOME": scene.folder.url.path])
        #expect(data.status == 64)
        #expect(data.errors.contains("\(scene.folder.url.path)/countersign: the store does not exist yet"))
    }

    @Test(
        "A damaged store, another program's store or a store with open permissions is a named error, never a verdict"
    )
    func damaged() throws {
        _ = try importRoot()
        let file = URL(filePath: "\(scene.store)/countersign.sqlite")
        let whole = try Data(contentsOf: file)
        try whole.prefix(whole.count / 2).write(to: file)
        for run in [try scene.verify(), try scene.verify("--json"), try scene.trust("list")] {
            #expect(run.status == 65)
            #expect(!run.everything.contains("the trust store has no root of this issuer"))
            #expect(run.everything.contains("the store in "))
        }
        try Data("not a database".utf8).write(to: file)
        #expect(try scene.trust("import", scene.folder.path("root.der")).status == 65)
        try whole.write(to: file)
        #expect(try scene.verify().status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scene.store)
        let open = try scene.verify()
        #expect(open.status == 64)
        #expect(open.errors.contains("users other than its owner may write to the store"))
    }

    @Test(
        "Verification changes nothing in the store, and neither the store nor the report contains a document's value"
    )
    func silence() throws {
        _ = try importRoot()
        let file = URL(filePath: "\(scene.store)/countersign.sqlite")
        let before = try Data(contentsOf: file)
        let runs = try [
            scene.verify(), scene.verify("--policy", "rental"), scene.verify("--policy", "rental", "--json"),
            scene.trust("list", "--json"), scene.trust("lint", "--json"),
        ]
        #expect(try Data(contentsOf: file) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.store) == ["countersign.sqlite"])
        for text in runs.map(\.everything) + [String(decoding: before, as: UTF8.self)] {
            #expect(!text.contains("Quillfeather"))
        }
        // The twin: it is there to be found.
        #expect(try scene.verify("--json").output.contains("Quillfeather"))
    }

    // History

    @Test("A change is told by diff, taken back by rollback, and can be gone to by its id")
    func history() throws {
        let first = try #require(try importRoot().change().snapshot)
        let other = try TestAuthority([(.countryName, "XX"), (.commonName, "Other IACA")])
        let second = try #require(
            try scene.trust("import", scene.write("o.der", other.der), "--json").change().snapshot)
        let diff = try scene.trust("diff", String(first.prefix(8)))
        #expect(diff.output.contains("from trust snapshot \(first.prefix(12)) to \(second.prefix(12))"))
        #expect(diff.output.contains("  now trusted: CN=Other IACA,C=XX"))
        let json = try scene.trust("diff", second, first, "--json").json()
        #expect((json["rootsRemoved"] as? [[String: String]])?.first?["subject"] == "CN=Other IACA,C=XX")
        #expect((json["rootsAdded"] as? [Any])?.isEmpty == true)
        #expect(try scene.trust("diff", first, first).output.hasSuffix("no difference\n"))

        #expect(
            try scene.trust("rollback").output.contains("trust snapshot \(first.prefix(12)) is now current"))
        #expect(try scene.snapshot() == first)
        #expect(try scene.trust("rollback").status == 64)
        #expect(try scene.trust("rollback", String(second.prefix(10)), "--json").change().previous == first)
        #expect(try scene.snapshot() == second)
        for id in ["0000000000", "xyz", "12"] {
            #expect(try scene.trust("rollback", id).status == 64)
            #expect(try scene.trust("diff", id).status == 64)
        }
        let list = try scene.trust("list", "--json").json()
        let history = try #require(list["history"] as? [[String: Any]])
        #expect(history.map { $0["snapshot"] as? String } == [second, first])
        #expect(history.map { $0["current"] as? Bool } == [true, false])
    }

    @Test("Q184 A root is removed, and its documents are no longer believed")
    func removed() throws {
        _ = try importRoot()
        _ = try scene.trust("import", scene.write("o.der", TestAuthority().der))
        let digest = Digest(.sha256, of: scene.root.der[...]).bytes.hex
        #expect(try scene.verify().status == 0)
        let run = try scene.trust("remove", String(digest.prefix(12)), "--json")
        #expect(try run.change().outcomes == ["anchor removed"])
        #expect(try scene.verify().status == 2)
        #expect(try scene.trust("remove", digest).status == 64)
        #expect(try scene.trust("rollback").status == 0)
        #expect(try scene.verify().status == 0)
    }

    @Test("A source is shown whole, and its bytes are written as they are kept")
    func shown() throws {
        _ = try importRoot()
        let digest = Digest(.sha256, of: scene.root.der[...]).bytes.hex
        let out = scene.folder.path("out.der")
        let run = try scene.trust("show", String(digest.prefix(12)), "--out", out)
        #expect(run.status == 0)
        #expect(run.output.contains("sha256: \(digest)"))
        #expect(run.output.contains("from \(scene.folder.path("root.der"))"))
        #expect(run.output.contains("for: all document types"))
        #expect(try [UInt8](Data(contentsOf: URL(filePath: out))) == scene.root.der)
        #expect(try scene.trust("show", "ffffffffff").status == 64)
    }

    @Test("Q173, Q179 Lint tells what is over and what is odd; only what is over changes the exit code")
    func lint() throws {
        _ = try importRoot()
        #expect(try scene.trust("lint").output.hasSuffix("no faults or remarks\n"))
        let odd = try TestAuthority(
            [(.countryName, "XX"), (.commonName, "Odd")], notAfter: TestAuthority.now + 30 * TrustScene.day,
            hasKeyIdentifier: false)
        _ = try scene.trust("import", scene.write("odd.der", odd.der))
        let remarks = try scene.trust("lint", "--json")
        #expect(remarks.status == 0)
        let found = try #require(try remarks.json()["findings"] as? [[String: String]])
        #expect(found.map { $0["id"] } == ["trust.anchor_profile", "trust.anchor_expires_soon"])
        #expect(found.allSatisfy { $0["severity"] == "remark" })
        #expect(found.first?["detail"]?.contains("subject_key_identifier") == true)
        let later = try scene.trust("lint", at: "2026-12-24T12:00:00Z")
        #expect(later.status == 2)
        #expect(later.output.contains("CN=Odd,C=XX has expired  [trust.anchor_expired]"))
        #expect(later.output.contains("faults: 1, remarks: 1"))
    }

    // At once

    @Test("Of imports at the same time none is lost that was reported as done")
    func atOnce() async throws {
        _ = try importRoot()
        let files = try (0..<6).map { try scene.write("at-once-\($0).der", TestAuthority().der) }
        let (store, time) = (scene.store, TrustScene.time)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for file in files {
                group.addTask {
                    try await execute(["trust", "import", file, "--store", store, "--at", time]).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { [0, 69].contains($0) })
        let done = statuses.count { $0 == 0 }
        #expect(done >= 1)
        #expect(try scene.trust("list").output.contains("trusted roots: \(1 + done); "))
    }
}
