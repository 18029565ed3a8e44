import Foundation
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing
import VectorFiles

@Suite("Trust store")
struct TrustStoreTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)

    private func verify(
        _ der: [UInt8], in store: TrustStore, at now: Timestamp
    ) throws(IssuerCertificateError) -> (IssuerCertificate, TrustAnchor) {
        let verified = try store.verify(
            store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
        return (verified.leaf, verified.anchor)
    }

    private func signer(of authority: TestAuthority) throws -> [UInt8] {
        try authority.sign(authority.signer(for: TestKey()))
    }

    @Test("Without trusted roots no document is accepted, whatever certificates it contains")
    func noAnchors() throws {
        let authority = try TestAuthority()
        let der = try signer(of: authority)
        #expect(throws: IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia IACA,C=UT")) {
            _ = try verify(der, in: TrustStore(anchors: []), at: now)
        }
        #expect(throws: IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia IACA,C=UT")) {
            _ = try verify(authority.der, in: TrustStore(anchors: []), at: now)
        }
    }

    @Test("The IACA itself is no document signer")
    func authorityAsSigner() throws {
        let authority = try TestAuthority()
        // Unlike a document signer it does not name the key that signed it.
        #expect(throws: IssuerCertificateError.authorityKeyIdentifierMismatch) {
            _ = try verify(authority.der, in: authority.store(), at: now)
        }
    }

    @Test("A CA with the root's name and key identifier but another key is not accepted as the signer")
    func rogue() throws {
        let authority = try TestAuthority()
        let rogue = try TestAuthority()
        let template = try authority.signer(for: TestKey())
        let der = try rogue.sign(template)
        #expect(throws: IssuerCertificateError.signatureInvalid) {
            _ = try verify(der, in: authority.store(), at: now)
        }
    }

    @Test("One bit of what is signed or of the signature, and it is refused; so are bytes that are none")
    func changedBit() throws {
        let authority = try TestAuthority()
        let der = try signer(of: authority)
        let name = try #require(der.firstRange(of: Array("Utopia DS".utf8)))
        for place in [name.lowerBound, der.count - 1] {
            var changed = der
            changed[place] ^= 1
            #expect(throws: IssuerCertificateError.signatureInvalid) {
                _ = try verify(changed, in: authority.store(), at: now)
            }
        }
        for bytes in [[0x30, 0x00], []] as [[UInt8]] {
            #expect(throws: IssuerCertificateError.malformed(.truncated(at: bytes.count))) {
                _ = try verify(bytes, in: authority.store(), at: now)
            }
        }
    }

    @Test(
        "Q173 Signer and IACA are valid from their first second to their last, and each refusal has its name")
    func validity() throws {
        let day = TestAuthority.day
        let authority = try TestAuthority(
            notBefore: TestAuthority.now - 10 * day, notAfter: TestAuthority.now + 10 * day)
        var template = try authority.signer(for: TestKey())
        (template.notBefore, template.notAfter) = (TestAuthority.now - 20 * day, TestAuthority.now + 20 * day)
        let outlasting = try authority.sign(template)
        (template.notBefore, template.notAfter) = (TestAuthority.now - 5 * day, TestAuthority.now + 5 * day)
        let within = try authority.sign(template)
        for capacity in [0, 64] {
            let store = try authority.store(remembering: capacity)
            let cases: [([UInt8], Int64, IssuerCertificateError?)] = [
                (within, 0, nil), (outlasting, 0, nil), (within, -5 * day, nil), (within, 5 * day, nil),
                (within, -5 * day - 1, .notYetValid), (within, 5 * day + 1, .expired),
                (outlasting, -10 * day, nil), (outlasting, 10 * day, nil),
                (outlasting, -10 * day - 1, .anchorOutsideValidity),
                (outlasting, 10 * day + 1, .anchorOutsideValidity),
                (outlasting, -20 * day - 1, .notYetValid), (outlasting, 20 * day + 1, .expired),
            ]
            for (der, offset, expected) in cases {
                var met: IssuerCertificateError?
                do throws(IssuerCertificateError) {
                    _ = try verify(der, in: store, at: now.advanced(bySeconds: offset))
                } catch {
                    met = error
                }
                #expect(met == expected, "\(offset) with \(capacity)")
            }
        }
    }

    @Test("Q177 Roots of one name and several keys stand side by side")
    func rekeyed() throws {
        let old = try TestAuthority()
        let new = try TestAuthority()
        let store = TrustStore(anchors: [try old.anchor(), try new.anchor()])
        #expect(try verify(signer(of: old), in: store, at: now).1 === store.anchors[0])
        #expect(try verify(signer(of: new), in: store, at: now).1 === store.anchors[1])
    }

    @Test(
        "Q177 A root that was renewed with its key takes over when the old one ends, also for a remembered signer",
        arguments: [0, 64])
    func renewed(_ capacity: Int) throws {
        let key = try TestKey()
        let end = TestAuthority.now + 10 * TestAuthority.day
        let old = try TestAuthority(key: key, notAfter: end)
        let new = try TestAuthority(key: key)
        let der = try signer(of: old)
        let store = TrustStore(anchors: [try old.anchor(), try new.anchor()], remembering: capacity)
        #expect(try verify(der, in: store, at: now).1 === store.anchors[0])
        let after = Timestamp(secondsSince1970: end + 1)
        #expect(try verify(der, in: store, at: after).1 === store.anchors[1])
        // What is remembered stands while its root is valid, and the renewed one is.
        #expect(try verify(der, in: store, at: now).1 === store.anchors[capacity > 0 ? 1 : 0])
        let alone = TrustStore(anchors: [try old.anchor()], remembering: capacity)
        _ = try verify(der, in: alone, at: now)
        #expect(throws: IssuerCertificateError.anchorOutsideValidity) {
            _ = try verify(der, in: alone, at: after)
        }
    }

    @Test("Q179 A root without key identifier is found by its name")
    func withoutKeyIdentifier() throws {
        let authority = try TestAuthority(hasKeyIdentifier: false)
        _ = try verify(signer(of: authority), in: authority.store(), at: now)
        let other = try TestAuthority(hasKeyIdentifier: false)
        #expect(throws: IssuerCertificateError.signatureInvalid) {
            _ = try verify(signer(of: other), in: authority.store(), at: now)
        }
    }

    @Test("Q178 A document signer or another end certificate is no anchor, and is named")
    func endCertificateAsAnchor() throws {
        let authority = try TestAuthority()
        let der = try signer(of: authority)
        let expected = TrustAnchorError.notACertificateAuthority(subject: "CN=Utopia DS,C=UT")
        #expect(throws: expected) { try TrustAnchor(Certificate(der: der[...])) }
        let without = try authority.sign(
            authority.signer(for: TestKey()).with(.basicConstraints(BasicConstraints(isCA: false))))
        #expect(throws: expected) { try TrustAnchor(Certificate(der: without[...])) }
        _ = try authority.anchor()
    }

    @Test(
        "Q178 What names itself as its issuer and no authority is no anchor, and is not sent to itself for a root"
    )
    func selfIssuedWithoutAuthority() throws {
        let authority = try TestAuthority()
        for (template, hasConstraints) in [
            (authority.template.without(.basicConstraints), false),
            (authority.template.with(.basicConstraints(BasicConstraints(isCA: false))), true),
        ] {
            let der = try authority.sign(template)
            #expect(
                throws: TrustAnchorError.selfIssuedWithoutAuthority(
                    subject: "CN=Utopia IACA,C=UT", hasBasicConstraints: hasConstraints)
            ) { try TrustAnchor(Certificate(der: der[...])) }
        }
        _ = try TrustAnchor(Certificate(der: authority.sign(authority.template)[...]))
    }

    @Test(
        "A root that its key usage, name constraints or an unknown critical extension forbid to issue is no anchor"
    )
    func forbiddenUse() throws {
        let authority = try TestAuthority()
        let subject = "CN=Utopia IACA,C=UT"
        let unknown = ObjectIdentifier("1.2.3.4")
        func anchor(_ template: CertificateTemplate) throws -> TrustAnchor {
            try TrustAnchor(Certificate(der: authority.sign(template)[...]))
        }
        let template = authority.template
        for (isCritical, value) in [(true, [0x30, 0x00]), (false, [0x30, 0x00])] as [(Bool, [UInt8])] {
            let constraints = CertificateExtension(
                oid: .nameConstraints, isCritical: isCritical, value: value[...])
            #expect(throws: TrustAnchorError.nameConstraints(subject: subject)) {
                _ = try anchor(template.with(constraints))
            }
        }
        #expect(throws: TrustAnchorError.keyUsageForbids(subject: subject)) {
            _ = try anchor(template.with(.keyUsage([.cRLSign, .digitalSignature])))
        }
        #expect(throws: TrustAnchorError.unknownCriticalExtension(subject: subject, unknown)) {
            _ = try anchor(
                template.with(CertificateExtension(unknown, isCritical: true) { $0.writeBoolean(true) }))
        }
        // The twins: without key usage nothing is forbidden, and what is not critical may be unknown.
        _ = try anchor(template.without(.keyUsage))
        _ = try anchor(template.with(.keyUsage(.keyCertSign)))
        _ = try anchor(template.with(CertificateExtension(unknown) { $0.writeBoolean(true) }))
    }

    @Test("An anchor's fingerprint is that of its whole certificate")
    func fingerprint() throws {
        let authority = try TestAuthority()
        #expect(try authority.anchor().sha256 == Digest(.sha256, of: authority.der[...]).bytes)
    }

    @Test("Only what was verified is remembered, and only here")
    func remembered() throws {
        let authority = try TestAuthority()
        let der = try signer(of: authority)
        let store = try authority.store()
        let unverified = try store.issuerCertificate(der: der[...])
        #expect(try store.issuerCertificate(der: der[...]) !== unverified)
        _ = try store.verify(unverified, for: TestDocument.mDL, at: now)
        #expect(try store.issuerCertificate(der: der[...]) === unverified)
        let other = try authority.store()
        #expect(try other.issuerCertificate(der: der[...]) !== unverified)

        let stranger = try TestAuthority([(.countryName, "UT"), (.commonName, "Stranger")])
        let strange = try stranger.store()
        #expect(throws: IssuerCertificateError.anchorNotFound(issuer: "CN=Utopia IACA,C=UT")) {
            _ = try strange.verify(unverified, for: TestDocument.mDL, at: now)
        }
        #expect(try strange.issuerCertificate(der: der[...]) !== unverified)
    }

    @Test("A refused signer is refused again")
    func refusedAgain() throws {
        let authority = try TestAuthority()
        let der = try authority.sign(authority.signer(for: TestKey()).without(.keyUsage))
        let store = try authority.store()
        for _ in 0..<2 {
            #expect(throws: IssuerCertificateError.keyUsageWrong) { _ = try verify(der, in: store, at: now) }
        }
    }

    @Test("A remembered signer keeps its deviations and expires")
    func rememberedFacts() throws {
        let authority = try TestAuthority()
        var template = try authority.signer(for: TestKey()).without(.subjectKeyIdentifier)
        template.notAfter = TestAuthority.now + 100
        let der = try authority.sign(template)
        let store = try authority.store()
        for _ in 0..<2 {
            let verified = try store.verify(
                store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
            #expect(verified.deviations == [.dsSubjectKeyIdentifierMissing])
        }
        _ = try verify(der, in: store, at: now.advanced(bySeconds: 100))
        #expect(throws: IssuerCertificateError.expired) {
            _ = try verify(der, in: store, at: now.advanced(bySeconds: 101))
        }
    }

    @Test("With capacity 0 nothing is remembered; beyond its capacity a store forgets")
    func capacity() throws {
        let authority = try TestAuthority()
        let signers = try (0..<5).map { _ in try signer(of: authority) }
        let forgetful = try authority.store(remembering: 0)
        let leaf = try verify(signers[0], in: forgetful, at: now).0
        #expect(try forgetful.issuerCertificate(der: signers[0][...]) !== leaf)

        let store = try authority.store(remembering: 2)
        var leaves: [IssuerCertificate] = []
        for der in signers {
            leaves.append(try verify(der, in: store, at: now).0)
            let known = try zip(signers, leaves).filter { try store.issuerCertificate(der: $0[...]) === $1 }
            #expect((1...2).contains(known.count))
        }
        // What was forgotten is verified anew.
        _ = try verify(signers[0], in: store, at: now)
    }

    @Test("Q200 A certificate does not hold the message it came in")
    func ownBytes() throws {
        let authority = try TestAuthority()
        let der = try signer(of: authority)
        let message = [UInt8](repeating: 0x55, count: 1000) + der + [UInt8](repeating: 0x55, count: 1000)
        let store = try authority.store()
        let leaf = try store.issuerCertificate(der: message[1000..<1000 + der.count])
        #expect(Array(leaf.certificate.der) == der)
        #expect(leaf.certificate.der.startIndex == 0)
    }
}

