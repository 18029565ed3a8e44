import CBOR
import COSE
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

@Suite("VICALs")
struct VICALTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let day = TestAuthority.day

    private func provider() throws -> TestAuthority {
        try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
    }

    private func verify(
        _ list: TestVICAL, by roots: [TestAuthority]? = nil, at time: Timestamp? = nil,
        signedBy key: TestKey? = nil, _ strictness: ProfileStrictness = .strict
    ) throws -> VerifiedVICAL {
        let roots = try (roots ?? [list.provider]).map { try $0.anchor() }
        return try UnverifiedVICAL(list.encoded(signedBy: key)[...]).verify(
            by: roots, at: time ?? now, strictness)
    }

    @Test("Q175 A list is accepted only with the signature of its pinned provider")
    func verified() throws {
        let iaca = try TestAuthority()
        let list = try TestVICAL([.init(iaca.der)], provider: provider())
        let verified = try verify(list)
        #expect(verified.provider == "Utopia")
        #expect(verified.issueID == 7)
        #expect(verified.entries.map { Array($0.certificate.der) } == [iaca.der])
        #expect(verified.entries.map(\.docTypes) == [[TestDocument.mDL]])
        #expect(verified.findings.isEmpty)
        #expect(throws: VICALError.signerNotTrusted(.issuerNotFound(issuer: "CN=Utopia provider,C=UT"))) {
            _ = try verify(list, by: [])
        }
        #expect(throws: VICALError.signerNotTrusted(.issuerNotFound(issuer: "CN=Utopia provider,C=UT"))) {
            _ = try verify(list, by: [provider()])
        }
        #expect(throws: VICALError.cose(.signatureInvalid)) { _ = try verify(list, signedBy: TestKey()) }
    }

    @Test("The certificates that a list contains are never used as its roots")
    func ownRoot() throws {
        var list = try TestVICAL([], provider: provider())
        list.furtherCertificates = [list.provider.der]
        #expect(throws: VICALError.signerNotTrusted(.issuerNotFound(issuer: "CN=Utopia provider,C=UT"))) {
            _ = try verify(list, by: [])
        }
        _ = try verify(list)
    }

    @Test("One bit of any part of the payload, and the signature does not verify")
    func changedBit() throws {
        let list = try TestVICAL([.init(TestAuthority().der)], provider: provider())
        var bytes = try list.encoded()
        let name = try #require(bytes.firstRange(of: Array("Utopia IACA".utf8)))
        bytes[name.lowerBound] ^= 1
        let changed = try UnverifiedVICAL(bytes[...])
        let roots = [try list.provider.anchor()]
        #expect(throws: VICALError.cose(.signatureInvalid)) { _ = try changed.verify(by: roots, at: now) }
    }

    @Test("Q176 Its dates are kept to the second; without the next update it does not end by itself")
    func dates() throws {
        let list = try TestVICAL([], provider: provider())
        let date = try #require(DateText(list.date.utf8)).instant
        let next = try #require(list.nextUpdate.flatMap { DateText($0.utf8) }).instant
        _ = try verify(list, at: date)
        _ = try verify(list, at: next)
        #expect(throws: VICALError.notYetValid) { _ = try verify(list, at: date.advanced(bySeconds: -1)) }
        #expect(throws: VICALError.expired) { _ = try verify(list, at: next.advanced(bySeconds: 1)) }
        var endless = list
        endless.nextUpdate = nil
        _ = try verify(endless, at: next.advanced(bySeconds: 100 * day))
        // It ends with its signer's certificate.
        let error = #expect(throws: VICALError.self) {
            _ = try verify(endless, at: next.advanced(bySeconds: 1000 * day))
        }
        guard case .signerNotTrusted(.outsideValidity) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A list that is older than its signer's certificate is refused")
    func olderThanSigner() throws {
        var list = try TestVICAL([], provider: provider())
        let signer = try Certificate(der: list.certificate[...])
        list.date = "\(Timestamp(secondsSince1970: signer.notBefore))"
        _ = try verify(list)
        list.date = "\(Timestamp(secondsSince1970: signer.notBefore - 1))"
        let error = #expect(throws: VICALError.self) { _ = try verify(list) }
        guard case .signerNotTrusted(.outsideValidity) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A signer that breaks its profile is refused with the rules' names, some of them also leniently")
    func profile() throws {
        let provider = try provider()
        let server = ObjectIdentifier("1.3.6.1.5.5.7.3.1")
        let wrong = try TestVICAL([], provider: provider) { $0.with(.extendedKeyUsage([server])) }
        let lax = try TestVICAL([], provider: provider) { $0.without(.crlDistributionPoints) }
        _ = try verify(lax, .lenient)
        let refused: [(TestVICAL, ProfileStrictness, CertificateRule)] = [
            (wrong, .strict, .extendedKeyUsage), (wrong, .lenient, .extendedKeyUsage),
            (lax, .strict, .distributionPoint),
        ]
        for (list, strictness, rule) in refused {
            let error = #expect(throws: VICALError.self) { _ = try verify(list, strictness) }
            guard case .signerProfile(let findings) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(findings.map(\.rule) == [rule])
        }
    }

    @Test(
        "Q214 A list is believed whose signer's key usage ends in zero bits, as Austroads' have; other encodings refuse it"
    )
    func trailingZeros() throws {
        let provider = try provider()
        let zeros = CertificateExtension(oid: .keyUsage, isCritical: true, value: [0x03, 0x02, 0x00, 0x40])
        let list = try TestVICAL([.init(TestAuthority().der)], provider: provider) { $0.with(zeros) }
        for strictness in [ProfileStrictness.strict, .lenient] {
            let verified = try verify(list, strictness)
            #expect(verified.entries.count == 1)
            #expect(verified.signerFindings.map(\.rule) == [.keyUsageTrailingZeros])
            #expect(verified.signerFindings.map(\.encoding) == [.trailingZeroBits])
        }
        let snapshot = TrustSnapshot([
            .test(.provider, "provider", provider.der), .test(.vical, "list", try list.encoded()),
        ])
        #expect(snapshot.anchors.count == 1)
        guard case .vicalSigner = snapshot.findings.first?.condition else {
            Issue.record("\(snapshot.findings)")
            return
        }
        let plain = try TestVICAL([], provider: provider)
        #expect(try verify(plain).signerFindings == [])
        let odd = try TestVICAL([], provider: provider) {
            var copy = $0
            copy.serialNumber = [0]
            return copy
        }
        let error = #expect(throws: VICALError.self) { _ = try verify(odd, .lenient) }
        guard case .signerProfile(let findings) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(findings.map(\.encoding) == [.serialNumberNotPositive])
    }

    @Test(
        "Q215 An authority between signer and provider may be one by 01; nothing else odd is read over there")
    func booleanOneBetween() throws {
        let root = try TestAuthority([(.countryName, "UT"), (.commonName, "Root")])
        let anchor = try TrustAnchor(
            Certificate(
                der: root.sign(root.template.with(.basicConstraints(BasicConstraints(isCA: true))))[...]))
        let middle = try TestAuthority([(.countryName, "UT"), (.commonName, "Middle")])
        let leaf = try Certificate(der: middle.sign(middle.vicalSigner(for: TestKey()))[...])
        func certificate(_ constraints: [UInt8], serialNumber: [UInt8] = [0x41, 1]) throws -> Certificate {
            var template = middle.template.with(.authorityKeyIdentifier(root.keyIdentifier))
                .with(
                    CertificateExtension(
                        oid: .basicConstraints, isCritical: true, value: constraints[...]))
            template.issuer = root.name
            template.serialNumber = serialNumber
            return try Certificate(der: root.sign(template)[...])
        }
        let one: [UInt8] = [0x30, 3, 1, 1, 1]
        #expect(try CertificatePath.verify([leaf, certificate(one)], to: [anchor], at: now) === anchor)
        #expect(throws: CertificatePathError.notAnAuthority(subject: "CN=Middle,C=UT")) {
            _ = try CertificatePath.verify(
                [leaf, certificate(one, serialNumber: [0])], to: [anchor], at: now)
        }
    }

    @Test("Member names are read without regard to the case of letters")
    func letterCase() throws {
        var list = try TestVICAL([.init(TestAuthority().der)], provider: provider())
        for rewrite in [{ $0.uppercased() }, { $0.lowercased() }] as [(String) -> String] {
            list.rewriteName = rewrite
            #expect(try verify(list).entries.count == 1)
        }
        list.rewriteName = { $0 == "version" ? "edition" : $0 }
        let error = #expect(throws: VICALError.self) { _ = try verify(list) }
        guard case .malformed(.missingMember) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A version that is not 1.x is refused", arguments: ["2.0", "", "11", "1.0"])
    func version(_ version: String) throws {
        var list = try TestVICAL([], provider: provider())
        list.version = version
        guard version != "1.0" else {
            _ = try verify(list)
            return
        }
        #expect(throws: VICALError.versionUnknown) { _ = try verify(list) }
    }

    @Test("Q175 An empty list, and an entry for no document type, are taken and reported")
    func empty() throws {
        let provider = try provider()
        #expect(try verify(TestVICAL([], provider: provider)).findings == [.listEmpty])
        let verified = try verify(TestVICAL([.init(TestAuthority().der, for: [])], provider: provider))
        #expect(verified.findings == [.withoutDocTypes(subject: "CN=Utopia IACA,C=UT")])
        #expect(verified.entries.map(\.docTypes) == [[]])
    }

    @Test("An entry without a certificate that can be read is left out by name, and the others stand")
    func entries() throws {
        let good = TestVICAL.Entry(try TestAuthority().der)
        var none = good
        none.otherMembers = [("certificate", [0xf6])]
        var text = good
        text.otherMembers = [("certificate", Encoded.text("x"))]
        let list = try TestVICAL([.init([0x30]), none, text, good], provider: provider())
        let verified = try verify(list)
        guard case .entryLeftOut(index: 0, .certificateUnreadable)? = verified.findings.first else {
            Issue.record("\(verified.findings)")
            return
        }
        let others: [VICALFinding] = [
            .entryLeftOut(index: 1, .certificateMissing), .entryLeftOut(index: 2, .certificateWrongType),
        ]
        #expect(Array(verified.findings.dropFirst()) == others)
        #expect(verified.entries.map(\.docTypes) == [[TestDocument.mDL]])
    }

    @Test(
        "Q232 A certificate is used although a member beside it is wrong, and the finding says which and how",
        arguments: [
            (
                "serialNumber", Encoded.bytes([1, 2, 3]), VICALEntryMember.serialNumber,
                VICALMemberFault.wrongType
            ),
            ("serialNumber", Encoded.text("1"), .serialNumber, .wrongType),
            ("serialNumber", Encoded.tagged(2, Encoded.bytes([1, 2, 3])), .serialNumber, .differs),
            ("serialNumber", Encoded.unsigned(1), .serialNumber, .differs),
            ("SERIALNUMBER", Encoded.unsigned(1), .serialNumber, .twice),
            ("ski", Encoded.bytes([9]), .ski, .differs), ("ski", Encoded.text("x"), .ski, .wrongType),
            ("docType", Encoded.text(TestDocument.mDL), .docType, .wrongType),
            (
                "docType", Encoded.array([Encoded.text(TestDocument.mDL), Encoded.unsigned(1)]), .docType,
                .wrongType
            ),
        ] as [(String, [UInt8], VICALEntryMember, VICALMemberFault)])
    func wrongMember(_ name: String, _ value: [UInt8], _ member: VICALEntryMember, _ fault: VICALMemberFault)
        throws
    {
        var entry = TestVICAL.Entry(try TestAuthority().der)
        entry.otherMembers = [(name, value)]
        let verified = try verify(TestVICAL([entry], provider: provider()))
        #expect(verified.entries.map(\.docTypes) == [[TestDocument.mDL]])
        #expect(
            verified.findings == [.memberWrong(member, fault, index: 0, subject: "CN=Utopia IACA,C=UT")])
        entry.otherMembers = []
        #expect(try verify(TestVICAL([entry], provider: provider())).findings.isEmpty)
    }

    @Test("Q232 Document types that cannot be read are no types: the certificate is trusted for none")
    func unreadableDocTypes() throws {
        for value in [Encoded.unsigned(1), Encoded.map([]), Encoded.array([Encoded.unsigned(1)])] {
            var entry = TestVICAL.Entry(try TestAuthority().der)
            entry.otherMembers = [("docType", value)]
            let verified = try verify(TestVICAL([entry], provider: provider()))
            #expect(verified.entries.map(\.docTypes) == [[]])
            #expect(verified.findings.count == 2)
        }
    }

    @Test("An entry that stands twice is trusted for what both say")
    func duplicate() throws {
        let iaca = try TestAuthority()
        let list = try TestVICAL(
            [.init(iaca.der, for: ["a"]), .init(iaca.der, for: ["b"])], provider: provider())
        #expect(try verify(list).entries.map(\.docTypes) == [["a", "b"]])
    }
}

