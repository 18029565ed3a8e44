import CommandBench
import Foundation
import Glibc
import MdocModel
import ReaderIdentityStore
import ReaderStore
import TestCredentials
import Testing

@testable import Doctor
@testable import countersign

@Suite("doctor, of trust, identities and the store")
struct DoctorStoreTests {
    private static let now = Timestamp(secondsSince1970: 1_800_000_000)

    private static func trust(_ roots: Int, listDays: Int64? = nil, faults: [String] = []) -> TrustFacts {
        TrustFacts(
            trust: .success(
                TrustFacts.Trust(
                    roots: roots, newestList: listDays.map { now.advanced(bySeconds: -$0 * 86_400) },
                    faults: faults)), now: now)
    }

    private static func noTrust(_ error: ReaderStoreError) -> TrustFacts {
        TrustFacts(trust: .failure(error), now: now)
    }

    static let trust: [CheckExpectation<TrustFacts>] = [
        .init("roots", trust(3), .trustRoots, .ok, "3 trusted"),
        .init("no root", trust(0), .trustRoots, .failed, "no root", fix: "trust import"),
        .init(
            "no store", noTrust(.absent), .trustRoots, .failed, "no issuer is trusted", fix: "trust import"),
        .init("empty", noTrust(.empty), .trustRoots, .failed, "no issuer is trusted", fix: "trust import"),
        .init("damaged", noTrust(.damaged), .trustRoots, .failed, "truncated or was changed"),
        .init("writable", noTrust(.writableByOthers), .trustRoots, .failed, "users other than its owner"),
        .init(
            "no age without trust", noTrust(.absent), .trustAge, .skipped, "the trust store cannot be read"),
        .init("today", trust(3, listDays: 0), .trustAge, .ok, "today"),
        .init("just young enough", trust(3, listDays: 30), .trustAge, .ok, "30 days"),
        .init("old", trust(3, listDays: 31), .trustAge, .warning, "31 days", fix: "trust update"),
        .init("a clock that went back", trust(3, listDays: -5), .trustAge, .ok, "today"),
        .init("only roots", trust(3), .trustAge, .note, "only roots"),
        .init(
            "faults", trust(3, listDays: 1, faults: ["trust.anchor_expired", "trust.list_stale"]), .trustAge,
            .warning,
            "trust.anchor_expired, trust.list_stale", fix: "trust update"),
    ]

