import CommandBench
import Foundation
import Glibc
import OpenSSLCrypto
import PKIX
import OtherPrograms
import TestCredentials
import Testing
import VectorFiles

@Suite("countersign identity")
struct IdentityTests {
    private static let day: Int64 = TestAuthority.day
    let store: IdentityStore

    init() throws {
        store = try IdentityStore()
    }

    @Test("From init over csr and import an identity comes to be ready, and every step says the next")
    func wholeWay() async throws {
        let before = try await store.run("list")
        #expect(before.status == 0 && before.output.contains("no identity yet"))
        let made = try await store.run("init", "counter")
        #expect(made.status == 0 && made.output.contains("next: countersign identity csr counter"))
        let bare = try await store.run("list")
        #expect(bare.output.contains("counter (no certificates yet)"))
        let imported = try await store.run("import", "counter", store.certify("counter"))
        #expect(imported.status == 0, "\(imported.everything)")
        #expect(imported.output.contains("subject: CN=Utopia reader"))
        #expect(imported.output.contains("sent to wallets: 1 certificate; the root is stored and never sent"))
        let list = try await store.run("list")
        #expect(list.output.contains("counter (ready)") && list.output.contains("used: everywhere"))
        #expect(list.output.contains("key: file") && list.output.contains("300 days left"))
        let lint = try await store.run("lint")
        #expect(lint.status == 0 && lint.output == "counter: in order\n" && lint.errors.isEmpty)
    }

    @Test("--json carries the same, with every member at every time")
    func json() async throws {
        let made = try await store.run("init", "counter", "--curve", "P-384", "--json").json()
        #expect(made["name"] as? String == "counter" && made["key"] as? String == "file")
        #expect(made["curve"] as? String == "P-384" && made["file"] as? String == store.keyPath("counter"))
        let identifier = try #require(made["keyIdentifier"] as? String)
        let requested = try await store.requestedKey("counter").keyIdentifier()
        #expect(identifier == requested.hexadecimalText)
        let bare = try #require(try await store.run("list", "--json").list().first)
        let imported = try await store.run("import", "counter", store.certify("counter"), "--json").json()
        #expect(imported["sent"] as? Int == 1 && imported["daysLeft"] as? Int == 300)
        #expect((imported["findings"] as? [Any])?.isEmpty == true)
        let list = try await store.run("list", "--json").json()
        let ready = try #require((list["identities"] as? [[String: Any]])?.first)
        #expect(Set(bare.keys) == Set(ready.keys))
        #expect(bare["state"] as? String == "no_certificates" && ready["state"] as? String == "ready")
        #expect((bare["error"] as? [String: Any])?["id"] as? String == "identity.no_certificates")
        #expect(bare["subject"] is NSNull && ready["subject"] as? String == "CN=Utopia reader")
        #expect(ready["error"] is NSNull && ready["notAfter"] as? String == "2027-08-28T12:00:00Z")
        #expect(list["chosen"] as? Bool == false)
        #expect((list["rules"] as? [[String: Any]])?.first?["identity"] as? String == "counter")
    }

    @Test("The key is readable by its owner alone, and not overwritten")
    func keyFile() async throws {
        #expect(try await store.run("init", "counter").status == 0)
        #expect(try permissions(of: store.keyPath("counter")) == 0o600)
        let key = try Data(contentsOf: URL(filePath: store.keyPath("counter")))
        let again = try await store.run("init", "counter")
        #expect(again.status == 64 && again.errors.contains("not overwritten") && again.output.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: store.keyPath("counter"))) == key)
        for name in ["../x", ".x", "a/b", ""] {
            #expect(try await store.run("init", name).status == 64, "\(name)")
        }
    }

    @Test("An init that is killed leaves a whole identity or none")
    func killed() async throws {
        var random = SplitMix64(seed: 7)
        for index in 0..<12 {
            do {
                let run = try BuiltProgram(
                    "countersign", ["identity", "init", "k\(index)", "--store", store.path])
                usleep(UInt32.random(in: 0...40_000, using: &random))
                _ = run  // Killed where it goes.
            }
            let names = try await store.run("list", "--json").list().compactMap { $0["name"] as? String }
            if names.contains("k\(index)") {
                _ = try await store.requestedKey("k\(index)")
            } else {
                #expect(try await store.run("init", "k\(index)").status == 0)
            }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: store.path + "/identities")
        #expect(Set(left) == Set((0..<12).map { "k\($0)" } + [".lock"]))
    }

