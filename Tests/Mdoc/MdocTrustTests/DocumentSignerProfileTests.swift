import JSON
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

/// A change to a conforming document signer, and what must come of it.
struct ProfileRule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (CertificateTemplate) throws -> CertificateTemplate

    init(_ text: String, _ change: @escaping @Sendable (CertificateTemplate) throws -> CertificateTemplate) {
        testDescription = text
        self.change = change
    }
}

extension ObjectIdentifier {
    fileprivate static let documentSigning = ObjectIdentifier("1.0.18013.5.1.2")
}

@Suite("Document signer profile")
struct DocumentSignerProfileTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)

    private func deviations(
        _ rule: ProfileRule, authority: TestAuthority? = nil, names: TestAuthority.Names? = nil
    ) throws -> [Deviation] {
        let authority = try authority ?? TestAuthority()
        let key = try TestKey()
        let template = try names.map { try authority.signer(for: key, $0) } ?? authority.signer(for: key)
        let der = try authority.sign(rule.change(template))
        let store = try authority.store()
        return try store.verify(store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
            .deviations
    }

    @Test(
        "A signer that fits the profile is verified without deviation",
        arguments: Curve.allCases.filter { $0.family != .montgomery })
    func conforming(_ curve: Curve) throws {
        let authority = try TestAuthority(curve: curve.family == .weierstrass ? curve : .p384)
        let der = try authority.sign(authority.signer(for: TestKey(curve)))
        let store = try authority.store()
        let verified = try store.verify(
            store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
        #expect(verified.deviations.isEmpty)
        #expect(verified.anchor === store.anchors[0])
        #expect(Array(verified.leaf.certificate.der) == der)
    }

    static let refusals: [(ProfileRule, IssuerCertificateError)] = [
        (
            ProfileRule("a CA") { $0.with(.basicConstraints(BasicConstraints(isCA: true))) },
            .isCertificateAuthority
        ),
        (
            ProfileRule("may sign certificates") { $0.with(.keyUsage([.digitalSignature, .keyCertSign])) },
            .isCertificateAuthority
        ),
        (
            ProfileRule("may sign CRLs") { $0.with(.keyUsage([.digitalSignature, .cRLSign])) },
            .isCertificateAuthority
        ),
        (ProfileRule("no key usage") { $0.without(.keyUsage) }, .keyUsageWrong),
        (ProfileRule("key usage nonRepudiation") { $0.with(.keyUsage(.contentCommitment)) }, .keyUsageWrong),
        (ProfileRule("key usage keyAgreement") { $0.with(.keyUsage(.keyAgreement)) }, .keyUsageWrong),
        (ProfileRule("no extended key usage") { $0.without(.extendedKeyUsage) }, .extendedKeyUsageWrong),
        (
            ProfileRule("the reader's extended key usage") {
                $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.6")]))
            }, .extendedKeyUsageWrong
        ),
        (
            ProfileRule("any extended key usage") {
                $0.with(.extendedKeyUsage([ObjectIdentifier("2.5.29.37.0")]))
            },
            .extendedKeyUsageWrong
        ),
        (
            ProfileRule("a longer extended key usage") {
                $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2.1")]))
            }, .extendedKeyUsageWrong
        ),
        (
            ProfileRule("no authority key identifier") { $0.without(.authorityKeyIdentifier) },
            .authorityKeyIdentifierMismatch
        ),
        (
            ProfileRule("another authority key identifier") { $0.with(.authorityKeyIdentifier([1, 2, 3])) },
            .authorityKeyIdentifierMismatch
        ),
        (
            ProfileRule("another issuer name") {
                var copy = $0
                copy.issuer = DistinguishedName([(.countryName, "UT"), (.commonName, "Other IACA")])
                return copy
            }, .issuerNameMismatch
        ),
        (
            ProfileRule("another issuer name and key identifier") {
                var copy = $0.with(.authorityKeyIdentifier([1, 2, 3]))
                copy.issuer = DistinguishedName([(.countryName, "UT"), (.commonName, "Other IACA")])
                return copy
            }, .anchorNotFound(issuer: "CN=Other IACA,C=UT")
        ),
        (
            ProfileRule("an unknown critical extension") {
                $0.with(
                    CertificateExtension(ObjectIdentifier("1.2.3.4"), isCritical: true) {
                        $0.writeBoolean(true)
                    })
            }, .unknownCriticalExtension(ObjectIdentifier("1.2.3.4"))
        ),
        (
            ProfileRule("serial number zero") {
                var copy = $0
                copy.serialNumber = [0]
                return copy
            }, .encodingIrregular(.serialNumberNotPositive)
        ),
    ]

    @Test("What the profile forbids is refused by name", arguments: refusals)
    func refused(_ rule: ProfileRule, error: IssuerCertificateError) throws {
        #expect(throws: error) { _ = try deviations(rule) }
    }

    @Test(
        "Extensions that constrain authorities are refused, critical or not",
        arguments: [
            ObjectIdentifier.policyMappings, .nameConstraints, .policyConstraints, .inhibitAnyPolicy,
            .freshestCRL,
        ], [true, false])
    func forbidden(_ oid: ObjectIdentifier, isCritical: Bool) throws {
        let rule = ProfileRule("\(oid)") {
            $0.with(CertificateExtension(oid, isCritical: isCritical) { $0.write(DERTag.sequence) { _ in } })
        }
        #expect(throws: IssuerCertificateError.forbiddenExtension(oid)) { _ = try deviations(rule) }
    }

    @Test("An unknown extension that is not critical changes nothing")
    func unknownExtension() throws {
        let rule = ProfileRule("") {
            $0.with(CertificateExtension(ObjectIdentifier("1.2.3.4")) { $0.writeBoolean(true) })
        }
        #expect(try deviations(rule).isEmpty)
    }

    @Test("The same extension twice is no certificate")
    func duplicateExtension() throws {
        let rule = ProfileRule("") {
            var copy = $0
            copy.extensions.append(.keyUsage(.digitalSignature))
            return copy
        }
        let error = #expect(throws: IssuerCertificateError.self) { _ = try deviations(rule) }
        guard case .malformed(.duplicateExtension) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private static func generalName(_ number: UInt8, _ text: String) -> @Sendable (inout DERWriter) -> Void {
        { $0.write(DERTag.primitive(number), contents: Array(text.utf8)) }
    }

    /// One distribution point with a full name, and what else stands in the point.
    private static func distributionPoint(
        _ name: @escaping @Sendable (inout DERWriter) -> Void,
        more: @escaping @Sendable (inout DERWriter) -> Void = { _ in }
    ) -> CertificateExtension {
        CertificateExtension(.crlDistributionPoints) {
            $0.write(DERTag.sequence) {
                $0.write(DERTag.sequence) { point in
                    point.write(DERTag.constructed(0)) { $0.write(DERTag.constructed(0), name) }
                    more(&point)
                }
            }
        }
    }

    static let departures: [(ProfileRule, Deviation?)] = [
        (
            ProfileRule("no subject key identifier") { $0.without(.subjectKeyIdentifier) },
            .dsSubjectKeyIdentifierMissing
        ),
        (
            ProfileRule("extended key usage not critical") {
                $0.with(.extendedKeyUsage([.documentSigning], isCritical: false))
            }, .dsExtendedKeyUsageNotCritical
        ),
        (
            ProfileRule("a further extended key usage") {
                $0.with(.extendedKeyUsage([ObjectIdentifier("1.3.6.1.5.5.7.3.1"), .documentSigning]))
            }, .dsFurtherExtendedKeyUsage
        ),
        (
            ProfileRule("key usage not critical") {
                let value = CertificateExtension.keyUsage(.digitalSignature).value
                return $0.with(CertificateExtension(oid: .keyUsage, isCritical: false, value: value))
            }, .dsKeyUsageNotCritical
        ),
        (
            ProfileRule("a further key usage") {
                $0.with(.keyUsage([.digitalSignature, .contentCommitment]))
            },
            .dsFurtherKeyUsage
        ),
        (
            ProfileRule("key usage with zero bits behind it") {
                $0.with(
                    CertificateExtension(oid: .keyUsage, isCritical: true, value: [0x03, 0x02, 0x00, 0x80]))
            }, .keyUsageTrailingZeros
        ),
        (ProfileRule("valid for 457 days") { $0.validFor(457 * TestAuthority.day) }, nil),
        (
            ProfileRule("valid for 457 days and a second") { $0.validFor(457 * TestAuthority.day + 1) },
            .dsLongValidity
        ),
        (ProfileRule("no issuerAltName") { $0.without(.issuerAlternativeName) }, .dsIssuerAlternativeName),
        (
            ProfileRule("issuerAltName with a mail address") {
                $0.with(
                    CertificateExtension(.issuerAlternativeName) {
                        $0.write(DERTag.sequence, generalName(1, "a@b"))
                    })
            }, nil
        ),
        (
            ProfileRule("issuerAltName with a host name alone") {
                $0.with(
                    CertificateExtension(.issuerAlternativeName) {
                        $0.write(DERTag.sequence, generalName(2, "b"))
                    })
            }, .dsIssuerAlternativeName
        ),
        (
            ProfileRule("no CRL distribution point") { $0.without(.crlDistributionPoints) },
            .dsDistributionPoint
        ),
        (
            ProfileRule("a CRL distribution point by URI") {
                $0.with(distributionPoint(generalName(6, "u")))
            }, nil
        ),
        (
            ProfileRule("a CRL distribution point by host name") {
                $0.with(distributionPoint(generalName(2, "b")))
            },
            .dsDistributionPoint
        ),
        (
            ProfileRule("a CRL distribution point with reasons") {
                $0.with(
                    distributionPoint(generalName(6, "u")) {
                        $0.write(DERTag.primitive(1), contents: [1, 2])
                    })
            }, .dsDistributionPoint
        ),
        (
            ProfileRule("a CRL distribution point with cRLIssuer") {
                $0.with(
                    distributionPoint(generalName(6, "u")) {
                        $0.write(DERTag.constructed(2), generalName(6, "v"))
                    })
            }, .dsDistributionPoint
        ),
        (
            ProfileRule("a CRL distribution point that is none") {
                $0.with(CertificateExtension(.crlDistributionPoints) { $0.writeBoolean(true) })
            }, .dsDistributionPoint
        ),
        (
            ProfileRule("basic constraints of no CA") {
                $0.with(.basicConstraints(BasicConstraints(isCA: false)))
            }, nil
        ),
    ]

    @Test(
        "What wallets break without harm is verified and reported, and nothing else is", arguments: departures
    )
    func deviating(_ rule: ProfileRule, deviation: Deviation?) throws {
        #expect(try deviations(rule) == [deviation].compactMap(\.self))
    }

    private let unchanged = ProfileRule("unchanged") { $0 }

    @Test("Q185 The country is the IACA's: missing or another is refused")
    func country() throws {
        #expect(throws: IssuerCertificateError.countryMissing) {
            _ = try deviations(unchanged, names: [(.commonName, "DS")])
        }
        for other in ["UU", "ut", "UTO", ""] {
            #expect(throws: IssuerCertificateError.countryMismatch) {
                _ = try deviations(unchanged, names: [(.countryName, other), (.commonName, "DS")])
            }
        }
        let nameless = try TestAuthority([(.commonName, "IACA")])
        #expect(try deviations(unchanged, authority: nameless) == [.anchorCountryMissing])
    }

    @Test("The state is the IACA's where that has one; no common name is reported")
    func state() throws {
        let authority = try TestAuthority([
            (.countryName, "UT"), (.stateOrProvinceName, "UT-1"), (.commonName, "I"),
        ])
        let base: TestAuthority.Names = [(.countryName, "UT"), (.commonName, "DS")]
        #expect(try deviations(unchanged, authority: authority, names: base) == [.dsState])
        #expect(
            try deviations(unchanged, authority: authority, names: base + [(.stateOrProvinceName, "UT-2")])
                == [.dsState])
        #expect(
            try deviations(unchanged, authority: authority, names: base + [(.stateOrProvinceName, "UT-1")])
                .isEmpty)
        #expect(try deviations(unchanged, names: base + [(.stateOrProvinceName, "UT-1")]).isEmpty)
        #expect(try deviations(unchanged, names: [(.countryName, "UT")]) == [.dsCommonNameMissing])
    }

    @Test(
        "Q215 A signer whose basic constraints are critical by 01 is verified and reported; by 02 it is no certificate"
    )
    func booleanOne() throws {
        let authority = try TestAuthority()
        let template = try authority.signer(for: TestKey())
            .with(.basicConstraints(BasicConstraints(isCA: false)))
        let store = try authority.store()
        func verify(_ flag: UInt8) throws -> [Deviation] {
            let der = try authority.sign(
                template, replacing: [0x55, 0x1d, 0x13, 0x01, 0x01, 0xff],
                with: [0x55, 0x1d, 0x13, 0x01, 0x01, flag])
            return try store.verify(store.issuerCertificate(der: der[...]), for: TestDocument.mDL, at: now)
                .deviations
        }
        #expect(try verify(0x01) == [.booleanTrueNotFF])
        #expect(try verify(0xff) == [])
        let error = #expect(throws: IssuerCertificateError.self) { _ = try verify(0x02) }
        guard case .malformed(.valueMalformed) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private static let pid = "eu.europa.ec.eudi.pid.1"

    @Test("Q216 A signer of PIDs has its own purpose or none and signs no mDL, also once it is known")
    func personID() throws {
        let authority = try TestAuthority()
        let template = try authority.personIDSigner(for: TestKey())
        let store = try authority.store()
        for signer in [template, template.without(.extendedKeyUsage)] {
            let leaf = try store.issuerCertificate(der: authority.sign(signer)[...])
            for _ in 0..<2 {
                #expect(try store.verify(leaf, for: Self.pid, at: now).deviations == [])
                for docType in [TestDocument.mDL, "org.iso.23220.photoid.1", "eu.europa.ec.av.1", "other"] {
                    #expect(throws: IssuerCertificateError.extendedKeyUsageWrong, "\(docType)") {
                        _ = try store.verify(leaf, for: docType, at: now)
                    }
                }
            }
        }
        let reader = try authority.sign(
            template.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.6")])))
        #expect(throws: IssuerCertificateError.extendedKeyUsageWrong) {
            _ = try store.verify(store.issuerCertificate(der: reader[...]), for: Self.pid, at: now)
        }
    }

    @Test(
        "A signer of a further document type is taken where its purpose is set, and for no type of a standard"
    )
    func furtherTypes() throws {
        let authority = try TestAuthority()
        let badge = "com.example.badge.1"
        let purpose = ObjectIdentifier("1.2.3.4")
        let template = try authority.signer(for: TestKey()).with(.extendedKeyUsage([purpose]))
        let store = try authority.store()
        let leaf = try store.issuerCertificate(der: authority.sign(template)[...])
        let bare = try store.issuerCertificate(der: authority.sign(template.without(.extendedKeyUsage))[...])
        func profiles(_ text: String) throws -> DocumentSignerProfiles {
            try DocumentSignerProfiles(JSONText(Array(text.utf8)[...]))
        }
        let named = try profiles(#"{"com.example.badge.1": ["1.2.3.4"]}"#)
        #expect(try store.verify(leaf, for: badge, at: now, profiles: named).deviations == [])
        let none = try profiles(#"{"com.example.badge.1": []}"#)
        #expect(try store.verify(bare, for: badge, at: now, profiles: none).deviations == [])
        for (signer, docType, profiles) in [
            (leaf, badge, DocumentSignerProfiles()), (leaf, badge, none), (bare, badge, named),
            (leaf, TestDocument.mDL, named), (bare, TestDocument.mDL, none),
        ] {
            #expect(throws: IssuerCertificateError.extendedKeyUsageWrong) {
                _ = try store.verify(signer, for: docType, at: now, profiles: profiles)
            }
        }
        for text in [
            #"{"org.iso.18013.5.1.mDL": []}"#, #"{"eu.europa.ec.eudi.pid.1": []}"#,
            #"{"com.example.badge.1": ["x"]}"#, #"{"com.example.badge.1": "1.2.3.4"}"#, "[]",
        ] {
            let fault = #expect(throws: JSONFault.self) { _ = try profiles(text) }
            #expect(fault?.explanation.contains("must be ") == true, "\(text): \(fault?.explanation ?? "")")
        }
    }

    @Test("Several deviations are all told")
    func several() throws {
        let rule = ProfileRule("") { $0.without(.subjectKeyIdentifier).without(.issuerAlternativeName) }
        #expect(Set(try deviations(rule)) == [.dsSubjectKeyIdentifierMissing, .dsIssuerAlternativeName])
    }
}

extension CertificateTemplate {
    fileprivate func validFor(_ seconds: Int64) -> CertificateTemplate {
        var copy = self
        copy.notAfter = copy.notBefore + seconds
        return copy
    }
}
