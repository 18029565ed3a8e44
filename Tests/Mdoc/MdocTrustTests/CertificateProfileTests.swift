import Foundation
import MdocTrust
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing
import VectorFiles

/// A conforming certificate of one profile, a change that breaks it, and what has to be found.
struct ProfileCase: Sendable, CustomTestStringConvertible {
    let profile: CertificateProfile
    let text: String
    let expected: Set<CertificateRule>
    let change: @Sendable (CertificateTemplate) throws -> CertificateTemplate

    init(
        _ profile: CertificateProfile, _ text: String, _ expected: Set<CertificateRule>,
        _ change: @escaping @Sendable (CertificateTemplate) throws -> CertificateTemplate
    ) {
        self.profile = profile
        self.text = text
        self.expected = expected
        self.change = change
    }

    var testDescription: String { "\(profile.name): \(text)" }
}

extension CertificateTemplate {
    fileprivate func having<Value>(
        _ path: WritableKeyPath<CertificateTemplate, Value>, _ value: Value
    ) -> CertificateTemplate {
        var copy = self
        copy[keyPath: path] = value
        return copy
    }

    fileprivate func uncritical(_ oid: ObjectIdentifier) -> CertificateTemplate {
        guard let found = extensions.first(where: { $0.oid == oid }) else { return self }
        return with(CertificateExtension(oid: oid, isCritical: false, value: found.value))
    }

    fileprivate func named(_ names: TestAuthority.Names) -> CertificateTemplate {
        having(\.subject, DistinguishedName(names))
    }

    /// A subject that is written into the issuer too, as a root has it.
    fileprivate func selfNamed(_ names: TestAuthority.Names) -> CertificateTemplate {
        named(names).having(\.issuer, DistinguishedName(names))
    }
}

@Suite("Certificate profiles")
struct CertificateProfileTests {
    private static func conforming(
        _ profile: CertificateProfile, of authority: TestAuthority, for key: TestKey
    ) throws -> CertificateTemplate {
        switch profile.name {
        case "iaca": authority.template
        case "document_signer": try authority.signer(for: key)
        case "person_id_signer": try authority.personIDSigner(for: key)
        case "reader": try authority.reader(for: key)
        case "vical_signer": try authority.vicalSigner(for: key)
        default: try authority.statusSigner(for: key)
        }
    }

    private func findings(
        _ profile: CertificateProfile, authority: TestAuthority? = nil,
        _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) throws -> [ProfileFinding] {
        let authority = try authority ?? TestAuthority()
        let der = try authority.sign(change(Self.conforming(profile, of: authority, for: TestKey())))
        return profile.findings(
            of: try Certificate(der: der[...]), issuedBy: try Certificate(der: authority.der[...]))
    }

    @Test("A conforming certificate of each profile has no finding", arguments: CertificateProfile.all)
    func conforming(_ profile: CertificateProfile) throws {
        #expect(try findings(profile) == [])
    }