@Suite("Chains of list signers")
struct CertificatePathTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)

    private func authority(
        _ name: String, issuedBy issuer: TestAuthority,
        _ change: (CertificateTemplate) -> CertificateTemplate = { $0 }
    ) throws -> (authority: TestAuthority, certificate: Certificate) {
        let own = try TestAuthority([(.countryName, "UT"), (.commonName, name)])
        var template = own.template.with(.authorityKeyIdentifier(issuer.keyIdentifier))
            .with(.basicConstraints(BasicConstraints(isCA: true)))
        template.issuer = issuer.name
        return (own, try Certificate(der: issuer.sign(change(template))[...]))
    }

    private func root(pathLength: Int?) throws -> (TestAuthority, TrustAnchor) {
        let root = try TestAuthority([(.countryName, "UT"), (.commonName, "Root")])
        let constraints = BasicConstraints(isCA: true, pathLength: pathLength)
        let der = try root.sign(root.template.with(.basicConstraints(constraints)))
        return (root, try TrustAnchor(Certificate(der: der[...])))
    }

    private func verify(
        _ chain: [Certificate], to anchor: TrustAnchor
    ) throws(CertificatePathError) -> TrustAnchor {
        try CertificatePath.verify(chain, to: [anchor], at: now)
    }

    @Test("A leaf leads to its root over the authority it came with, where the root allows one")
    func intermediate() throws {
        let (root, anchor) = try root(pathLength: nil)
        let (middle, certificate) = try authority("Middle", issuedBy: root)
        let leaf = try Certificate(der: middle.sign(middle.vicalSigner(for: TestKey()))[...])
        #expect(try verify([leaf, certificate], to: anchor) === anchor)
        #expect(throws: CertificatePathError.issuerNotFound(issuer: "CN=Middle,C=UT")) {
            try verify([leaf], to: anchor)
        }
        let narrow = try root.sign(
            root.template.with(.basicConstraints(BasicConstraints(isCA: true, pathLength: 0))))
        let strict = try TrustAnchor(Certificate(der: narrow[...]))
        #expect(throws: CertificatePathError.tooLong) { try verify([leaf, certificate], to: strict) }
        #expect(throws: CertificatePathError.empty) { try verify([], to: anchor) }
    }

    @Test("A root that allows no authority below has none")
    func pathLength() throws {
        for (length, isAllowed) in [(0, false), (1, true)] {
            let (root, anchor) = try root(pathLength: length)
            let (middle, certificate) = try authority("Middle", issuedBy: root)
            let leaf = try Certificate(der: middle.sign(middle.vicalSigner(for: TestKey()))[...])
            if isAllowed {
                _ = try verify([leaf, certificate], to: anchor)
            } else {
                #expect(throws: CertificatePathError.tooLong) { try verify([leaf, certificate], to: anchor) }
            }
        }
    }

    @Test("What stands between and is no authority, or not valid, issues nothing")
    func noAuthority() throws {
        let (root, anchor) = try root(pathLength: nil)
        let changes: [(CertificateTemplate) -> CertificateTemplate] = [
            { $0.without(.basicConstraints) }, { $0.with(.keyUsage(.digitalSignature)) },
            { $0.without(.keyUsage) },
            { $0.with(CertificateExtension(.nameConstraints) { $0.write(DERTag.sequence) { _ in } }) },
        ]
        for change in changes {
            let (middle, certificate) = try authority("Middle", issuedBy: root, change)
            let leaf = try Certificate(der: middle.sign(middle.vicalSigner(for: TestKey()))[...])
            #expect(throws: CertificatePathError.notAnAuthority(subject: "CN=Middle,C=UT")) {
                try verify([leaf, certificate], to: anchor)
            }
        }
        let (middle, expired) = try authority("Middle", issuedBy: root) {
            var copy = $0
            copy.notAfter = TestAuthority.now - 1
            return copy
        }
        let leaf = try Certificate(der: middle.sign(middle.vicalSigner(for: TestKey()))[...])
        #expect(throws: CertificatePathError.outsideValidity(subject: "CN=Middle,C=UT")) {
            try verify([leaf, expired], to: anchor)
        }
    }

    @Test("A leaf that another key of the middle's name signed is refused")
    func forged() throws {
        let (root, anchor) = try root(pathLength: nil)
        let (middle, certificate) = try authority("Middle", issuedBy: root)
        let template = try middle.vicalSigner(for: TestKey())
        let forged = try Certificate(der: TestAuthority().sign(template)[...])
        #expect(throws: CertificatePathError.signatureInvalid) {
            try verify([forged, certificate], to: anchor)
        }
    }

    @Test("More authorities than the limit are refused")
    func limit() throws {
        let (root, anchor) = try root(pathLength: nil)
        var (issuer, chain): (TestAuthority, [Certificate]) = (root, [])
        for number in 1...4 {
            let next = try authority("Middle \(number)", issuedBy: issuer)
            chain.insert(next.certificate, at: 0)
            issuer = next.authority
            let leaf = try Certificate(der: issuer.sign(issuer.vicalSigner(for: TestKey()))[...])
            if number <= 3 {
                _ = try verify([leaf] + chain, to: anchor)
            } else {
                #expect(throws: CertificatePathError.tooLong) { try verify([leaf] + chain, to: anchor) }
            }
        }
    }
}
