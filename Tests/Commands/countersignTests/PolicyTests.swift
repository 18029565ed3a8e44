import CommandBench
import Foundation
import TestCredentials
import Testing

/// `--policy` and the policy file: what it means that a revocation is not known.
@Suite("Policies")
struct PolicyTests {
    let scene: TrustScene

    init() throws {
        scene = try TrustScene()
        _ = try scene.trust("import", scene.write("root.der", scene.root.der))
    }

    private func file(_ text: String) throws -> String { try scene.write("policy", Array(text.utf8)) }

    /// A CRL of the root, made some days ago and due since some of them.
    private func importList(agedDays age: Int64, dueSinceDays due: Int64) throws {
        var list = TestRevocationList(scene.root)
        list.thisUpdate = TestAuthority.now - age * TrustScene.day
        list.nextUpdate = TestAuthority.now - due * TrustScene.day
        let time = "2026-10-2\(due > 2 ? 0 : 9)T12:00:00Z"
        let run = try scene.trust("import", scene.write("list.crl", list.encoded()), at: time)
        try #require(run.status == 0, "\(run.everything)")
    }

    @Test("Q183 Where no list is at hand age accepts and rental refuses, and both say so")
    func noList() throws {
        let status = try TestStatusToken(authority: scene.root).reference(index: 1)
        for (policy, code) in [("age", Int32(0)), ("rental", 2)] {
            let run = try scene.verify("--policy", policy, "--json", status: status)
            #expect(run.status == code)
            let report = try run.report()
            #expect(report.policy?.name == policy)
            let parts = try #require(report.documents.first).parts
            #expect(parts.authentic == "yes" && parts.fresh == "yes" && parts.holderBound == "yes")
            #expect(parts.revocation.state == "undetermined")
            #expect(parts.revocation.cause == "document.list_absent")
        }
        let text = try scene.verify("--policy", "rental", status: status).output
        #expect(
            text.contains("not known for the document: the issuer's revocation list is not available;")
                && text.contains("; policy rental refuses that"))
        #expect(try scene.verify(status: status).output.contains("policy age accepts that"))
    }

    @Test("What is revoked is refused under every policy, and what is not is good under each")
    func known() throws {
        let list = try TestStatusToken(authority: scene.root)
        _ = try scene.trust("import", scene.write("s.cwt", list.encoded()))
        _ = try scene.trust("import", scene.write("c.crl", TestRevocationList(scene.root).encoded()))
        for policy in ["age", "rental"] {
            let revoked = try scene.verify("--policy", policy, "--json", status: list.reference(index: 0))
            #expect(revoked.status == 2)
            let part = try #require(revoked.report().documents.first).parts.revocation
            #expect(part.state == "revoked" && part.cause == "document_revoked" && part.ageSeconds == 3600)
            let good = try scene.verify("--policy", policy, "--json", status: list.reference(index: 1))
            #expect(good.status == 0)
            let other = try #require(good.report().documents.first).parts.revocation
            #expect(other.state == "good" && other.cause == nil && other.ageSeconds == 86_400)
        }
        #expect(
            try scene.verify(status: list.reference(index: 0)).output.contains(
                "revoked: YES, the issuer has revoked the document (list 60 minutes old)"))
        #expect(
            try scene.verify(status: list.reference(index: 1)).output.contains(
                "revoked: no, according to lists up to 24 hours old"))
    }

    @Test("Q183 rental takes a stale list for as many days as its file says, and no more")
    func staleDays() throws {
        try importList(agedDays: 9, dueSinceDays: 2)
        let tolerant = try file(#"{"policies": {"rental": {"undetermined": "refuse", "staleDays": 2}}}"#)
        let run = try scene.verify("--policy", "rental", "--policy-file", tolerant, "--json")
        #expect(run.status == 0, "\(run.output)")
        #expect(try run.report().policy?.staleSeconds == 172_800)
        #expect(try run.report().documents.first?.parts.revocation.cause == "signer.list_stale")
        let strict = try file(#"{"policies": {"rental": {"undetermined": "refuse", "staleDays": 1}}}"#)
        #expect(try scene.verify("--policy", "rental", "--policy-file", strict).status == 2)
        #expect(try scene.verify("--policy", "rental").status == 2)
        #expect(try scene.verify("--policy", "age").status == 0)
    }

    @Test("policy.json of the store is the default, and a policy file on the command line replaces it")
    func defaultFile() throws {
        let status = try TestStatusToken(authority: scene.root).reference(index: 1)
        let policy =
            #"{"policy": "desk", "policies": {"desk": {"undetermined": "refuse"}}, "clockSkewSeconds": 5}"#
        try Data(policy.utf8).write(to: URL(filePath: "\(scene.store)/policy.json"))
        let run = try scene.verify("--json", status: status)
        #expect(run.status == 2)
        #expect(
            try run.report().policy
                == VerdictJSON.Policy(
                    name: "desk", undetermined: "refuse", staleSeconds: 0, clockSkewSeconds: 5))
        #expect(try scene.verify("--policy", "age", status: status).status == 0)
        #expect(try scene.verify("--policy-file", file("{}"), status: status).status == 0)
    }

    @Test("The clock skew of the file holds for the documents' own dates")
    func clockSkew() throws {
        // The MSO of the document is valid from 2026-10-20.
        let early = "2026-10-19T23:58:00Z"
        #expect(try scene.verify(at: early).status == 2)
        #expect(
            try scene.verify("--policy-file", file(#"{"clockSkewSeconds": 180}"#), at: early).status == 0)
    }

    @Test(
        "A policy file with anything that is not known is refused: it may be a restriction that was misspelt",
        arguments: [
            #"{"acceptTestDocuments": "yes"}"#, #"{"polcy": "rental"}"#, #"{"policy": "rentl"}"#,
            #"{"policies": {"x": {"undetermined": "maybe"}}}"#,
            #"{"policies": {"x": {"undetermined": "refuse", "staleDay": 1}}}"#,
            #"{"policies": {"x": {"undetermined": "accept", "staleDays": 1}}}"#,
            #"{"policies": {"x": {"undetermined": "refuse", "staleDays": -1}}}"#,
            #"{"policies": {"x": {}}}"#, #"{"clockSkewSeconds": "60"}"#, #"{"clockSkewSeconds": 4000}"#,
            #"{"clockSkewSeconds": 60, "clockSkewSeconds": 90}"#, #"["age"]"#, "age", "",
        ])
    func misspelt(_ text: String) throws {
        let run = try scene.verify("--policy-file", file(text))
        #expect(run.status == 65)
        #expect(!run.everything.contains("VERIFIED"))
    }

    /// `request` to a wallet whose issuer has no revocation list, with the policies of no file or of this one.
    private func request(_ arguments: String..., policies: String = #"{"acceptTestDocuments": true}"#)
        async throws -> CommandRun
    {
        try await WalletAtLink().request(arguments + ["--policy-file", file(policies)])
    }

    @Test("The purpose of a request chooses its policy: age accepts what is not known, all else refuses it")
    func purposes() async throws {
        for (intent, policy, status) in [
            ("age over 21", "age", Int32(0)), ("rental: categories B", "rental", 2),
            ("identity: name", "rental", 2), ("elements: org.iso.18013.5.1/family_name", "rental", 2),
        ] {
            let run = try await request(intent, "--json")
            #expect(run.status == status, "\(intent): \(run.errors)")
            #expect(try run.report().policy?.name == policy)
        }
    }

    @Test("A policy file names the policy of a purpose by its name")
    func purposeOfFile() async throws {
        let lenient = #"{"acceptTestDocuments": true, "policies": {"identity": {"undetermined": "accept"}}}"#
        let run = try await request("identity: name", "--json", policies: lenient)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.report().policy?.name == "identity")
        #expect(try await request("rental: categories B", policies: lenient).status == 2)
        let strict = #"{"policies": {"age": {"undetermined": "refuse"}}}"#
        #expect(try await request("age over 21", policies: strict).status == 2)
    }

    @Test("--policy may be stricter than the purpose's policy, and never accept more")
    func stricterAlone() async throws {
        #expect(try await request("age over 21", "--policy", "rental").status == 2)
        let refused = try await request("rental: categories B", "--policy", "age")
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(refused.errors.contains("this policy accepts more than rental"))
        let stale = #"{"policies": {"desk": {"undetermined": "refuse", "staleDays": 1}}}"#
        #expect(
            try await request("rental: categories B", "--policy", "desk", policies: stale).status == 64)
    }

    @Test("A policy that there is not is named with those that there are")
    func unknown() throws {
        let run = try scene.verify("--policy", "rentl")
        #expect(run.status == 64)
        #expect(run.errors.contains("give one of age, rental"))
        #expect(try scene.verify("--policy-file", "/no/such/file").status == 64)
    }
}