    /// The changes that break a rule in every profile that has it.
    private static func everywhere(_ profile: CertificateProfile) -> [ProfileCase] {
        let isRoot = profile.name == "iaca"
        let unknown = CertificateExtension(ObjectIdentifier("1.2.3.4"), isCritical: true) {
            $0.writeBoolean(true)
        }
        var cases = [
            ProfileCase(profile, "a serial number of 7 octets", [.serialNumber]) {
                $0.having(\.serialNumber, [1, 2, 3, 4, 5, 6, 7])
            },
            ProfileCase(profile, "a serial number of 21 octets", [.serialNumber, .encoding]) {
                $0.having(\.serialNumber, [UInt8](repeating: 1, count: 21))
            },
            ProfileCase(profile, "a serial number of 20 octets", []) {
                $0.having(\.serialNumber, [UInt8](repeating: 1, count: 20))
            },
            ProfileCase(profile, "valid as long as may be", []) {
                $0.having(\.notAfter, $0.notBefore + profile.longestValidity)
            },
            ProfileCase(
                profile, "valid for a second more",
                profile.rules.contains(.validityPeriod) ? [.validityPeriod] : []
            ) {
                $0.having(\.notAfter, $0.notBefore + profile.longestValidity + 1)
            },
            ProfileCase(profile, "an unknown critical extension", [.unknownCriticalExtension]) {
                $0.with(unknown)
            },
            ProfileCase(profile, "an unknown extension that is not critical", []) {
                $0.with(CertificateExtension(oid: unknown.oid, isCritical: false, value: unknown.value))
            },
            ProfileCase(profile, "no key usage", [.keyUsage]) { $0.without(.keyUsage) },
            ProfileCase(profile, "a further key usage", [.keyUsageOnly]) {
                $0.with(.keyUsage(profile.keyUsage.union(.dataEncipherment)))
            },
            ProfileCase(profile, "another key usage", [.keyUsage, .keyUsageOnly]) {
                $0.with(.keyUsage(.keyAgreement))
            },
            ProfileCase(profile, "key usage not critical", [.keyUsageCritical]) { $0.uncritical(.keyUsage) },
            ProfileCase(profile, "no subject key identifier", [.subjectKeyIdentifier]) {
                $0.without(.subjectKeyIdentifier)
            },
            ProfileCase(profile, "another subject key identifier", [.subjectKeyIdentifierDigest]) {
                $0.with(.subjectKeyIdentifier([1, 2, 3]))
            },
            ProfileCase(profile, "no common name", [.commonName]) {
                isRoot ? $0.selfNamed([(.countryName, "UT")]) : $0.named([(.countryName, "UT")])
            },
        ]
        var usage = Array(CertificateExtension.keyUsage(profile.keyUsage).value)
        usage[2] = 0
        let zeros = CertificateExtension(oid: .keyUsage, isCritical: true, value: usage[...])
        let constraints: [UInt8] =
            isRoot ? [0x30, 6, 1, 1, 1, 2, 1, 0] : [0x30, 3, 1, 1, 1]
        let one = CertificateExtension(oid: .basicConstraints, isCritical: true, value: constraints[...])
        cases += [
            ProfileCase(profile, "key usage with zero bits behind it", [.keyUsageTrailingZeros]) {
                $0.with(zeros)
            },
            ProfileCase(
                profile, "an authority by 01",
                isRoot ? [.booleanTrueNotFF] : [.booleanTrueNotFF, .noAuthority]
            ) { $0.with(one) },
        ]
        for oid in [
            ObjectIdentifier.policyMappings, .nameConstraints, .policyConstraints, .inhibitAnyPolicy,
            .freshestCRL,
        ] {
            cases.append(
                ProfileCase(profile, "extension \(oid)", [.forbiddenExtension]) {
                    $0.with(
                        CertificateExtension(oid, isCritical: true) { $0.write(DERTag.sequence) { _ in } })
                })
        }
        return cases + (isRoot ? [] : onLeaves(profile))
    }