    @Test("No output of any command contains any part of the key")
    func secret() async throws {
        try await store.make("counter")
        let pem = try String(contentsOfFile: store.keyPath("counter"), encoding: .utf8)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let scalar = try PrivateKey(pem: Array(pem.utf8)[...]).withUnprotectedScalar {
            Array($0).hexadecimalText
        }
        #expect(lines.count >= 3 && scalar.count == 64)
        for arguments in [
            ["init", "other"], ["csr", "counter", "--subject", "CN=x"], ["list"], ["lint"],
            ["init", "counter"],
        ] {
            for form in [[], ["--json"]] {
                let run = try await execute(["identity"] + arguments + form + ["--store", store.path])
                // The line with the public half of the point may stand elsewhere.
                #expect(!run.everything.contains("PRIVATE KEY"), "\(arguments)")
                #expect(
                    !run.everything.contains(lines[0]) && !run.everything.contains(scalar), "\(arguments)")
            }
        }
    }

    @Test(
        "A key that others can read is refused by every command, with what to do", arguments: ["644", "640"])
    func exposed(_ mode: String) async throws {
        try await store.make("counter")
        try #require(unsafe chmod(store.keyPath("counter"), mode_t(mode, radix: 8) ?? 0) == 0)
        let csr = try await store.run("csr", "counter", "--subject", "CN=x")
        #expect(csr.status == 2 && csr.output.isEmpty && csr.errors.contains("mode \(mode)"))
        #expect(csr.errors.contains("chmod go= \(store.keyPath("counter"))"))
        #expect(try await store.run("lint").status == 2)
        #expect(try await store.run("list").output.contains("counter (cannot be used)"))
        try #require(unsafe chmod(store.keyPath("counter"), 0o600) == 0)
        #expect(try await store.run("lint").status == 0)
    }

    @Test("A chain of another key is refused, and what was imported before stays")
    func otherKey() async throws {
        try await store.make("counter")
        #expect(try await store.run("init", "other").status == 0)
        let run = try await store.run("import", "counter", store.certify("other"))
        #expect(run.status == 2 && run.errors.contains("none of the certificates is for this key"))
        #expect(try await store.run("lint", "counter").status == 0)
        let own = try await store.run("import", "other", store.certify("other"))
        #expect(own.status == 0)
    }

    @Test("An expired certificate is refused by import, and reported by list and lint; so is one of tomorrow")
    func expired() async throws {
        try await store.make("counter")
        let late = try await store.run("lint", at: "2027-09-01T00:00:00Z")
        #expect(late.status == 2 && late.output.contains("expired at 2027-08-28T12:00:00Z"))
        #expect(try await store.run("list", at: "2027-09-01T00:00:00Z").output.contains("counter (expired)"))
        let early = try await store.run("lint", at: "2026-01-02T00:00:00Z")
        #expect(early.status == 2 && early.output.contains("check this computer's clock"))
        let file = try await store.certify("counter")
        let imported = try await store.run("import", "counter", file, at: "2027-09-01T00:00:00Z")
        #expect(imported.status == 2 && imported.errors.contains("expired at"))
        #expect(try await store.run("import", "counter", file).status == 0)
    }

    @Test("Q171 A certificate that vouches for itself is refused, and what is no certificate too")
    func noChain() async throws {
        #expect(try await store.run("init", "counter").status == 0)
        let key = try PrivateKey(
            pem: Array(try Data(contentsOf: URL(filePath: store.keyPath("counter"))))[...])
        let template = CertificateTemplate(
            serialNumber: [0x41, 2, 3, 4, 5, 6, 7, 8], issuer: DistinguishedName([(.commonName, "x")]),
            subject: DistinguishedName([(.commonName, "x")]), notBefore: TestAuthority.now - Self.day,
            notAfter: TestAuthority.now + Self.day, publicKey: try key.publicKey())
        let own = try store.folder.write(template.sign(with: key), as: "own.der")
        let run = try await store.run("import", "counter", own, "--lenient")
        #expect(run.status == 2 && run.errors.contains("self-signed"))
        let text = try store.folder.write(Array("no certificate".utf8), as: "text.pem")
        #expect(try await store.run("import", "counter", text).status == 65)
        #expect(try await store.run("import", "counter", "/no/such/file").status == 64)
        #expect(try await store.run("import", "nobody", text).status == 65)
    }

    @Test("Q172 Rules say which identity asks where, and are shown with it")
    func choose() async throws {
        try await store.make("one")
        try await store.make("two")
        #expect(try await store.run("list").output.contains("no identity is chosen yet"))
        #expect(try await store.run("choose", "one").output == "everywhere: one\n")
        let both = try await store.run("choose", "two", "--wallet", "W", "--doc-type", "D")
        #expect(both.output == "wallet W, document D: two\neverywhere else: one\n")
        let list = try await store.run("list")
        #expect(
            list.output.contains("used: wallet W, document D")
                && !list.output.contains("no identity is chosen"))
        #expect(try await store.run("choose", "nobody").status == 64)
        #expect(try await store.run("choose").status == 64)
        #expect(try await store.run("choose", "--forget", "--brand", "B").status == 64)
        #expect(
            try await store.run("choose", "--forget", "--wallet", "W", "--doc-type", "D").output
                == "everywhere: one\n")
        // A rule for an identity that is gone.
        try FileManager.default.removeItem(atPath: store.path + "/identities/one")
        let lint = try await store.run("lint")
        #expect(lint.status == 2 && lint.output.contains("one: fails"))
        #expect(try await store.run("list").errors.contains("which does not exist"))
        try Data("{}".utf8).write(to: URL(filePath: store.path + "/identities/choice.json"))
        let broken = try await store.run("list")
        #expect(broken.status == 65 && broken.errors.contains("choice.json"))
    }

    @Test(
        "Python's cryptography takes the request: subject, purpose, and the signature of the key",
        .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"),
        arguments: ["P-256", "P-384", "P-521", "brainpoolP384r1"])
    func request(_ curve: String) async throws {
        #expect(try await store.run("init", "counter", "--curve", curve).status == 0)
        let file = store.folder.path("request.pem")
        let run = try await store.run(
            "csr", "counter", "--subject", "CN=Counter 1,O=Käse & Wein,C=UT", "--output", file)
        #expect(run.status == 0 && run.output.contains("next: send this file"))
        let outcome = try PythonCryptography.run(certificationRequestCheck, store.folder.url.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        // The twin: one letter of the subject.
        var der = try #require(
            PEM.decode(Array(Data(contentsOf: URL(filePath: file)))[...], label: "CERTIFICATE REQUEST").first)
        let place = try #require(der.indices.first { der[$0...].starts(with: "Counter 1".utf8) })
        der[place + 8] = UInt8(ascii: "2")
        _ = try store.folder.write(PEM.encode(der[...], label: "CERTIFICATE REQUEST"), as: "request.pem")
        #expect(try PythonCryptography.run(certificationRequestCheck, store.folder.url.path).status == 1)
    }

    @Test(
        "A subject without a common name is wrong usage",
        arguments: ["O=Shop", "Counter", "CN=", "CN=a,C=usa"])
    func subject(_ text: String) async throws {
        #expect(try await store.run("init", "counter").status == 0)
        #expect(try await store.run("csr", "counter", "--subject", text).status == 64)
    }
}

/// Checks a certification request in PEM: its signature, subject and extensions.
private let certificationRequestCheck = """
    import sys
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    request = x509.load_pem_x509_csr(open(sys.argv[1] + "/request.pem", "rb").read())
    assert request.is_signature_valid
    assert [(x.oid, x.value) for x in request.subject] == [
        (NameOID.COUNTRY_NAME, "UT"), (NameOID.ORGANIZATION_NAME, "K\\u00e4se & Wein"),
        (NameOID.COMMON_NAME, "Counter 1")]
    usage = request.extensions.get_extension_for_class(x509.KeyUsage)
    assert usage.critical and usage.value.digital_signature and not usage.value.key_cert_sign
    purpose = request.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert purpose.critical and [x.dotted_string for x in purpose.value] == ["1.0.18013.5.1.6"]
    identifier = request.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    assert identifier.value == x509.SubjectKeyIdentifier.from_public_key(request.public_key())
    """

extension Sequence<UInt8> {
    fileprivate var hexadecimalText: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
