import CommandBench
import Foundation
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

/// Every finding about trust, by the id of the reference, as the built command reports it.
@Suite("Findings about trust")
struct TrustConditionTests {
    let scene: TrustScene

    init() throws {
        scene = try TrustScene()
    }

    /// What `lint` finds of what is there, as `id severity`.
    private func findings(at time: String = TrustScene.time) throws -> [String] {
        let run = try scene.trust("lint", "--json", at: time)
        let found = try #require(try run.json()["findings"] as? [[String: String]], "\(run.errors)")
        #expect(run.status == (found.contains { $0["severity"] == "fault" } ? 2 : 0))
        return found.map { "\($0["id"] ?? "") \($0["severity"] ?? "")" }
    }

    private func importing(_ bytes: [UInt8], as kind: String? = nil) throws -> [String] {
        let file = try scene.write("\(UUID())", bytes)
        return try scene.run(
            ["trust", "import", file, "--json"] + (kind.map { ["--as", $0] } ?? [])
        ).change().outcomes
    }

    @Test("A root from tomorrow is a fault until tomorrow")
    func notYetValid() throws {
        let tomorrow = try TestAuthority(notBefore: TestAuthority.now + TrustScene.day)
        #expect(try importing(tomorrow.der) == ["anchor new"])
        #expect(try findings() == ["trust.anchor_not_yet_valid fault"])
        #expect(try findings(at: "2026-11-02T12:00:00Z") == [])
    }