    private static func onLeaves(_ profile: CertificateProfile) -> [ProfileCase] {
        let server = ObjectIdentifier("1.3.6.1.5.5.7.3.1")
        let own = profile.extendedKeyUsages[0]
        return [
            ProfileCase(profile, "a CA", [.noAuthority]) {
                $0.with(.basicConstraints(BasicConstraints(isCA: true)))
            },
            ProfileCase(profile, "no CA, and says so", []) {
                $0.with(.basicConstraints(BasicConstraints(isCA: false)))
            },
            ProfileCase(profile, "may sign certificates", [.noAuthority, .keyUsageOnly]) {
                $0.with(.keyUsage(profile.keyUsage.union(.keyCertSign)))
            },
            ProfileCase(profile, "may sign CRLs", [.noAuthority, .keyUsageOnly]) {
                $0.with(.keyUsage(profile.keyUsage.union(.cRLSign)))
            },
            ProfileCase(
                profile, "no extended key usage", profile.allowsNoExtendedKeyUsage ? [] : [.extendedKeyUsage]
            ) { $0.without(.extendedKeyUsage) },
            ProfileCase(profile, "another extended key usage", [.extendedKeyUsage]) {
                $0.with(.extendedKeyUsage([server]))
            },
            ProfileCase(profile, "a further extended key usage", [.extendedKeyUsageOnly]) {
                $0.with(.extendedKeyUsage([own, server]))
            },
            ProfileCase(
                profile, "extended key usage not critical",
                profile.rules.contains(.extendedKeyUsageCritical) ? [.extendedKeyUsageCritical] : []
            ) { $0.uncritical(.extendedKeyUsage) },
            ProfileCase(profile, "no authority key identifier", [.authorityKeyIdentifier]) {
                $0.without(.authorityKeyIdentifier)
            },
            ProfileCase(profile, "another authority key identifier", [.authorityKeyIdentifier]) {
                $0.with(.authorityKeyIdentifier([1, 2, 3]))
            },
            ProfileCase(profile, "a compressed point", [.publicKey]) {
                $0.having(\.subjectPublicKeyInfo, try compressed($0.subjectPublicKeyInfo)).with(
                    .subjectKeyIdentifier(try keyIdentifier(ofCompressed: $0.subjectPublicKeyInfo)))
            },
        ]
    }

    /// The same key on P-256 with its point compressed.
    private static func compressed(_ info: [UInt8]) throws -> [UInt8] {
        let point = info.suffix(65)
        let isOdd = info[info.count - 1] & 1 == 1
        return DERWriter.encode { writer in
            writer.write(DERTag.sequence) {
                $0.write(DERTag.sequence) {
                    $0.write(ObjectIdentifier("1.2.840.10045.2.1"))
                    $0.write(Curve.p256.objectIdentifier)
                }
                $0.writeBitString([isOdd ? 3 : 2] + point.dropFirst().prefix(32))
            }
        }
    }

    private static func keyIdentifier(ofCompressed info: [UInt8]) throws -> [UInt8] {
        try SubjectPublicKeyInfo(der: compressed(info)[...]).keyIdentifier()
    }

    private static let roots: [ProfileCase] = [
        ProfileCase(.iaca, "no country", [.country]) { $0.selfNamed([(.commonName, "A")]) },
        ProfileCase(.iaca, "a country in small letters", [.countryForm]) {
            $0.selfNamed([(.countryName, "ut"), (.commonName, "A")])
        },
        ProfileCase(.iaca, "a country of three letters", [.countryForm]) {
            $0.selfNamed([(.countryName, "UTO"), (.commonName, "A")])
        },
        ProfileCase(.iaca, "issued by another name", [.selfSigned]) {
            $0.having(\.issuer, DistinguishedName([(.commonName, "B")]))
        },
        ProfileCase(.iaca, "no basic constraints", [.authority, .pathLength]) {
            $0.without(.basicConstraints)
        },
        ProfileCase(.iaca, "no authority", [.authority, .pathLength]) {
            $0.with(.basicConstraints(BasicConstraints(isCA: false)))
        },
        ProfileCase(.iaca, "basic constraints not critical", [.basicConstraintsCritical]) {
            $0.uncritical(.basicConstraints)
        },
        ProfileCase(.iaca, "no path length", [.pathLength]) {
            $0.with(.basicConstraints(BasicConstraints(isCA: true)))
        },
        ProfileCase(.iaca, "a path length of 1", [.pathLength]) {
            $0.with(.basicConstraints(BasicConstraints(isCA: true, pathLength: 1)))
        },
        ProfileCase(.iaca, "an extended key usage", [.extendedKeyUsage]) {
            $0.with(.extendedKeyUsage([.mdocDocumentSigner]))
        },
        ProfileCase(.iaca, "no issuerAltName", [.issuerAlternativeName]) {
            $0.without(.issuerAlternativeName)
        },
        ProfileCase(.iaca, "a distribution point by URI", []) {
            $0.with(.crlDistributionPoint(uri: "https://u.example"))
        },
        ProfileCase(.iaca, "a distribution point that is none", [.distributionPoint]) {
            $0.with(CertificateExtension(.crlDistributionPoints) { $0.write(DERTag.sequence) { _ in } })
        },
    ]