@Suite("Roots of every kind")
struct RootKindTests {
    @Test(
        "A root on every curve that signs is believed for what it signed, and for nothing else",
        arguments: Curve.allCases.filter { $0.family != .montgomery })
    func curves(_ curve: Curve) throws {
        let now = Timestamp(secondsSince1970: TestAuthority.now)
        let (authority, other) = (try TestAuthority(curve: curve), try TestAuthority(curve: curve))
        let der = try authority.sign(authority.signer(for: TestKey()))
        let store = try authority.store()
        let verified = try store.verify(
            store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
        #expect(verified.deviations == (curve.family == .edwards ? [.dsSignatureAlgorithm] : []))
        let forged = try other.sign(authority.signer(for: TestKey()))
        #expect(throws: IssuerCertificateError.signatureInvalid) {
            _ = try store.verify(store.issuerCertificate(der: forged[...]), for: TestDocument.mDL, at: now)
        }
    }

    @Test(
        "An RSA root is believed by either padding, and the departure is named",
        arguments: ["ds-pkcs1", "ds-pss"])
    func rsa(_ name: String) throws {
        func file(_ name: String) throws -> [UInt8] {
            try VectorFiles.bytes(of: VectorFiles.own.appending(path: "rsa-root/\(name).der"))
        }
        let root = try Certificate(der: file("root")[...])
        let store = TrustStore(anchors: [try TrustAnchor(root)])
        let now = Timestamp(secondsSince1970: 1_800_000_000)
        var der = try file(name)
        let verified = try store.verify(
            store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
        #expect(verified.deviations == [.dsSignatureAlgorithm])
        #expect(
            CertificateProfile.iaca.findings(of: root, issuedBy: nil).map(\.rule) == [
                .signatureAlgorithm, .publicKey,
            ])
        der[der.count - 1] ^= 1
        #expect(throws: IssuerCertificateError.signatureInvalid) {
            _ = try store.verify(store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
        }
    }

