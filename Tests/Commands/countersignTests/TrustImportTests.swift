import CommandBench
internal import PKIX
import Foundation
import OpenSSLCrypto
import TestCredentials
import Testing
import VectorFiles

/// `countersign trust import`: each source told apart, checked, and put in its place.
@Suite("trust import")
struct TrustImportTests {
    let scene: TrustScene

    init() throws {
        scene = try TrustScene()
    }

    @Test("A root comes as DER, as PEM, with others in one file, and in a folder; twice it is the same")
    func roots() throws {
        let others = try (0..<3).map { _ in try TestAuthority().der }
        let pem = others.prefix(2).flatMap { PEM.encode($0[...], label: "CERTIFICATE") }
        _ = try scene.write("in-folder.crt", others[2])
        _ = try scene.write("note.txt", Array("no certificate".utf8))
        let run = try scene.trust(
            "import", scene.write("root.bin", scene.root.der), scene.write("two", pem), scene.folder.url.path,
            "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.change().outcomes == Array(repeating: "anchor new", count: 4))
        let again = try scene.trust("import", scene.folder.path("root.bin"), "--json")
        #expect(try again.change().outcomes == ["anchor unchanged"])
        #expect(try again.change().changed == false)
        #expect(try scene.trust("list").output.contains("trusted roots: 4; sources: 4"))
    }

    @Test("Q178 A document signer among roots is recognised, its issuer named, and the roots are let in")
    func documentSigner() throws {
        let signer = try TestIssuer(authority: scene.root).certificate
        let run = try scene.trust(
            "import", scene.write("ds.der", signer), scene.write("root.der", scene.root.der))
        #expect(run.status == 2)
        #expect(run.output.contains("is not a root but an end certificate"))
        #expect(run.output.contains("import the certificate of its issuer: CN=Utopia IACA,C=XX"))
        #expect(run.output.contains("[trust.not_an_authority]"))
        #expect(run.output.contains("1 new, 1 refused"))
        #expect(try scene.trust("list").output.contains("trusted roots: 1; sources: 1"))
    }

    @Test("A folder without a certificate is refused by its name, and makes no store")
    func emptyFolder() throws {
        let empty = scene.folder.url.appending(path: "empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let run = try scene.trust("import", empty.path)
        #expect(run.status == 64)
        #expect(run.errors.contains("\(empty.path): no certificate and no list was found"))
        #expect(try scene.trust("list").status == 64)
    }

    @Test("When nothing is let in, there is no store that looks as if something were trusted")
    func nothing() throws {
        let signer = try TestIssuer(authority: scene.root).certificate
        let run = try scene.trust("import", scene.write("ds.der", signer), "--json")
        #expect(run.status == 2)
        #expect(try run.change().snapshot == nil)
        #expect(try scene.trust("list").status == 64)
        let verified = try scene.verify()
        #expect(verified.status == 64)
        #expect(verified.errors.contains("no issuer is trusted yet"))
    }

    @Test("Q234 CRLs of one file's name that two keys of one root's name signed are both kept")
    func crlsOfTwoKeys() throws {
        let roots = [scene.root, try TestAuthority.ofACountry()]
        for (number, root) in roots.enumerated() {
            let list = TestRevocationList(root, [.init([9])], number: [9 - UInt8(number)])
            let run = try scene.trust(
                "import", scene.write("\(number).der", root.der), scene.write("c.crl", list.encoded()),
                "--json")
            #expect(try run.change().outcomes == ["anchor new", "revocation_list new"])
        }
        #expect(try scene.trust("list").output.contains("trusted roots: 2; sources: 4"))
    }

    @Test("Q175 A VICAL is believed by its pinned provider alone, and by no root of documents")
    func vical() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        let listed = try TestAuthority([(.countryName, "XX"), (.commonName, "Listed")])
        let vical = try scene.write(
            "list.vical", TestVICAL([.init(listed.der)], provider: provider).encoded())
        let certificate = try scene.write("provider.der", provider.der)
        for arguments in [[vical], [vical, certificate]] {
            let run = try scene.run(["trust", "import"] + arguments + ["--json"])
            #expect(run.status == 2)
            #expect(try run.change().outcomes.last == "vical refused trust.vical_refused")
        }
        #expect(try scene.trust("import", certificate, "--as", "provider").status == 0)
        let run = try scene.trust("import", vical, "--json")
        #expect(try run.change().outcomes == ["vical new"])
        let digest = Digest(.sha256, of: listed.der[...]).bytes.hex
        let shown = try scene.trust("show", String(digest.prefix(16)))
        #expect(shown.output.contains("trusted root CN=Listed,C=XX"))
        #expect(shown.output.contains("for: org.iso.18013.5.1.mDL"))
        #expect(shown.output.contains("named by: VICAL Utopia"))
    }

    @Test("Q176 An older or much shorter list replaces the present list only if the user asks for that")
    func shrunken() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        let entries = try (0..<10).map { _ in TestVICAL.Entry(try TestAuthority().der) }
        var list = try TestVICAL(entries, provider: provider)
        _ = try scene.trust("import", scene.write("provider.der", provider.der), "--as", "provider")
        #expect(try scene.trust("import", scene.write("7.vical", list.encoded())).status == 0)
        let before = try scene.snapshot()

        list.issueID = 6
        let older = try scene.trust("import", scene.write("6.vical", list.encoded()), "--json")
        #expect(older.status == 2)
        #expect(try older.change().outcomes == ["vical refused trust.older"])
        list.issueID = 8
        list.entries = Array(entries.prefix(7))
        let shrunken = try scene.write("8.vical", list.encoded())
        let refused = try scene.trust("import", shrunken)
        #expect(refused.status == 2)
        #expect(refused.output.contains("the new list has only 7 entries, but the present list has 10"))
        #expect(refused.output.contains("--accept-shrunken"))
        #expect(try scene.snapshot() == before)
        #expect(try scene.trust("import", shrunken, "--accept-shrunken").status == 0)
        #expect(try scene.snapshot() != before)
        // What is older stays out even so.
        #expect(
            try scene.trust("import", scene.folder.path("7.vical"), "--accept-shrunken", "--json").change()
                .outcomes == ["vical refused trust.older"])
    }

    @Test(
        "Q217 A VICAL that is overdue by 30 days at most is let in with a warning; age accepts its documents and rental does not"
    )
    func overdue() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        _ = try scene.trust("import", scene.write("provider.der", provider.der), "--as", "provider")
        var list = try TestVICAL([.init(scene.root.der)], provider: provider)
        list.date = "2026-10-29T00:00:00Z"
        list.nextUpdate = "2026-10-30T00:00:00Z"
        let file = try scene.write("7.vical", list.encoded())
        let run = try scene.trust("import", file, "--json")
        #expect(run.status == 0, "\(run.everything)")
        #expect(try run.change().outcomes == ["vical new trust.list_stale"])
        let detail = try #require(run.change().sources.first?.detail)
        #expect(detail.contains("should have been renewed 2 days ago"))
        _ = try scene.trust("import", scene.write("c.crl", TestRevocationList(scene.root).encoded()))
        let age = try scene.verify("--policy", "age", "--json")
        #expect(age.status == 0)
        let part = try #require(age.report().documents.first).parts.revocation
        #expect(part.cause == "root.trust_list_overdue" && part.ageSeconds == 84 * 3600)
        #expect(try scene.verify("--policy", "rental").status == 2)
        list.nextUpdate = "2026-10-02T11:59:59Z"
        list.issueID = 8
        let late = try scene.trust("import", scene.write("8.vical", list.encoded()), "--json")
        #expect(late.status == 2)
        #expect(try late.change().outcomes == ["vical refused trust.vical_refused"])
    }

    @Test(
        "Q217 A list with a lower number is refused with both numbers and dates, and taken once the present one is removed"
    )
    func countedAnew() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        _ = try scene.trust("import", scene.write("provider.der", provider.der), "--as", "provider")
        var list = try TestVICAL([.init(scene.root.der)], provider: provider)
        (list.issueID, list.date) = (616_575, "2026-10-20T00:00:00Z")
        #expect(try scene.trust("import", scene.write("1.vical", list.encoded())).status == 0)
        (list.issueID, list.date) = (89_782, "2026-10-25T00:00:00Z")
        let later = try scene.write("2.vical", list.encoded())
        let refused = try scene.trust("import", later)
        #expect(refused.status == 2)
        for part in [
            "issue 89782 of 2026-10-25T00:00:00Z", "issue 616575 of 2026-10-20T00:00:00Z",
            "countersign trust remove",
        ] { #expect(refused.output.contains(part), "\(part)") }
        #expect(try scene.trust("remove", "Utopia").status == 0)
        #expect(try scene.trust("import", later).status == 0)
    }

    @Test("CRLs and status lists come in one import with the root that signed them, in any order")
    func lists() throws {
        let crl = try TestRevocationList(scene.root).encoded()
        let status = try TestStatusToken(authority: scene.root).encoded()
        let run = try scene.trust(
            "import", scene.write("s.cwt", status),
            scene.write("c.crl", PEM.encode(crl[...], label: "X509 CRL")),
            scene.write("r.der", scene.root.der), "--json")
        #expect(run.status == 0, "\(run.output)")
        #expect(
            try run.change().outcomes == ["anchor new", "revocation_list new", "status_list new"])
        #expect(
            try run.change().sources.map(\.name).suffix(2) == [
                "CN=Utopia IACA,C=XX", TestStatusToken.uri,
            ])
    }

    @Test("A CRL that no root signed and a status list of nobody are refused; one whose time is over is not")
    func refusedLists() throws {
        let stranger = try TestAuthority([(.countryName, "XX"), (.commonName, "Stranger")])
        let crls = try [
            TestRevocationList(stranger).encoded(),
            TestRevocationList(scene.root).encoded(signedBy: TestKey()),
        ]
        var stale = TestRevocationList(scene.root)
        stale.nextUpdate = TestAuthority.now - 2 * TrustScene.day
        stale.thisUpdate = TestAuthority.now - 9 * TrustScene.day
        let files = try (crls + [stale.encoded(), TestStatusToken(authority: stranger).encoded()])
            .enumerated().map { try scene.write("\($0.offset)", $0.element) }
        let run = try scene.run(
            ["trust", "import", scene.write("r.der", scene.root.der)] + files + ["--json"])
        #expect(run.status == 2)
        #expect(
            try run.change().outcomes == [
                "anchor new", "revocation_list refused trust.crl_issuer_unknown",
                "revocation_list refused trust.crl_signature_invalid",
                "revocation_list new trust.list_stale",
                "status_list refused trust.status_signer_unknown",
            ])
    }

    @Test("A status list whose signer only documents name is let in when that signer is given")
    func namedSigner() throws {
        let stranger = try TestAuthority([(.countryName, "XX"), (.commonName, "Stranger")])
        let list = try scene.write("s.cwt", TestStatusToken(authority: stranger).encoded())
        #expect(try scene.trust("import", list).status == 2)
        let signer = try scene.write("signer.pem", PEM.encode(stranger.der[...], label: "CERTIFICATE"))
        #expect(try scene.trust("import", list, "--signer", signer).status == 0)
        #expect(try scene.trust("import", list, "--signer", list).status == 65)
    }

    @Test("A file that is nothing of this is an error; in a folder it is skipped with a note")
    func unknown() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(scene.root.der, as: "root.der")
        let other = try folder.write(Array("hello".utf8), as: "other.cbor")
        #expect(try scene.trust("import", other).status == 65)
        #expect(try scene.trust("import", "/no/such/file").status == 64)
        #expect(!FileManager.default.fileExists(atPath: scene.store))
        let run = try scene.trust("import", folder.url.path)
        #expect(run.status == 0)
        #expect(run.errors.contains("skipped") && run.errors.contains("other.cbor"))
    }

    @Test("Q229 A JWT in place of a status list is refused as a JWT, and the root beside it is let in")
    func jwt() throws {
        let root = try scene.write("r.der", scene.root.der)
        let list = try scene.write("s.cwt", Array("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AA\n".utf8))
        let run = try scene.trust("import", root, list, "--json")
        #expect(run.status == 2)
        #expect(try run.change().outcomes == ["anchor new", "status_list refused trust.status_unreadable"])
        #expect(run.output.contains("a JWT") && run.output.contains("application/statuslist+cwt"))
        let named = try scene.trust("import", list, "--as", "status")
        #expect(named.output.contains("a JWT") && named.status == 2)
    }

    @Test(
        "Q229 A file that is text of another form is named",
        arguments: [
            ("<html></html>", "HTML"), ("{}", "JSON"), ("d284d284d284d284", "hexadecimal"),
            ("0oRYIKEBJqBYINKEWCChASag", "base64"),
        ])
    func otherText(_ text: String, _ word: String) throws {
        let run = try scene.trust("import", scene.write("s.cwt", Array(text.utf8)))
        #expect(run.status == 65 && run.errors.contains(word), "\(run.errors)")
        let named = try scene.trust("import", scene.folder.path("s.cwt"), "--as", "status")
        #expect(named.everything.contains(word), "\(named.everything)")
    }

    @Test("Q233 A root in PEM with a mark, another label or text before it is read; a damaged block is named")
    func pem() throws {
        let block = String(decoding: PEM.encode(scene.root.der[...], label: "CERTIFICATE"), as: UTF8.self)
        for text in [
            "\u{feff}" + block, block.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"),
            "0 s:CN=x\n" + block,
        ] {
            let run = try scene.trust("import", scene.write("r.pem", Array(text.utf8)), "--json")
            #expect(
                ["new", "unchanged"].contains(try run.change().sources.first?.outcome), "\(run.everything)")
        }
        let cut = block + block.split(separator: "\n").dropLast().joined(separator: "\n")
        let run = try scene.trust("import", scene.write("two.pem", Array(cut.utf8)), "--json")
        #expect(try run.change().outcomes == ["anchor unchanged"])
        #expect(run.errors.contains("a PEM block is damaged"))
    }

    @Test("Q232 The import of a VICAL says what was mended and left out, in its text and its JSON")
    func vicalRemarks() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        _ = try scene.trust("import", scene.write("provider.der", provider.der), "--as", "provider")
        var entry = TestVICAL.Entry(scene.root.der)
        entry.otherMembers = [("serialNumber", Encoded.bytes([1, 2, 3]))]
        let list = try scene.write(
            "7.vical", TestVICAL([entry, .init([0x30])], provider: provider).encoded())
        let run = try scene.trust("import", list)
        #expect(run.status == 0)
        #expect(
            run.output.contains("serialNumber has the wrong CBOR type; the certificate is still used"))
        #expect(run.output.contains("entry 1 is left out: the entry's certificate cannot be read"))
        _ = try scene.trust("remove", "Utopia")
        let json = try scene.trust("import", list, "--json")
        #expect(json.output.contains("\"remarks\""))
        #expect(json.output.components(separatedBy: "trust.vical_entry").count == 3)
        #expect(try scene.verify("--policy", "age").status == 0)
    }

    @Test("Q231 A link certificate is let in with the root that signed it, in any order, and not without")
    func link() throws {
        let new = try TestAuthority([(.countryName, "XX"), (.commonName, "Utopia IACA")])
        var template = new.template.with(.authorityKeyIdentifier(scene.root.keyIdentifier))
        template.issuer = scene.root.name
        let link = try scene.write("link.der", scene.root.sign(template))
        let alone = try scene.trust("import", link, "--json")
        #expect(try alone.change().outcomes == ["anchor refused trust.link_certificate"])
        let run = try scene.trust("import", link, scene.write("r.der", scene.root.der), "--json")
        #expect(try run.change().outcomes == ["anchor new", "anchor new"])
    }

    @Test("What is named to be something else is not taken for it")
    func wrongKind() throws {
        let crl = try scene.write("c.crl", TestRevocationList(scene.root).encoded())
        for kind in ["root", "vical", "status"] {
            #expect(try scene.trust("import", crl, "--as", kind).status == 65, "\(kind)")
        }
        #expect(try scene.trust("import", crl, "--as", "nothing").status == 64)
        #expect(try scene.trust("import", "https://utopia.example/vical").status == 64)
    }

    @Test("A name that steers the terminal is shown without its controls")
    func hostileName() throws {
        let name = "\u{1b}]0;owned\u{7}Root\u{202e}"
        let root = try TestAuthority([(.countryName, "UT"), (.commonName, name)])
        let run = try scene.trust("import", scene.write("r.der", root.der))
        #expect(run.status == 0)
        let everything = try [
            run, scene.trust("list"), scene.trust("list", "--json"), scene.trust("lint"),
            scene.trust("lint", "--json"),
        ].map(\.everything).joined()
        #expect(everything.contains("owned"))
        for scalar in ["\u{1b}", "\u{7}", "\u{202e}"] { #expect(!everything.contains(scalar)) }
    }
}
