import CommandBench
internal import PKIX
import COSE
import Foundation
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing

/// `countersign trust export-bundle` and `import-bundle`: one signed file for shops without internet.
@Suite("Trust bundles")
struct TrustBundleTests {
    /// Where bundles are made.
    let office: TrustScene
    /// Where they are used.
    let shop: TrustScene
    let key: String
    let publicKey: String

    init() throws {
        office = try TrustScene()
        shop = try TrustScene()
        let pair = try PrivateKey.generate(.p256)
        key = try office.write("key.pem", pair.unprotectedPEM().withUnprotectedBytes(Array.init))
        let info = try pair.publicKey().subjectPublicKeyInfo
        publicKey = try office.write("public.pem", PEM.encode(info[...], label: "PUBLIC KEY"))
    }

    private func bundle(_ name: String, at time: String = TrustScene.time) throws -> String {
        let file = office.folder.path(name)
        let run = try office.trust("export-bundle", file, "--key", key, at: time)
        try #require(run.status == 0, "\(run.errors)")
        return file
    }

    private func open(_ bundle: String, _ further: String..., at time: String = TrustScene.time) throws
        -> CommandRun
    {
        try shop.run(["trust", "import-bundle", bundle, "--signed-by", publicKey] + further, at: time)
    }

    private func addRoot(_ name: String) throws -> TestAuthority {
        let root = try TestAuthority([(.countryName, "UT"), (.commonName, name)])
        try #require(try office.trust("import", office.write("\(name).der", root.der)).status == 0)
        return root
    }

    @Test("The shop trusts just what the office trusts, under the same snapshot's id")
    func round() throws {
        _ = try addRoot("A")
        _ = try shop.trust("import", shop.write("own.der", shop.root.der))
        let run = try open(bundle("b"), "--json")
        #expect(run.status == 0, "\(run.everything)")
        #expect(try run.change().outcomes == ["anchor removed", "anchor new"])
        #expect(try shop.snapshot() == office.snapshot())
        #expect(try open(office.folder.path("b"), "--json").change().changed == false)
    }

