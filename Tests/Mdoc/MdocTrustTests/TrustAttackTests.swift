internal import OpenSSLCrypto
import CBOR
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

/// What someone with a key or a list of their own, but not the issuer's, may try.
@Suite("Attacks on what is trusted")
struct TrustAttackTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let photoID = "org.iso.23220.photoid.1"

    private func provider(_ name: String = "Utopia provider") throws -> TestAuthority {
        try TestAuthority([(.countryName, "UT"), (.commonName, name)])
    }

    private func verify(
        _ der: [UInt8], in store: TrustStore, for docType: String = TestDocument.mDL
    ) throws(IssuerCertificateError) -> (anchor: TrustAnchor, deviations: [Deviation]) {
        let proof = try store.verify(store.issuerCertificate(der: der[...]), for: docType, at: now)
        return (proof.anchor, proof.deviations)
    }

    @Test("Two roots with one key and two names: the name decides, and each is trusted for its own documents")
    func oneKeyTwoNames() throws {
        let key = try TestKey()
        let (a, b) = (
            try TestAuthority([(.countryName, "UT"), (.commonName, "A")], key: key),
            try TestAuthority([(.countryName, "UT"), (.commonName, "B")], key: key)
        )
        let provider = try provider()
        let list = try TestVICAL(
            [.init(a.der, for: [TestDocument.mDL]), .init(b.der, for: [photoID])], provider: provider)
        let store = TrustStore(
            TrustSnapshot([
                .test(.provider, "p", provider.der), .test(.vical, "list", try list.encoded()),
            ]))
        let der = try a.sign(a.signer(for: TestKey()))
        #expect(try verify(der, in: store).anchor.certificate.subject == a.name)
        #expect(throws: IssuerCertificateError.docTypeNotTrusted(photoID)) {
            try verify(der, in: store, for: photoID)
        }
    }

    @Test("A new root that the old one certified is no anchor, sent along or not; pinned itself it is one")
    func crossSigned() throws {
        let names: TestAuthority.Names = [(.countryName, "UT"), (.commonName, "Utopia IACA")]
        let (old, new) = (try TestAuthority(names), try TestAuthority(names))
        let link = try old.sign(new.template.with(.authorityKeyIdentifier(old.keyIdentifier)))
        let der = try new.sign(new.signer(for: TestKey()))
        #expect(throws: IssuerCertificateError.authorityKeyIdentifierMismatch) {
            try verify(der, in: TrustStore(TrustSnapshot([.test(.anchor, "old", old.der)])))
        }
        let both = TrustSnapshot([.test(.anchor, "old", old.der), .test(.anchor, "link", link)])
        #expect(try Array(verify(der, in: TrustStore(both)).anchor.certificate.der) == link)
    }

    @Test("A document signer cannot issue certificates, even if its own certificate is among the roots")
    func signerAsIssuer() throws {
        let root = try TestAuthority()
        let signer = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia DS")])
        let certificate = try root.sign(root.signer(for: signer.pair))
        let der = try signer.sign(signer.signer(for: TestKey()))
        let store = TrustStore(
            TrustSnapshot([.test(.anchor, "root", root.der), .test(.anchor, "signer", certificate)]))
        #expect(throws: IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia DS,C=UT")) {
            try verify(der, in: store)
        }
    }

    @Test("The root of a VICAL's provider issues no document signers")
    func providerAsIssuer() throws {
        let provider = try provider()
        let store = TrustStore(TrustSnapshot([.test(.provider, "p", provider.der)]))
        #expect(throws: IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia provider,C=UT")) {
            try verify(provider.sign(provider.signer(for: TestKey())), in: store)
        }
    }

    @Test("A signer that names no key is reported where its root has no identifier, and refused where it has")
    func withoutKeyIdentifiers() throws {
        let bare = try TestAuthority(hasKeyIdentifier: false)
        let der = try bare.sign(bare.signer(for: TestKey()).without(.authorityKeyIdentifier))
        #expect(try verify(der, in: bare.store()).deviations == [.dsAuthorityKeyIdentifierMissing])
        let root = try TestAuthority()
        let other = try root.sign(root.signer(for: TestKey()).without(.authorityKeyIdentifier))
        #expect(throws: IssuerCertificateError.authorityKeyIdentifierMismatch) {
            try verify(other, in: root.store())
        }
    }

    @Test("A VICAL whose signer its root's CRL lists is refused; on hold, or another listed, it stands")
    func revokedVICALSigner() throws {
        let provider = try provider()
        let list = try TestVICAL([.init(TestAuthority().der)], provider: provider)
        let vical = TrustSource.test(.vical, "list", try list.encoded())
        let serial = Array(try Certificate(der: list.certificate[...]).serialNumber)
        for (entry, isRefused) in [
            (TestRevocationList.Entry(serial), true), (.init(serial, reason: 6), false), (.init([1]), false),
        ] {
            let crl = try TestRevocationList(provider, [entry]).encoded()
            let snapshot = TrustSnapshot([
                .test(.provider, "p", provider.der), .test(.revocationList, "crl", crl), vical,
            ])
            #expect(snapshot.anchors.isEmpty == isRefused)
            #expect(snapshot.findings.map(\.condition) == (isRefused ? [.vicalRefused(.signerRevoked)] : []))
            let before = snapshot.removing(vical.identity)
            if isRefused {
                #expect(throws: AdmissionRefusal.unusable(.vicalRefused(.signerRevoked))) {
                    try before.admission(of: vical, at: now)
                }
            } else {
                #expect(try before.admission(of: vical, at: now) == .new)
            }
            #expect(
                !snapshot.lint(at: now).map(\.condition).contains(
                    .revocationListIssuerUnknown(issuer: "CN=Utopia provider,C=UT")))
        }
        let forged = try TestRevocationList(provider, [.init(serial)]).encoded(signedBy: TestKey())
        let snapshot = TrustSnapshot([
            .test(.provider, "p", provider.der), .test(.revocationList, "crl", forged), vical,
        ])
        #expect(snapshot.anchors.count == 1)
    }

    @Test("What another issuer signed does not take the place of a list, a root or a provider's list")
    func otherIssuer() throws {
        let other = try TestAuthority([(.countryName, "XX"), (.commonName, "Other IACA")])
        let own = try TestAuthority()
        let (provider, second) = (try provider(), try provider("Second provider"))
        let (list, otherList) = (
            try TestVICAL([.init(own.der)], provider: provider),
            try TestVICAL([.init(own.der)], provider: second)
        )
        let snapshot = TrustSnapshot([
            .test(.anchor, "own", own.der), .test(.anchor, "other", other.der),
            .test(.provider, "p", provider.der), .test(.provider, "q", second.der),
            .test(.vical, "list", try list.encoded()),
            .test(.revocationList, "crl", try TestRevocationList(own).encoded()),
            .test(.statusList, TestStatusToken.uri, try TestStatusToken(authority: own).encoded()),
        ])
        var newer = try TestStatusToken(authority: other)
        newer.issued = TestAuthority.now
        let candidates: [TrustSource] = [
            .test(.anchor, "own", other.der), .test(.provider, "p", second.der),
            .test(.vical, "list", try otherList.encoded()),
        ]
        for candidate in candidates {
            #expect(throws: AdmissionRefusal.otherIssuer, "\(candidate.kind)") {
                try snapshot.admission(of: candidate, at: now)
            }
            #expect(try snapshot.removing(candidate.identity).admission(of: candidate, at: now) == .new)
        }
        #expect(AdmissionRefusal.otherIssuer.id == "trust.other_issuer")
        // Q234: these stand beside those of the other issuer.
        let beside: [TrustSource] = [
            .test(.revocationList, "crl", try TestRevocationList(other, number: [9]).encoded()),
            .test(.statusList, TestStatusToken.uri, try newer.encoded()),
        ]
        for candidate in beside {
            #expect(try snapshot.admission(of: candidate, at: now) == .new)
            #expect(snapshot.replacing(candidate).sources.count == snapshot.sources.count + 1)
        }
        newer = try TestStatusToken(authority: own)
        newer.issued = TestAuthority.now
        #expect(
            try snapshot.admission(
                of: .test(.statusList, TestStatusToken.uri, newer.encoded()), at: now) == .renewed)
    }

    @Test(
        "Q234 A list that another trusted root signed for the same URI does not block, replace or outweigh the right list",
        arguments: [true, false])
    func listOfAnotherRoot(_ isFirst: Bool) throws {
        let (own, other) = (
            try TestAuthority(), try TestAuthority([(.countryName, "XX"), (.commonName, "Other IACA")])
        )
        var right = try TestStatusToken(authority: own)
        right.issued = TestAuthority.now - 7200
        // Newer, larger, and it says that everybody is valid.
        var wrong = try TestStatusToken(authority: other)
        wrong.compressed = [0x78, 0x9c, 0x63, 0x60, 0x60, 0x60, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01]
        wrong.issued = TestAuthority.now
        let sources = try [right, wrong].map {
            TrustSource.test(.statusList, TestStatusToken.uri, try $0.encoded())
        }
        var snapshot = TrustSnapshot([
            .test(.anchor, "own", own.der), .test(.anchor, "other", other.der),
            .test(.revocationList, "crl", try TestRevocationList(own).encoded()),
        ])
        for source in isFirst ? sources.reversed() : sources {
            #expect(try snapshot.admission(of: source, at: now) == .new)
            snapshot = snapshot.replacing(source)
        }
        #expect(snapshot.sources.count == 5)
        let signer = try own.sign(own.signer(for: TestKey()))
        let store = TrustStore(snapshot)
        for (index, state) in [(0, RevocationFinding.State.revoked), (1, .good)]
            as [(
                UInt64, RevocationFinding.State
            )]
        {
            let item = try CBORItem.parse(right.reference(index: index)[...])
            let proof = try store.verify(
                store.issuerCertificate(der: signer[...]), for: TestDocument.mDL, at: now)
            let status = Result { () throws(CBORError) in try DocumentStatus(item) }
            #expect(store.revocation(of: proof, status: status, at: now, clockSkew: 60).state == state)
        }
        right.issued = TestAuthority.now
        let renewed = TrustSource.test(.statusList, TestStatusToken.uri, try right.encoded())
        #expect(try snapshot.admission(of: renewed, at: now) == .renewed)
        #expect(snapshot.replacing(renewed).sources.count == 5)
    }

    @Test("A list signed by the very certificate that an MSO named is let in, and by no other")
    func namedSigner() throws {
        let stranger = try TestAuthority([(.commonName, "Lists")])
        let token = try TestStatusToken(authority: stranger)
        let source = TrustSource.test(.statusList, TestStatusToken.uri, try token.encoded())
        let snapshot = TrustSnapshot([.test(.anchor, "a", try TestAuthority().der)])
        #expect(
            try snapshot.admission(of: source, at: now, namedIssuers: [token.certificate[...]]) == .new)
        let other = try TestStatusToken(authority: stranger).certificate
        #expect(throws: AdmissionRefusal.unusable(.statusListSignerUnknown)) {
            try snapshot.admission(of: source, at: now, namedIssuers: [other[...]])
        }
    }

    /// Dates whose difference to any other overflows.
    static let extremes = [Int64.min, .min + 1, -62_167_219_201, 253_402_300_800, .max]

    @Test("Dates beyond all years are refused before anything is computed with them", arguments: extremes)
    func extremeDates(_ seconds: Int64) throws {
        let authority = try TestAuthority()
        let written = CBOREncoder.encode { $0.integer(seconds) }
        for claim: Int64 in [4, 6] {
            var token = try TestStatusToken(authority: authority)
            if claim == 4 { token.expires = nil } else { token.issued = nil }
            token.moreClaims = [(claim, written)]
            let source = TrustSource.test(.statusList, TestStatusToken.uri, try token.encoded())
            let snapshot = TrustSnapshot([.test(.anchor, "a", authority.der), source])
            let conditions = snapshot.lint(at: now).map(\.condition)
            #expect(conditions.count == 1)
            switch (claim, conditions.first) {
            case (4, .statusListIncomplete(.claimUnreadable(4, .outOfRange))),
                (6, .statusListUnreadable(.malformed(.outOfRange))):
                break
            default: Issue.record("\(conditions)")
            }
        }
        let key = try TestKey()
        let bundle = try TrustBundle.export(
            TrustSnapshot([]), created: Timestamp(secondsSince1970: seconds), signedWith: key.privateKey)
        let error = #expect(throws: TrustBundleError.self) {
            _ = try TrustBundle(
                bundle[...], signedBy: key.privateKey.publicKey(), notOlderThan: nil, at: now)
        }
        guard case .malformed(.outOfRange) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A time to live is a positive number", arguments: [0, -1, .min] as [Int64])
    func timeToLive(_ seconds: Int64) throws {
        var token = try TestStatusToken(authority: TestAuthority())
        token.timeToLive = nil
        token.moreClaims = [(65_534, CBOREncoder.encode { $0.integer(1) })]
        #expect(try StatusToken(token.encoded()[...]).timeToLive == 1)
        token.moreClaims = [(65_534, CBOREncoder.encode { $0.integer(seconds) })]
        let parsed = try StatusToken(token.encoded()[...])
        #expect(parsed.timeToLive == nil)
        guard case .claimUnreadable(65_534, .outOfRange)? = parsed.gaps.first else {
            Issue.record("\(parsed.gaps)")
            return
        }
    }
}
