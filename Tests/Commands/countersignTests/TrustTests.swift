import CommandBench
import Foundation
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

/// `--trust`: the only place that trust comes from.
@Suite("--trust")
struct TrustTests {
    let annex: AnnexD
    let folder: TemporaryFolder

    init() throws {
        annex = AnnexD()
        folder = try TemporaryFolder()
    }

    private func verify(trusting paths: String..., time: String = AnnexD.time) throws -> CommandRun {
        try CommandRun(
            [
                "verify", "--response", annex.file("deviceResponse"), "--transcript",
                annex.file("transcript", annex.transcript()), "--reader-key", annex.readerKey(), "--at", time,
                "--trust",
            ] + paths)
    }

    @Test("A root is taken as DER, as PEM, among others in one PEM file, and from a folder")
    func forms() throws {
        let root = try annex.bytes("iacaCertificate")
        let pem = PEM.encode(root[...], label: "CERTIFICATE")
        let other = try PEM.encode(annex.bytes("readerRootCertificate")[...], label: "CERTIFICATE")
        _ = try folder.write(root, as: "root.crt")
        _ = try folder.write(Array("a note".utf8), as: "README.txt")
        for path in [
            try annex.file("iacaCertificate"), try annex.file("root.pem", pem),
            try annex.file("bundle", Array("# roots\n".utf8) + other + pem), folder.url.path,
        ] {
            let run = try verify(trusting: path)
            #expect(run.status == 0, "\(path)")
            #expect(run.errors.isEmpty || path.hasSuffix("bundle"))
        }
    }

    @Test("Several paths are taken, after one --trust or after several")
    func repeated() throws {
        let other = try annex.file("readerRootCertificate")
        let root = try annex.file("iacaCertificate")
        #expect(try verify(trusting: other, root).status == 0)
        #expect(try verify(trusting: other, "--trust", root).status == 0)
        #expect(try verify(trusting: other).status == 2)
    }

    @Test("An issuer that is not in the list is named, with what --trust takes and where roots come from")
    func unknownIssuer() throws {
        let run = try verify(trusting: annex.file("readerRootCertificate"))
        #expect(run.status == 2)
        #expect(run.output.contains("the trust store has no root of this issuer: C=US,CN=utopia iaca"))
        #expect(run.output.contains("--trust takes the root certificate (IACA)"))
        #expect(run.output.contains("VICAL"))
    }

    @Test("Q178 A document signer given as a root is recognised, and its issuer named")
    func documentSigner() throws {
        let signer = try annex.file("dsCertificate")
        let run = try verify(trusting: signer)
        #expect(run.status == 2)
        #expect(run.errors.contains("is not a root but an end certificate"))
        #expect(run.errors.contains("import the certificate of its issuer: C=US,CN=utopia iaca"))
        let both = try verify(trusting: signer, annex.file("iacaCertificate"))
        #expect(both.status == 0)
        #expect(both.errors.contains("is not a root"))
    }

    @Test("Q173 Roots that are not valid at the time are named, with their dates")
    func expiredRoots() throws {
        let run = try verify(trusting: annex.file("iacaCertificate"), time: "2040-01-01T00:00:00Z")
        #expect(run.status == 2)
        #expect(
            run.errors.contains(
                "1 of 1 trusted roots are not valid at 2040-01-01T00:00:00Z: C=US,CN=utopia iaca"))
        #expect(run.errors.contains("(until "))
        #expect(try verify(trusting: annex.file("iacaCertificate")).errors.isEmpty)
    }

    @Test("In a folder, what is not a certificate is skipped with a note; a file that is named must be one")
    func notACertificate() throws {
        let garbage = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        _ = try folder.write(garbage, as: "broken.pem")
        _ = try folder.write(annex.bytes("iacaCertificate"), as: "root.der")
        let run = try verify(trusting: folder.url.path)
        #expect(run.status == 0)
        #expect(run.errors.contains("skipped"))
        #expect(run.errors.contains("broken.pem"))
        #expect(try verify(trusting: annex.file("broken.pem", garbage)).status == 65)
        #expect(try verify(trusting: annex.file("deviceRequest")).status == 65)
        #expect(try verify(trusting: "/no/such/folder").status == 64)
    }

    @Test(
        "A broken root is explained in the same words by verify, in a folder, and by import as DER, as PEM and named a root"
    )
    func brokenRoot() throws {
        var root = try annex.bytes("iacaCertificate")
        root.removeLast()
        let words = "the certificate cannot be read: the DER ends inside an element (byte 0)"
        let der = try folder.write(root, as: "broken.der")
        let pem = try folder.write(PEM.encode(root[...], label: "CERTIFICATE"), as: "broken.pem")
        _ = try folder.write(annex.bytes("iacaCertificate"), as: "root.crt")
        let store = folder.path("store")
        for file in [der, pem] {
            let run = try verify(trusting: file)
            #expect(run.everything.contains(words), "\(run.everything)")
            for further in [[], ["--as", "root"]] {
                let run = try CommandRun(["trust", "import", file, "--store", store] + further)
                #expect(run.everything.contains(words), "\(run.everything)")
            }
        }
        let notes = try verify(trusting: folder.url.path).errors
        #expect(notes.split(separator: "\n").count { $0.contains(words) } == 2, "\(notes)")
        #expect(try !verify(trusting: annex.file("iacaCertificate")).errors.contains(words))
    }

    @Test("An empty folder trusts nobody, and says so: no certificate of the system steps in")
    func emptyFolder() throws {
        let run = try verify(trusting: folder.url.path)
        #expect(run.status == 2)
        #expect(run.errors.contains("no root certificate in "))
    }

    @Test("A name that steers the terminal is shown without its controls")
    func hostileName() throws {
        let name = "\u{1b}]0;owned\u{7}Root\u{202e}"
        let key = try PrivateKey.generate(.p256)
        let subject = DistinguishedName([
            (ObjectIdentifier("2.5.4.6"), "UT"), (ObjectIdentifier("2.5.4.3"), name),
        ])
        let end = try CertificateTemplate(
            serialNumber: [1], issuer: subject, subject: subject, notBefore: 0, notAfter: 4_000_000_000,
            publicKey: key.publicKey()
        ).sign(with: key)
        let run = try verify(trusting: annex.file("hostile", end), annex.file("iacaCertificate"))
        #expect(run.errors.contains("owned"))
        for scalar in ["\u{1b}", "\u{7}", "\u{202e}"] { #expect(!run.everything.contains(scalar)) }
    }
}