    private static let leaves: [ProfileCase] = [
        ProfileCase(.documentSigner, "no country", [.country]) { $0.named([(.commonName, "A")]) },
        ProfileCase(.documentSigner, "a country in small letters", [.countryForm, .countryOfIssuer]) {
            $0.named([(.countryName, "ut"), (.commonName, "A")])
        },
        ProfileCase(.documentSigner, "another country", [.countryOfIssuer]) {
            $0.named([(.countryName, "XX"), (.commonName, "A")])
        },
        ProfileCase(.documentSigner, "no issuerAltName", [.issuerAlternativeName]) {
            $0.without(.issuerAlternativeName)
        },
        ProfileCase(.documentSigner, "no distribution point", [.distributionPoint]) {
            $0.without(.crlDistributionPoints)
        },
        ProfileCase(.personIDSigner, "no country", [.country]) { $0.named([(.commonName, "A")]) },
        ProfileCase(.personIDSigner, "a country in small letters", [.countryForm, .countryOfIssuer]) {
            $0.named([(.countryName, "ut"), (.commonName, "A")])
        },
        ProfileCase(.personIDSigner, "no distribution point", []) { $0.without(.crlDistributionPoints) },
        ProfileCase(.personIDSigner, "a distribution point that is none", [.distributionPoint]) {
            $0.with(CertificateExtension(.crlDistributionPoints) { $0.write(DERTag.sequence) { _ in } })
        },
        ProfileCase(.personIDSigner, "a document signer's usage", []) {
            $0.with(.extendedKeyUsage([.mdocDocumentSigner]))
        },
        ProfileCase(.reader, "no distribution point and no responder", [.distributionPoint]) {
            $0.without(.crlDistributionPoints)
        },
        ProfileCase(.reader, "a responder in place of distribution points", []) {
            $0.without(.crlDistributionPoints).with(
                CertificateExtension(ObjectIdentifier("1.3.6.1.5.5.7.1.1")) {
                    $0.write(DERTag.sequence) {
                        $0.write(DERTag.sequence) {
                            $0.write(ObjectIdentifier("1.3.6.1.5.5.7.48.1"))
                            $0.write(DERTag.primitive(6), contents: Array("http://ocsp.example".utf8))
                        }
                    }
                })
        },
        ProfileCase(.vicalSigner, "no distribution point", [.distributionPoint]) {
            $0.without(.crlDistributionPoints)
        },
        ProfileCase(.vicalSigner, "a distribution point that is no URI", []) {
            $0.with(CertificateExtension(.crlDistributionPoints) { $0.write(DERTag.sequence) { _ in } })
        },
        ProfileCase(.statusSigner, "no distribution point", []) { $0.without(.crlDistributionPoints) },
        ProfileCase(.statusSigner, "a distribution point that is none", [.distributionPoint]) {
            $0.with(CertificateExtension(.crlDistributionPoints) { $0.write(DERTag.sequence) { _ in } })
        },
        ProfileCase(.statusSigner, "a document signer's usage", []) {
            $0.with(.extendedKeyUsage([.mdocDocumentSigner]))
        },
    ]

    static let cases = CertificateProfile.all.flatMap(everywhere) + roots + leaves

    @Test("Each change breaks the rules it has to, and no other", arguments: cases)
    func broken(_ one: ProfileCase) throws {
        let found = try findings(one.profile, one.change)
        #expect(Set(found.map(\.rule)) == one.expected)
    }