    @Test("A VICAL that does not say when the next is due, or has an odd entry, gives a remark; another none")
    func vical() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        #expect(try importing(provider.der, as: "provider") == ["provider new"])
        var list = try TestVICAL([.init(scene.root.der)], provider: provider)
        #expect(try importing(list.encoded()) == ["vical new"])
        #expect(try findings() == [])
        (list.nextUpdate, list.issueID) = (nil, 8)
        #expect(try importing(list.encoded()) == ["vical renewed"])
        #expect(try findings() == ["trust.vical_no_next_update remark"])
        (list.nextUpdate, list.issueID) = ("2026-11-20T00:00:00Z", 9)
        list.entries = [.init(scene.root.der, for: [])]
        #expect(try importing(list.encoded()) == ["vical renewed"])
        #expect(try findings() == ["trust.vical_entry remark"])
    }

    @Test(
        "Q214 A VICAL is let in whose signer's key usage ends in zero bits, and lint gives a remark; a plain one none"
    )
    func vicalSigner() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        #expect(try importing(provider.der, as: "provider") == ["provider new"])
        let zeros = CertificateExtension(oid: .keyUsage, isCritical: true, value: [0x03, 0x02, 0x00, 0x40])
        var list = try TestVICAL([.init(scene.root.der)], provider: provider) { $0.with(zeros) }
        #expect(try importing(list.encoded()) == ["vical new"])
        #expect(try findings() == ["trust.vical_signer remark"])
        let lint = try scene.trust("lint").output
        #expect(lint.contains("key_usage_trailing_zeros (the bits of keyUsage end in zero)"))
        list = try TestVICAL([.init(scene.root.der)], provider: provider)
        list.issueID = 8
        #expect(try importing(list.encoded()) == ["vical renewed"])
        #expect(try findings() == [])
        var odd = try TestVICAL([.init(scene.root.der)], provider: provider) {
            var copy = $0
            copy.serialNumber = [0]
            return copy
        }
        odd.issueID = 9
        let refused = try scene.trust("import", scene.write("odd.vical", odd.encoded()))
        #expect(refused.status == 2)
        #expect(refused.output.contains("encoding (the serial number is not positive)"))
    }

    @Test(
        "Q178 A root without basicConstraints is refused for that, and its issuer, itself, is not asked for")
    func withoutConstraints() throws {
        let der = try scene.root.sign(scene.root.template.without(.basicConstraints))
        #expect(try importing(der) == ["anchor refused trust.root_not_an_authority"])
        let run = try scene.trust("import", scene.write("root", der))
        #expect(run.output.contains("this certificate is not a root: basicConstraints is missing"))
        #expect(!run.output.contains("issuer"))
        let signer = try TestIssuer(authority: scene.root).certificate
        #expect(try importing(signer) == ["anchor refused trust.not_an_authority"])
    }

    @Test(
        "A root that may not issue certificates is refused by what forbids it, and one that a VICAL lists is left out"
    )
    func forbiddenUse() throws {
        let template = scene.root.template
        let constraints = CertificateExtension(.nameConstraints, isCritical: true) {
            $0.write(DERTag.sequence) { _ in }
        }
        let unknown = CertificateExtension(ObjectIdentifier("1.2.3.4"), isCritical: true) {
            $0.writeBoolean(true)
        }
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        #expect(try importing(provider.der, as: "provider") == ["provider new"])
        var issue: UInt64 = 7
        for (changed, id) in [
            (template.with(.keyUsage(.cRLSign)), "trust.root_key_usage"),
            (template.with(constraints), "trust.root_name_constraints"),
            (template.with(unknown), "trust.root_unknown_extension"),
        ] {
            let der = try scene.root.sign(changed)
            #expect(try importing(der) == ["anchor refused \(id)"])
            var list = try TestVICAL([.init(der)], provider: provider)
            list.issueID = issue
            _ = try importing(list.encoded())
            #expect(try findings() == ["\(id) fault"])
            issue += 1
        }
        #expect(try importing(scene.root.der) == ["anchor new"])
    }

    @Test("A root whose key is of another kind is refused")
    func otherKey() throws {
        var template = scene.root.template
        // id-dsa, and no key.
        template.subjectPublicKeyInfo = DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(DERTag.sequence) {
                    $0.write(ObjectIdentifier("1.2.840.10040.4.1"))
                    $0.write(DERTag.primitive(5), contents: [])
                }
                $0.writeBitString([0x30, 0x00])
            }
        }
        let der = try template.sign(with: scene.root.pair.privateKey)
        #expect(try importing(der) == ["anchor refused trust.key_not_usable"])
        #expect(try importing(scene.root.der) == ["anchor new"])
    }

    @Test("A list from tomorrow is refused; one of another issuer for the same URI replaces no list")
    func refusedLists() throws {
        let other = try TestAuthority([(.countryName, "XX"), (.commonName, "Other IACA")])
        _ = try importing(scene.root.der)
        _ = try importing(other.der)
        var early = TestRevocationList(scene.root)
        early.thisUpdate = TestAuthority.now + TrustScene.day
        #expect(try importing(early.encoded()) == ["revocation_list refused trust.list_not_yet_valid"])
        early.thisUpdate = TestAuthority.now
        #expect(try importing(early.encoded()) == ["revocation_list new"])
        #expect(try importing(TestStatusToken(authority: scene.root).encoded()) == ["status_list new"])
        for (authority, outcome) in [
            (other, "status_list new"), (scene.root, "status_list renewed"),
        ] {
            var newer = try TestStatusToken(authority: authority)
            newer.issued = TestAuthority.now
            #expect(try importing(newer.encoded()) == [outcome])
        }
    }

    @Test(
        "Q240 Incomplete CRLs are imported beside the complete one, shown as such, and go with the next one"
    )
    func incompleteList() throws {
        _ = try importing(scene.root.der)
        var list = TestRevocationList(scene.root, [.init([1])])
        #expect(try importing(list.encoded()) == ["revocation_list new"])
        list = TestRevocationList(scene.root, [.init([1]), .init([2])], number: [8])
        list.extensions.append(
            CertificateExtension(
                oid: .issuingDistributionPoint, isCritical: true, value: [0x30, 3, 0x81, 1, 1]))
        let newer = try scene.write("8.crl", list.encoded())
        let run = try scene.trust("import", newer)
        #expect(run.status == 0)
        #expect(run.output.contains("the CRL's issuing distribution point cannot be read"), "\(run.output)")
        #expect(run.output.contains("[trust.crl_incomplete]"))
        #expect(try scene.trust("import", newer, "--json").change().outcomes == ["revocation_list unchanged"])
        #expect(try findings() == ["trust.crl_incomplete remark"])
        let shown = try scene.trust("list").output.split(separator: "\n").filter { $0.contains("CRL") }
        #expect(shown.map { $0.contains(", incomplete  ") } == [false, true], "\(shown)")
        list.nextUpdate = nil
        list.extensions[1] = .crlNumber([9])
        #expect(try importing(list.encoded()) == ["revocation_list new"])
        // The reason of the first one, and the two of the second.
        #expect(try findings() == [String](repeating: "trust.crl_incomplete remark", count: 3))
        #expect(
            try importing(TestRevocationList(scene.root, [.init([1]), .init([2])], number: [10]).encoded())
                == [
                    "revocation_list renewed", "revocation_list removed", "revocation_list removed",
                ])
        #expect(try findings() == [])
        #expect(try importing(list.encoded()) == ["revocation_list refused trust.older"])
    }

    @Test(
        "Q231 A damaged root is refused as what it is, and a VICAL's link certificate without its root is named"
    )
    func selfSignature() throws {
        var damaged = scene.root.der
        damaged[damaged.count - 1] ^= 1
        #expect(try importing(damaged) == ["anchor refused trust.root_signature_invalid"])
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Provider")])
        #expect(try importing(provider.der, as: "provider") == ["provider new"])
        let new = try TestAuthority([(.countryName, "XX"), (.commonName, "Utopia IACA")])
        var template = new.template.with(.authorityKeyIdentifier(scene.root.keyIdentifier))
        template.issuer = scene.root.name
        let list = try TestVICAL([.init(scene.root.sign(template))], provider: provider)
        let run = try scene.trust("import", scene.write("7.vical", list.encoded()))
        #expect(run.status == 0 && run.output.contains("CN=Utopia IACA,C=XX is a link certificate"))
        #expect(try findings() == ["trust.link_certificate remark"])
    }

    /// Takes in a bundle with these sources, in place of what there was.
    private func open(_ sources: [TrustSource]) throws {
        let key = try PrivateKey.generate(.p256)
        let bundle = try TrustBundle.export(
            TrustSnapshot(sources), created: Timestamp(secondsSince1970: TestAuthority.now), signedWith: key)
        let info = try key.publicKey().subjectPublicKeyInfo
        let run = try scene.trust(
            "import-bundle", scene.write("bundle", bundle), "--signed-by",
            scene.write("public.pem", PEM.encode(info[...], label: "PUBLIC KEY")))
        try #require(run.status == 0, "\(run.everything)")
    }

    @Test("What a bundle brought that cannot be used, is there twice, or is another list is found by lint")
    func bundle() throws {
        let root = TrustSource.test(.anchor, "root", scene.root.der)
        let list = try TestStatusToken(authority: scene.root).encoded()
        for (source, finding) in [
            (.test(.anchor, "again", scene.root.der), "trust.anchor_twice remark"),
            (.test(.anchor, "none", [1, 2, 3]), "trust.certificate_unreadable fault"),
            (.test(.revocationList, "none", [1, 2, 3]), "trust.crl_unreadable fault"),
            (.test(.statusList, "none", [1, 2, 3]), "trust.status_unreadable fault"),
            (.test(.statusList, "https://utopia.example/status/2", list), "trust.status_subject_wrong fault"),
            (.test(.statusList, TestStatusToken.uri, list), nil),
        ] as [(TrustSource, String?)] {
            try open([root, source])
            #expect(try findings() == (finding.map { [$0] } ?? []), "\(source.name)")
        }
    }
}