    @Test("A file that accepts test documents is warned about, and no other")
    func testDocuments() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let system = SystemFolder(root: folder.path("root"))
        func check() throws -> DoctorCheck {
            try #require(TestDocumentFacts.current(in: folder.path("store"), system).checks.first)
        }
        #expect(try check().outcome == .ok)
        for (path, name) in [
            ("store/policy.json", "policy.json"),
            ("root/etc/countersign/countersignd.json", "countersignd.json"),
        ] {
            let file = folder.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(#"{"lanes": [], "acceptTestDocuments": false}"#.utf8).write(to: file)
            #expect(try check().outcome == .ok)
            try Data(#"{"lanes": [], "acceptTestDocuments": true}"#.utf8).write(to: file)
            #expect(try check().outcome == .warning && check().detail.full.contains(name))
            try FileManager.default.removeItem(at: file)
        }
    }

    private static func identities(
        _ identities: IdentityFacts.Identity..., missing: [String] = []
    ) -> IdentityFacts {
        IdentityFacts(identities: .success(identities), missing: missing)
    }

    private static let ready = IdentityFacts.Identity(name: "counter", state: .ready, daysLeft: 300)
    private static let late = IdentityFacts.Identity(name: "wine", state: .expiresSoon, daysLeft: 12)

    static let identities: [CheckExpectation<IdentityFacts>] = [
        .init("one", identities(ready), .identityPresent, .ok, "counter"),
        .init("none", identities(), .identityPresent, .note, "requests are unsigned", fix: "identity init"),
        .init(
            "chosen and missing", identities(ready, missing: ["wine"]), .identityPresent, .failed, "wine",
            fix: "identity choose"),
        .init(
            "folder refused", IdentityFacts(identities: .failure(.exposed(path: "/x", mode: 0o777))),
            .identityPresent, .failed, "other users have access to /x", fix: "identity list"),
        .init("in order", identities(ready), .identityProfile, .ok, "follow the reader profile"),
        .init("none to judge", identities(), .identityProfile, .skipped, "no identity"),
        .init(
            "no certificate", identities(ready, .init(name: "wine", state: .noCertificates)),
            .identityProfile,
            .failed, "wine (no_certificates)", fix: "identity lint"),
        .init(
            "unusable",
            identities(.init(name: "wine", state: .unusable, problem: "identity.key_not_certified")),
            .identityProfile, .failed, "identity.key_not_certified", fix: "identity lint"),
        .init(
            "Q170 breaks the profile",
            identities(.init(name: "wine", state: .ready, daysLeft: 9, brokenRules: ["key_usage"])),
            .identityProfile, .warning, "wine (key_usage)", fix: "identity lint"),
        .init("far from its end", identities(ready), .identityExpiry, .ok, "counter: 300 days left"),
        .init(
            "Q173 the next to expire", identities(ready, late), .identityExpiry, .warning,
            "wine: 12 days left",
            fix: "identity csr wine"),
        .init(
            "Q173 expired", identities(ready, .init(name: "wine", state: .expired, daysLeft: -1)),
            .identityExpiry, .failed, "wine has expired", fix: "identity csr wine"),
        .init(
            "Q173 not yet valid", identities(.init(name: "wine", state: .notYetValid, daysLeft: 900)),
            .identityExpiry, .failed, "not valid yet", fix: "timedatectl"),
        .init(
            "without certificate nothing expires", identities(.init(name: "wine", state: .noCertificates)),
            .identityExpiry, .skipped, "no certificate"),
    ]

    private static func store(
        _ mode: UInt32 = 0o700, key: UInt32 = 0o600, own: Bool = true, free: UInt64? = 1 << 34,
        user: String? = nil, owner: String? = nil
    ) -> StoreFacts {
        StoreFacts(
            folder: "/var/lib/countersign",
            entries: [
                .init(path: "", mode: mode), .init(path: "identities/counter", mode: 0o700),
                .init(path: "identities/counter/key.pem", mode: key, isOwn: own),
            ], free: free, user: user, owner: owner)
    }

    static let stores: [CheckExpectation<StoreFacts>] = [
        .init("private", store(), .permissions, .ok, "only the owner of the store may"),
        .init(
            "none", StoreFacts(folder: "/x", entries: [], free: nil), .permissions, .skipped, "no store yet"),
        .init(
            "another's key", store(own: false), .permissions, .failed, "key.pem belongs to another",
            fix: "chown -R \"$USER\" /var/lib/countersign"),
        .init(
            "another's key, in the store of a user with a name", store(own: false, user: "countersign"),
            .permissions, .failed, "key.pem belongs to another",
            fix: "chown -R countersign /var/lib/countersign"),
        .init(
            "root, before the daemon's store", store(own: false, user: "root", owner: "countersign"),
            .permissions, .failed, "/var/lib/countersign belongs to another user: run this command as that",
            fix: "runuser -u countersign -- countersign doctor --store /var/lib/countersign"),
        .init(
            "a folder that all may write to", store(0o777), .permissions, .failed, "other users may write",
            fix: "chmod -R go-w /var/lib/countersign"),
        .init(
            "a key that all may read", store(key: 0o644), .permissions, .failed,
            "other users may read the key",
            fix: "chmod go= /var/lib/countersign/identities/counter/key.pem"),
        .init(
            "a folder that all may list the files in", store(0o755), .permissions, .warning,
            "list the files in",
            fix: "chmod 700 /var/lib/countersign"),
        .init("room", store(), .space, .ok, "16384 MiB"),
        .init("little room", store(free: 1 << 30 - 1), .space, .warning, "MiB free"),
        .init("no room", store(free: 1 << 20), .space, .failed, "1 MiB free"),
        .init("a system that does not tell", store(free: nil), .space, .skipped, "does not report"),
    ]

    @Test("Trust that is missing fails, trust that is old is a warning", arguments: trust)
    func trustIsJudged(_ expected: CheckExpectation<TrustFacts>) throws {
        try expected.expect(expected.facts.checks, of: TrustFacts.checks)
    }

    @Test("Q173 doctor reports identities that cannot be used or soon expire", arguments: identities)
    func identitiesAreJudged(_ expected: CheckExpectation<IdentityFacts>) throws {
        try expected.expect(expected.facts.checks, of: IdentityFacts.checks)
    }

    @Test("What others may read or write, and how much room there is", arguments: stores)
    func storesAreJudged(_ expected: CheckExpectation<StoreFacts>) throws {
        try expected.expect(expected.facts.checks, of: StoreFacts.checks)
    }

    @Test(
        "Names of identities and places of stores, programs and settings are shown here and reported to nobody"
    )
    func own() {
        var checks = Self.identities.map(\.facts).flatMap(\.checks)
        checks += Self.stores.map(\.facts).flatMap(\.checks)
        checks += DoctorComputerTests.crash.map(\.facts).flatMap(\.checks)
        checks += DoctorBluetoothTests.settings.map(\.facts).flatMap(\.checks)
        let texts = checks.flatMap { [$0.detail, $0.remedy?.command].compactMap(\.self) }
        for word in ["counter:", "wine", "/var/lib", "/x", "/usr/share/apport", "/etc/bluetooth"] {
            #expect(texts.contains { $0.full.contains(word) }, "\(word)")
            #expect(!texts.contains { $0.shared.contains(word) }, "\(word)")
        }
    }

    @Test("Trust that was imported is found, and what is wrong with it later")
    func imported() throws {
        let scene = try TrustScene()
        let imported = try scene.trust("import", scene.write("root.der", scene.root.der))
        try #require(imported.status == 0, "\(imported.errors)")
        // When it was imported, and when its root has expired.
        let then = Timestamp(secondsSince1970: 1_793_534_400)
        let trust = try TrustFacts.current(in: scene.store, at: then).trust.get()
        #expect(trust.roots == 1 && trust.newestList == nil && trust.faults.isEmpty)
        let late = then.advanced(bySeconds: 100 * 366 * 86_400)
        #expect(
            try TrustFacts.current(in: scene.store, at: late).trust.get().faults == ["trust.anchor_expired"])
        #expect(throws: ReaderStoreError.absent) {
            try TrustFacts.current(in: scene.folder.path("none"), at: then).trust.get()
        }
    }

    @Test(
        "Root is never told to take files from their owner, in another user's store or in its own",
        .enabled(if: geteuid() == 0, "not root"))
    func ofAnother() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = folder.path("store")
        func command() throws -> String {
            let check = try #require(StoreFacts.current(in: store).checks.first)
            #expect(check.outcome == .failed)
            return try #require(check.remedy?.command.full)
        }
        try FileManager.default.createDirectory(
            atPath: store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data().write(to: URL(filePath: "\(store)/file"))
        for path in [store, "\(store)/file"] { #expect(unsafe chown(path, 65_534, 65_534) == 0) }
        #expect(try command().hasPrefix("runuser -u ") && !command().contains("chown"))
        // The folder may be mistyped, as /var/lib is: root could take the files of other programs.
        #expect(unsafe chown(store, 0, 0) == 0)
        let check = try #require(StoreFacts.current(in: store).checks.first)
        #expect(check.outcome == .failed && check.remedy == nil)
        // The twin: without another user's file nothing fails.
        #expect(unsafe chown("\(store)/file", 0, 0) == 0)
        #expect(StoreFacts.current(in: store).checks.first?.outcome == .ok)
    }

    @Test("A store on the disk is looked at as it is")
    func onDisk() throws {
        let folder = try TemporaryFolder()
        let store = folder.path("store")
        #expect(StoreFacts.current(in: store).entries.isEmpty)
        #expect(try #require(StoreFacts.current(in: store).free) > 0)
        try FileManager.default.createDirectory(
            atPath: "\(store)/identities/counter", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data().write(to: URL(filePath: "\(store)/identities/counter/key.pem"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: "\(store)/identities/counter/key.pem")
        let facts = StoreFacts.current(in: store)
        #expect(
            facts.entries.map(\.path) == [
                "", "identities", "identities/counter", "identities/counter/key.pem",
            ])
        #expect(facts.checks.first?.detail.full.contains("other users may read the key") == true)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(store)/identities/counter/key.pem")
        #expect(StoreFacts.current(in: store).checks.first?.outcome == .ok)
    }
}