    @Test("Every rule of every profile is broken by some case", arguments: CertificateProfile.all)
    func complete(_ profile: CertificateProfile) throws {
        let covered = Self.cases.filter { $0.profile.name == profile.name }.flatMap(\.expected)
        // These cannot be reached by changing the template; the tests below have them.
        let elsewhere: Set<CertificateRule> = [
            .version, .signatureAlgorithm, .issuerCountry, .stateOfIssuer, .publicKey,
        ]
        #expect(profile.rules.subtracting(covered).subtracting(elsewhere) == [])
        #expect(profile.enforced.isSubset(of: profile.rules))
    }

    @Test("A state of the issuer has to be the signer's, and an issuer without country is noted")
    func places() throws {
        let state = try TestAuthority([(.countryName, "UT"), (.stateOrProvinceName, "S"), (.commonName, "A")])
        #expect(try findings(.documentSigner, authority: state).map(\.rule) == [.stateOfIssuer])
        let same = try findings(.documentSigner, authority: state) {
            $0.named([(.countryName, "UT"), (.stateOrProvinceName, "S"), (.commonName, "D")])
        }
        #expect(same == [])
        let nowhere = try TestAuthority([(.commonName, "A")])
        #expect(try findings(.documentSigner, authority: nowhere).map(\.rule) == [.issuerCountry])
    }

    @Test("EdDSA signs signers and readers, and no root; what it signs is not signed with ECDSA")
    func edwards() throws {
        let authority = try TestAuthority(curve: .ed25519)
        #expect(
            try Set(findings(.iaca, authority: authority).map(\.rule)) == [.publicKey, .signatureAlgorithm])
        #expect(try findings(.reader, authority: authority).map(\.rule) == [.signatureAlgorithm])
    }

    @Test("Q170 Each of the nine rules that wallets hold a reader to is found, and only where it is broken")
    func readerRules() throws {
        let forbidden = CertificateExtension(.nameConstraints) { $0.write(DERTag.sequence) { _ in } }
        let changes: [(CertificateRule, (CertificateTemplate) -> CertificateTemplate)] = [
            (.authorityKeyIdentifier, { $0.with(.authorityKeyIdentifier([1])) }),
            (.commonName, { $0.named([(.organizationName, "A")]) }),
            (.forbiddenExtension, { $0.with(forbidden) }),
            (.extendedKeyUsage, { $0.with(.extendedKeyUsage([.mdocDocumentSigner])) }),
            (.keyUsage, { $0.with(.keyUsage(.contentCommitment)) }),
            (.distributionPoint, { $0.without(.crlDistributionPoints) }),
            (.validityPeriod, { $0.having(\.notAfter, $0.notBefore + 1188 * 86_400) }),
            (.subjectKeyIdentifier, { $0.without(.subjectKeyIdentifier) }),
        ]
        for (rule, change) in changes {
            let found = try findings(.reader, change)
            #expect(found.map(\.rule).contains(rule))
            #expect(CertificateProfile.reader.refusals(among: found, .strict).map(\.rule).contains(rule))
        }
        let ninth = try findings(.reader, authority: TestAuthority(curve: .ed448)).map(\.rule)
        #expect(ninth == [.signatureAlgorithm])
        #expect(try findings(.reader) == [])
    }

    @Test("A status signer without extended key usage is one; with that of a reader or any, it is none")
    func statusSignerPurposes() throws {
        #expect(try findings(.statusSigner) { $0.without(.extendedKeyUsage) } == [])
        for purpose in [ObjectIdentifier.mdocReader, ObjectIdentifier("2.5.29.37.0")] {
            let found = try findings(.statusSigner) { $0.with(.extendedKeyUsage([purpose])) }
            let refusals = CertificateProfile.statusSigner.refusals(among: found, .lenient)
            #expect(refusals.map(\.rule) == [.extendedKeyUsage])
        }
    }

    @Test("A key that signs nothing fits no profile", arguments: CertificateProfile.all)
    func agreementKey(_ profile: CertificateProfile) throws {
        let authority = try TestAuthority()
        let key = try TestKey(.x25519).privateKey.publicKey()
        let found = try findings(profile, authority: authority) {
            try $0.having(\.subjectPublicKeyInfo, key.subjectPublicKeyInfo)
                .with(.subjectKeyIdentifier(key.subjectKeyIdentifier()))
        }
        #expect(
            Set(found.map(\.rule)) == (profile.name == "iaca" ? [.publicKey, .selfSigned] : [.publicKey]))
    }

    @Test("A certificate of version 1 breaks that rule too", arguments: CertificateProfile.all)
    func versionOne(_ profile: CertificateProfile) throws {
        let authority = try TestAuthority()
        let template = try Self.conforming(profile, of: authority, for: TestKey())
        var der = try authority.sign(template.having(\.extensions, []))
        // The field that says v3 becomes the one that says v1, which is the default and reported as written.
        let version = try #require(der.firstRange(of: [0xa0, 3, 2, 1, 2]))
        der[version.upperBound - 1] = 0
        let found = try profile.findings(of: Certificate(der: der[...]), issuedBy: nil).map(\.rule)
        #expect(found.prefix(2) == [.version, .encoding])
    }

    @Test(
        "Lenient refusals are the enforced findings; strict ones are all", arguments: CertificateProfile.all)
    func strictness(_ profile: CertificateProfile) throws {
        let found = try findings(profile) {
            $0.without(.subjectKeyIdentifier).with(
                .basicConstraints(BasicConstraints(isCA: profile.name != "iaca")))
        }
        #expect(profile.refusals(among: found, .strict) == found)
        let lenient = profile.refusals(among: found, .lenient).map(\.rule)
        #expect(lenient == (profile.name == "iaca" ? [.authority] : [.noAuthority]))
    }

    @Test("Without the issuer, what compares with it is skipped")
    func withoutIssuer() throws {
        let authority = try TestAuthority()
        let der = try authority.sign(authority.reader(for: TestKey()).with(.authorityKeyIdentifier([9])))
        #expect(CertificateProfile.reader.findings(of: try Certificate(der: der[...]), issuedBy: nil) == [])
    }
}