    @Test("A bundle that is older than an imported bundle is refused, even after a rollback")
    func older() throws {
        _ = try addRoot("A")
        let first = try bundle("1")
        _ = try addRoot("B")
        let second = try bundle("2", at: "2026-11-02T12:00:00Z")
        let later = "2026-11-03T12:00:00Z"
        #expect(try open(first, at: later).status == 0)
        #expect(try open(second, at: later).status == 0)
        let snapshot = try shop.snapshot()
        let refused = try open(first, at: later)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("[bundle.older]"))
        #expect(try shop.snapshot() == snapshot)
        #expect(try shop.trust("rollback").status == 0)
        #expect(try open(first, at: later).status == 2)
        #expect(try open(second, at: later).status == 0)
        #expect(try shop.snapshot() == snapshot)
    }

    /// Ends with this status, and with this id in the message; nothing is let in.
    private func expect(_ run: CommandRun, _ id: String, _ status: Int32) throws {
        #expect(run.status == status && run.output.isEmpty, "\(id): \(run.everything)")
        #expect(run.errors.contains("  [\(id)]"), "\(run.errors)")
        #expect(try shop.trust("list").status == 64)
    }

    @Test("A bundle of another key, changed by a bit, cut, or from the future is refused, each by its id")
    func refused() throws {
        _ = try addRoot("A")
        let good = try bundle("b")
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: good)))
        let changed = Array(bytes.dropLast()) + bytes.suffix(1).map { $0 ^ 1 }
        try expect(open(office.write("changed", changed)), "bundle.signature", 2)
        try expect(open(office.write("cut", Array(bytes.dropLast()))), "bundle.malformed", 65)
        try expect(open(publicKey), "bundle.malformed", 65)
        let other = try PrivateKey.generate(.p256).publicKey().subjectPublicKeyInfo
        let otherKey = try office.write("other.pem", PEM.encode(other[...], label: "PUBLIC KEY"))
        try expect(shop.trust("import-bundle", good, "--signed-by", otherKey), "bundle.signature", 2)
        try expect(open(good, at: "2026-11-01T11:00:00Z"), "bundle.not_yet_valid", 2)
        #expect(try shop.trust("import-bundle", good, "--signed-by", good).status == 64)
        #expect(try open(good).status == 0)
    }

    @Test("What the key signed, and is no bundle or another snapshot than it names, is refused by its id")
    func otherContents() throws {
        let pair = try PrivateKey(pem: Array(Data(contentsOf: URL(filePath: key)))[...])
        func signed(_ type: String, _ snapshot: [UInt8]) throws -> String {
            let payload = Encoded.map([
                ("type", Encoded.text(type)), ("created", Encoded.unsigned(UInt64(TestAuthority.now))),
                ("snapshot", Encoded.bytes(snapshot)), ("sources", Encoded.array([])),
            ])
            return try office.write(
                "signed",
                COSESigner(algorithm: .es256).sign1(
                    payload, detached: false, with: pair, algorithm: .ecdsa(.sha256)))
        }
        let type = "countersign trust bundle"
        let empty = Digest(.sha256, ofParts: []).bytes
        try expect(open(signed("something else", empty)), "bundle.type", 65)
        try expect(open(signed(type, empty.dropLast() + [empty[31] ^ 1])), "bundle.snapshot", 2)
        #expect(try open(signed(type, empty)).status == 0)
    }

    @Test("Q176 A list in a bundle that is older or shorter than the shop's keeps out the whole bundle")
    func olderList() throws {
        let root = try addRoot("A")
        let entries = (1...10).map { TestRevocationList.Entry([$0]) }
        func list(_ name: String, _ number: UInt8, _ entries: [TestRevocationList.Entry]) throws -> String {
            try office.write(name, TestRevocationList(root, entries, number: [number]).encoded())
        }
        _ = try office.trust("import", list("7.crl", 7, entries))
        let seven = try bundle("7")
        #expect(try open(seven).status == 0)
        // The shop has a newer one from elsewhere.
        #expect(try shop.trust("import", list("9.crl", 9, entries)).status == 0)
        // Where the bundle is refused, the root that it lacks is not removed.
        #expect(try shop.trust("import", shop.write("own.der", shop.root.der)).status == 0)
        let before = try shop.snapshot()
        _ = try office.trust("import", list("8.crl", 8, entries))
        let older = try open(bundle("8", at: "2026-11-01T12:00:30Z"), "--json", at: "2026-11-01T12:01:00Z")
        #expect(older.status == 2)
        #expect(try older.change().outcomes == ["anchor unchanged", "revocation_list refused trust.older"])
        #expect(try shop.snapshot() == before)

        _ = try office.trust("import", list("10.crl", 10, Array(entries.prefix(5))), "--accept-shrunken")
        let short = try bundle("10", at: "2026-11-01T12:00:40Z")
        #expect(
            try open(short, "--json", at: "2026-11-01T12:01:00Z").change().outcomes.last
                == "revocation_list refused trust.shrunken")
        #expect(try open(short, "--accept-shrunken", at: "2026-11-01T12:01:00Z").status == 0)
        #expect(try shop.snapshot() == office.snapshot())
    }

    /// Writes a bundle of these sources.
    private func bundle(_ name: String, of sources: [TrustSource]) throws -> String {
        let pair = try PrivateKey(pem: Array(Data(contentsOf: URL(filePath: key)))[...])
        let now = Timestamp(secondsSince1970: TestAuthority.now)
        return try office.write(
            name, TrustBundle.export(TrustSnapshot(sources), created: now, signedWith: pair))
    }

    @Test(
        "Q176 A bundle with an expired VICAL is refused if the VICAL is older, of another provider or much shorter"
    )
    func expiredList() throws {
        let issues = try ExpiredVICALs()
        #expect(try open(bundle("present", of: issues.present)).status == 0)
        let before = try shop.snapshot()
        for (sources, id) in [
            (issues.older, "trust.older"), (issues.ofOtherProvider, "trust.other_issuer"),
            (issues.shrunken, "trust.shrunken"),
        ] {
            let run = try open(bundle(id, of: sources), "--json")
            #expect(run.status == 2)
            #expect(try run.change().outcomes.last == "vical refused \(id)")
            #expect(try shop.snapshot() == before)
        }
        let later = try open(bundle("later", of: issues.later), "--json")
        #expect(try later.status == 0 && later.change().outcomes.last == "vical renewed trust.list_stale")
    }

    @Test("A list in a bundle that is dated ahead is taken within the clock skew, and refused beyond it")
    func ahead() throws {
        let root = TrustSource.test(.anchor, "root", shop.root.der)
        func sources(_ number: UInt8, secondsAhead: Int64) throws -> [TrustSource] {
            var list = TestRevocationList(shop.root, [.init([7])], number: [number])
            list.thisUpdate = TestAuthority.now + secondsAhead
            return [root, .test(.revocationList, "crl", try list.encoded())]
        }
        #expect(try open(bundle("present", of: sources(7, secondsAhead: -3600))).status == 0)
        let near = try bundle("near", of: sources(8, secondsAhead: 200))
        #expect(try open(near).status == 2)
        let policy = try shop.write("policy.json", Array(#"{"clockSkewSeconds": 300}"#.utf8))
        let far = try bundle("far", of: sources(9, secondsAhead: 400))
        #expect(try open(far, "--policy-file", policy).status == 2)
        #expect(try open(near, "--policy-file", policy).status == 0)
    }

    @Test("A key that cannot sign makes no bundle")
    func noKey() throws {
        _ = try addRoot("A")
        let file = office.folder.path("none")
        #expect(try office.trust("export-bundle", file, "--key", publicKey).status == 64)
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
