import CBOR
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

/// A root that was given a new key: the old key signed a link certificate for the new one.
private struct Rekeyed {
    let old: TestAuthority
    let new: TestAuthority
    let link: [UInt8]
    let signer: [UInt8]

    init(
        newNames: TestAuthority.Names = [(.countryName, "UT"), (.commonName, "Utopia IACA")],
        oldNotAfter: Int64 = TestAuthority.now + 900 * TestAuthority.day,
        _ change: (CertificateTemplate) -> CertificateTemplate = { $0 }
    ) throws {
        old = try TestAuthority(notAfter: oldNotAfter)
        new = try TestAuthority(newNames)
        var template = new.template.with(.authorityKeyIdentifier(old.keyIdentifier))
        template.issuer = old.name
        template.serialNumber = [0x4c, 1, 2, 3, 4, 5, 6, 7, 8]
        link = try old.sign(change(template))
        signer = try new.sign(new.signer(for: TestKey()))
    }
}

@Suite("Link certificates")
struct LinkCertificateTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let missing = IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia IACA,C=UT")

    private func refusal(_ signer: [UInt8], _ sources: [TrustSource], at time: Timestamp? = nil) throws
        -> IssuerCertificateError?
    {
        let store = TrustStore(TrustSnapshot(sources))
        // Asked twice: a verdict that is remembered has to be the same.
        var met: [IssuerCertificateError?] = []
        for _ in 0..<2 {
            do throws(IssuerCertificateError) {
                _ = try store.verify(
                    store.issuerCertificate(der: signer[...]), for: TestDocument.mDL, at: time ?? now)
                met.append(nil)
            } catch {
                met.append(error)
            }
        }
        #expect(met[0] == met[1])
        return met[0]
    }

    /// Link certificates, in forms that name the key that signed them or do not.
    static let forms: [@Sendable (CertificateTemplate) -> CertificateTemplate] = [
        { $0 }, { $0.without(.authorityKeyIdentifier) },
        { $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.4")])) },
        { template in
            let own = template.extensions.first { $0.oid == .subjectKeyIdentifier }?.value.dropFirst(2) ?? []
            return template.with(.authorityKeyIdentifier(Array(own)))
        },
    ]

    @Test(
        "Q231 A link certificate alone is not a root, whatever it says about its keys",
        arguments: forms.indices
    )
    func alone(_ form: Int) throws {
        let rekeyed = try Rekeyed(Self.forms[form])
        let link = TrustSource.test(.anchor, "link", rekeyed.link)
        #expect(try refusal(rekeyed.signer, [link]) == missing)
        let subject = "CN=Utopia IACA,C=UT"
        // Two of the forms do not say that another key signed them.
        let condition: TrustCondition =
            form % 2 == 0 ? .linkCertificate(subject: subject) : .selfSignatureInvalid(subject: subject)
        #expect(throws: AdmissionRefusal.unusable(condition)) {
            try TrustSnapshot([]).admission(of: link, at: now)
        }
        #expect(TrustSnapshot([link]).lint(at: now).map(\.condition) == [condition])
        #expect(TrustStore(TrustSnapshot([link])).unlinkedAnchors(at: now).count == 1)
    }

    @Test(
        "Q231 Beside the root that signed it a link certificate counts, and beside another root it does not")
    func linked() throws {
        let rekeyed = try Rekeyed()
        let link = TrustSource.test(.anchor, "link", rekeyed.link)
        let old = TrustSource.test(.anchor, "old", rekeyed.old.der)
        #expect(try refusal(rekeyed.signer, [old, link]) == nil)
        #expect(try TrustSnapshot([old]).admission(of: link, at: now) == .new)
        #expect(TrustStore(TrustSnapshot([old, link])).unlinkedAnchors(at: now).isEmpty)
        let other = TrustSource.test(.anchor, "old", try TestAuthority().der)
        #expect(try refusal(rekeyed.signer, [other, link]) == missing)
        let new = TrustSource.test(.anchor, "new", rekeyed.new.der)
        #expect(try refusal(rekeyed.signer, [link, new]) == nil)
    }

    @Test("Q231 A link ends with the root that signed it, and with a CRL of that root that lists it")
    func ends() throws {
        let rekeyed = try Rekeyed(oldNotAfter: TestAuthority.now + 10)
        let sources: [TrustSource] = [
            .test(.anchor, "link", rekeyed.link), .test(.anchor, "old", rekeyed.old.der),
        ]
        #expect(try refusal(rekeyed.signer, sources, at: now.advanced(bySeconds: 10)) == nil)
        #expect(try refusal(rekeyed.signer, sources, at: now.advanced(bySeconds: 11)) == missing)
        let entry = TestRevocationList.Entry([0x4c, 1, 2, 3, 4, 5, 6, 7, 8], reason: 1)
        let crl = try TestRevocationList(rekeyed.old, [entry]).encoded()
        #expect(
            try refusal(rekeyed.signer, sources + [.test(.revocationList, "crl", crl)]) == missing)
    }

    @Test("Q231 A link with another name counts where the root allows an authority below it")
    func renamed() throws {
        let names: TestAuthority.Names = [(.countryName, "UT"), (.commonName, "Utopia IACA 2")]
        let usage = CertificateExtension.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.4")])
        let rekeyed = try Rekeyed(newNames: names) { $0.with(usage) }
        let link = TrustSource.test(.anchor, "link", rekeyed.link)
        let renamed = IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia IACA 2,C=UT")
        #expect(try refusal(rekeyed.signer, [link]) == renamed)
        // Its path length is 0.
        #expect(try refusal(rekeyed.signer, [link, .test(.anchor, "old", rekeyed.old.der)]) == renamed)
        let open = try rekeyed.old.sign(
            rekeyed.old.template.with(.basicConstraints(BasicConstraints(isCA: true))))
        #expect(try refusal(rekeyed.signer, [link, .test(.anchor, "old", open)]) == nil)
    }

    @Test("Q231 A VICAL's link certificate is trusted for what both it and the root before are listed for")
    func vical() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
        let rekeyed = try Rekeyed()
        func sources(_ entries: [TestVICAL.Entry]) throws -> [TrustSource] {
            let list = try TestVICAL(entries, provider: provider)
            return [.test(.provider, "p", provider.der), .test(.vical, "list", try list.encoded())]
        }
        let link = TestVICAL.Entry(rekeyed.link)
        #expect(try refusal(rekeyed.signer, sources([link])) == missing)
        #expect(try refusal(rekeyed.signer, sources([link, .init(rekeyed.old.der)])) == nil)
        let other = TestVICAL.Entry(rekeyed.old.der, for: ["org.example.other"])
        #expect(try refusal(rekeyed.signer, sources([link, other])) == missing)
        let found = TrustSnapshot(try sources([link])).lint(at: now).map(\.condition)
        #expect(found.contains(.linkCertificate(subject: "CN=Utopia IACA,C=UT")))
    }

    @Test("Q231 A root whose own signature does not verify is named as that, in a file and in a VICAL")
    func damaged() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
        let root = try TestAuthority()
        let expected = TrustCondition.selfSignatureInvalid(subject: "CN=Utopia IACA,C=UT")
        #expect(
            expected.explanation.contains("self-issued, but its own signature does not verify")
                && !expected.explanation.contains("link"))
        for template in [
            root.template, root.template.without(.authorityKeyIdentifier),
            root.template.with(.authorityKeyIdentifier(root.keyIdentifier)),
        ] {
            let whole = try root.sign(template)
            var der = whole
            der[der.count - 1] ^= 1
            let file = TrustSource.test(.anchor, "root", der)
            #expect(throws: AdmissionRefusal.unusable(expected)) {
                try TrustSnapshot([]).admission(of: file, at: now)
            }
            #expect(try TrustSnapshot([]).admission(of: .test(.anchor, "root", whole), at: now) == .new)
            // The whole root beside it did not sign the damaged one either.
            let both = TrustSnapshot([.test(.anchor, "whole", whole), file])
            #expect(both.lint(at: now).map(\.condition).contains(expected))
            let signer = try root.sign(root.signer(for: TestKey()))
            #expect(try refusal(signer, [file]) == missing)
            #expect(try refusal(signer, both.sources) == nil)
            let list = TrustSource.test(
                .vical, "list", try TestVICAL([.init(der)], provider: provider).encoded())
            let empty = TrustSnapshot([.test(.provider, "p", provider.der)])
            #expect(try empty.admission(of: list, at: now) == .new)
            #expect(empty.remarks(on: list, at: now).contains(expected))
            #expect(empty.replacing(list).lint(at: now).map(\.condition).contains(expected))
        }
    }

    @Test(
        "Q231 The import and lint name a VICAL's link certificate that is not trusted for all it is listed for"
    )
    func vicalRemark() throws {
        let provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
        let rekeyed = try Rekeyed()
        let remark = TrustCondition.linkCertificate(subject: "CN=Utopia IACA,C=UT")
        let (link, old) = (TestVICAL.Entry(rekeyed.link), TestVICAL.Entry(rekeyed.old.der))
        let other = TestVICAL.Entry(rekeyed.old.der, for: ["org.example.other"])
        let both = TestVICAL.Entry(rekeyed.link, for: ["org.example.other", TestDocument.mDL])
        for (entries, isNamed) in [
            ([link], true), ([link, other], true), ([both, other], true), ([both, old], true),
            ([link, old], false),
        ] {
            let list = TrustSource.test(
                .vical, "list", try TestVICAL(entries, provider: provider).encoded())
            let before = TrustSnapshot([.test(.provider, "p", provider.der)])
            #expect(before.remarks(on: list, at: now).contains(remark) == isNamed)
            #expect(before.replacing(list).lint(at: now).map(\.condition).contains(remark) == isNamed)
        }
    }

    @Test("Q231 A signer that a link certificate alone vouches for signs no status list")
    func statusList() throws {
        let rekeyed = try Rekeyed()
        let token = try TestStatusToken(authority: rekeyed.new)
        var sources: [TrustSource] = [
            .test(.anchor, "link", rekeyed.link), .test(.anchor, "own", rekeyed.old.der),
            .test(.statusList, TestStatusToken.uri, try token.encoded()),
        ]
        let signer = try rekeyed.old.sign(rekeyed.old.signer(for: TestKey()))
        func cause() throws -> String? {
            let store = TrustStore(TrustSnapshot(sources))
            let proof = try store.verify(
                store.issuerCertificate(der: signer[...]), for: TestDocument.mDL, at: now)
            let item = try CBORItem.parse(token.reference(index: 0)[...])
            let status = Result { () throws(CBORError) in try DocumentStatus(item) }
            return store.revocation(of: proof, status: status, at: now, clockSkew: 60).cause
        }
        #expect(try cause() == "document_revoked")
        let foreign = try Rekeyed()
        sources[0] = .test(.anchor, "link", foreign.link)
        let strange = try TestStatusToken(authority: foreign.new)
        sources[2] = .test(.statusList, TestStatusToken.uri, try strange.encoded())
        #expect(try cause() != "document_revoked")
    }

    @Test("Q231 A verdict on a list's signer that is kept ends with the root that signed the link")
    func keptVerdict() throws {
        let rekeyed = try Rekeyed(oldNotAfter: TestAuthority.now + 10)
        let issuer = try TestAuthority()
        let token = try TestStatusToken(authority: rekeyed.new)
        let store = TrustStore(
            TrustSnapshot([
                .test(.anchor, "link", rekeyed.link), .test(.anchor, "old", rekeyed.old.der),
                .test(.anchor, "issuer", issuer.der),
                .test(.statusList, TestStatusToken.uri, try token.encoded()),
            ]))
        let signer = try issuer.sign(issuer.signer(for: TestKey()))
        func cause(after seconds: Int64) throws -> String? {
            let time = now.advanced(bySeconds: seconds)
            let proof = try store.verify(
                store.issuerCertificate(der: signer[...]), for: TestDocument.mDL, at: time)
            let item = try CBORItem.parse(token.reference(index: 0)[...])
            let status = Result { () throws(CBORError) in try DocumentStatus(item) }
            return store.revocation(of: proof, status: status, at: time, clockSkew: 60).cause
        }
        #expect(try cause(after: 0) == "document_revoked")
        #expect(try cause(after: 10) == "document_revoked")
        let later = try cause(after: 11)
        #expect(later == "document.list_signer_wrong", "\(later ?? "none")")
    }
}