/// ISO/IEC 18013-5 Annex D's certificates, which depart from Annex B in what the reference lists.
@Suite("Certificate profiles, Annex D")
struct AnnexDProfileTests {
    private func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: VectorFiles.annexD(name)[...])
    }

    @Test(
        "Each certificate passes the lenient set and fails the strict one for what it departs in",
        arguments: [
            (
                "iacaCertificate", "iacaCertificate", CertificateProfile.iaca,
                [CertificateRule.distributionPoint]
            ),
            ("dsCertificate", "iacaCertificate", .documentSigner, [.distributionPoint]),
            ("readerCertificate", "readerRootCertificate", .reader, [.distributionPoint]),
        ])
    func annexD(
        _ name: String, _ issuer: String, _ profile: CertificateProfile, _ expected: [CertificateRule]
    ) throws {
        let found = profile.findings(of: try certificate(name), issuedBy: try certificate(issuer))
        #expect(found.map(\.rule) == expected)
        #expect(profile.refusals(among: found, .lenient) == [])
        #expect(profile.refusals(among: found, .strict).map(\.rule) == expected)
    }

    @Test("The twin: a document signer is no reader and no root, by name")
    func swapped() throws {
        let signer = try certificate("dsCertificate")
        let found = CertificateProfile.reader.findings(of: signer, issuedBy: nil)
        #expect(CertificateProfile.reader.refusals(among: found, .lenient).map(\.rule) == [.extendedKeyUsage])
        let asRoot = CertificateProfile.iaca.findings(of: signer, issuedBy: nil)
        #expect(CertificateProfile.iaca.refusals(among: asRoot, .lenient).map(\.rule) == [.authority])
    }
}