    @Test("A country in small letters, in root and signer, is reported")
    func countryForm() throws {
        let now = Timestamp(secondsSince1970: TestAuthority.now)
        let authority = try TestAuthority([(.countryName, "ut"), (.commonName, "Utopia IACA")])
        let store = try authority.store()
        let names: TestAuthority.Names = [(.countryName, "ut"), (.commonName, "Utopia DS")]
        let der = try authority.sign(authority.signer(for: TestKey(), names))
        let leaf = try store.issuerCertificate(der: der[...])
        #expect(try store.verify(leaf, for: TestDocument.mDL, at: now).deviations == [.dsCountryForm])
    }

    @Test("A compressed key is used, and reported")
    func compressedKey() throws {
        let now = Timestamp(secondsSince1970: TestAuthority.now)
        let authority = try TestAuthority()
        let key = try TestKey()
        var template = try authority.signer(for: key).without(.subjectKeyIdentifier)
        let point = try key.privateKey.publicKey().encodedPoint
        template.subjectPublicKeyInfo = DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(DERTag.sequence) {
                    $0.write(ObjectIdentifier("1.2.840.10045.2.1"))
                    $0.write(Curve.p256.objectIdentifier)
                }
                $0.writeBitString([point[64] & 1 == 1 ? 3 : 2] + point[1...32])
            }
        }
        let store = try authority.store()
        let der = try authority.sign(template)
        let leaf = try store.issuerCertificate(der: der[...])
        #expect(
            try store.verify(leaf, for: TestDocument.mDL, at: now).deviations
                == [.dsPublicKey, .dsSubjectKeyIdentifierMissing])
        #expect(leaf.publicKey.encodedPoint == point)
    }
}
