import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

/// What makes a CRL one that is refused, and by which name.
struct RevocationListFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: PKIXError
    let change: @Sendable (inout TestRevocationList) -> Void

    init(
        _ text: String, _ error: PKIXError,
        _ change: @escaping @Sendable (inout TestRevocationList) -> Void
    ) {
        testDescription = text
        self.error = error
        self.change = change
    }
}

@Suite("Certificate revocation lists")
struct RevocationListTests {
    private func parse(_ list: TestRevocationList) throws -> CertificateRevocationList {
        try CertificateRevocationList(der: list.encoded()[...])
    }

    private func serial(_ number: Int) -> [UInt8] { [0x42, UInt8(number >> 8), UInt8(number & 0xff)] }

    @Test(
        "A CRL on every curve that signs is read and verified with its authority's key, and with no other",
        arguments: Curve.allCases.filter { $0.family != .montgomery })
    func verified(_ curve: Curve) throws {
        let authority = try TestAuthority(curve: curve)
        let list = try parse(TestRevocationList(authority, [.init([1, 2, 3])]))
        let root = try Certificate(der: authority.der[...])
        #expect(list.issuer == root.subject)
        #expect(list.authorityKeyIdentifier == root.subjectKeyIdentifier)
        #expect(list.number.map(Array.init) == [7])
        #expect(list.thisUpdate == TestAuthority.now - TestAuthority.day)
        #expect(list.nextUpdate == TestAuthority.now + 30 * TestAuthority.day)
        #expect(list.distributionPointURIs == nil)
        #expect(list.deviations == [])
        try list.verifySignature(with: root.subjectPublicKeyInfo.authorityKey())
        let other = try Certificate(der: TestAuthority(curve: curve).der[...])
        #expect(throws: OpenSSLCryptoError.signatureInvalid) {
            try list.verifySignature(with: other.subjectPublicKeyInfo.authorityKey())
        }
    }

    @Test("One bit of what is signed, and the signature does not verify")
    func changedBit() throws {
        let authority = try TestAuthority()
        var der = try TestRevocationList(authority, [.init([1, 2, 3])]).encoded()
        let key = try Certificate(der: authority.der[...]).subjectPublicKeyInfo.authorityKey()
        let serial = try #require(der.firstRange(of: [2, 3, 1, 2, 3]))
        der[serial.upperBound - 1] ^= 1
        let list = try CertificateRevocationList(der: der[...])
        #expect(list.entry(serialNumber: [1, 2, 2]) != nil)
        #expect(throws: OpenSSLCryptoError.signatureInvalid) { try list.verifySignature(with: key) }
    }

    @Test(
        "Every listed serial number is found with its reason and date, and none beside them",
        arguments: [true, false])
    func lookup(_ isSorted: Bool) throws {
        let numbers = Array(stride(from: 0, to: 4000, by: 2))
        let entries = numbers.map { TestRevocationList.Entry(serial($0), reason: $0 % 4 == 0 ? 1 : nil) }
        let list = try parse(TestRevocationList(TestAuthority(), isSorted ? entries : entries.reversed()))
        #expect(list.count == numbers.count)
        for number in 0..<4000 {
            let entry = list.entry(serialNumber: serial(number)[...])
            #expect(
                entry?.reason == (number % 2 == 1 ? nil : number % 4 == 0 ? .keyCompromise : .unspecified))
        }
        #expect(
            list.entry(serialNumber: serial(2)[...])?.revocationDate == TestAuthority.now - 3
                * TestAuthority.day)
        #expect(list.entry(serialNumber: []) == nil)
        #expect(list.entry(serialNumber: [0x42]) == nil)
        #expect(list.entry(serialNumber: [0x42, 0, 0, 0]) == nil)
    }

    @Test("A serial number with its highest bit set is found as certificates carry it")
    func highBit() throws {
        let list = try parse(TestRevocationList(TestAuthority(), [.init([0x80, 1])]))
        #expect(list.entry(serialNumber: [0, 0x80, 1]) != nil)
        #expect(list.entry(serialNumber: [0x80, 1]) == nil)
    }

    @Test("A list is found by certificates whose buffer does not begin with it")
    func slice() throws {
        let der = try TestRevocationList(TestAuthority(), [.init([9, 9]), .init([1, 2])]).encoded()
        let buffer = [UInt8](repeating: 0xee, count: 11) + der
        let list = try CertificateRevocationList(der: buffer[11...])
        #expect(list.entry(serialNumber: [1, 2]) != nil)
        #expect(list.entry(serialNumber: [1, 3]) == nil)
    }

    static let faults: [RevocationListFault] = [
        RevocationListFault("an indirect CRL", .indirectCRL) {
            $0.extensions.append(.issuingDistributionPoint(flags: [4]))
        },
        RevocationListFault("an entry of another issuer", .indirectCRL) {
            $0.entries = [
                .init(
                    [1],
                    extensions: [
                        CertificateExtension(.certificateIssuer) { $0.write(DERTag.sequence) { _ in } }
                    ])
            ]
        },
        RevocationListFault("attribute certificates only", .crlOfOtherScope) {
            $0.extensions.append(.issuingDistributionPoint(flags: [5]))
        },
    ]

    @Test(
        "A CRL of other issuers' certificates, or of attribute certificates, is refused by name",
        arguments: faults)
    func refused(_ fault: RevocationListFault) throws {
        var list = TestRevocationList(try TestAuthority())
        _ = try parse(list)
        fault.change(&list)
        #expect(throws: fault.error) { try parse(list) }
    }

    private static let unknown = CertificateExtension(ObjectIdentifier("1.2.3.4"), isCritical: true) {
        $0.writeBoolean(true)
    }

    static let gaps: [RevocationListFault] = [
        RevocationListFault("version 1", .crlVersionWrong) { $0.version = nil },
        RevocationListFault("version 3", .crlVersionWrong) { $0.version = 2 },
        RevocationListFault("no next update", .crlNextUpdateMissing) { $0.nextUpdate = nil },
        RevocationListFault("a delta CRL", .deltaCRL) {
            $0.extensions.append(
                CertificateExtension(.deltaCRLIndicator, isCritical: true) { $0.writeInteger(3) })
        },
        RevocationListFault("authorities only", .crlOfOtherScope) {
            $0.extensions.append(.issuingDistributionPoint(flags: [2]))
        },
        RevocationListFault("some reasons only", .crlOfOtherScope) {
            $0.extensions.append(.issuingDistributionPoint(flags: [3]))
        },
        RevocationListFault(
            "an unknown critical extension", .unknownCriticalExtension(ObjectIdentifier("1.2.3.4"))
        ) { $0.extensions.append(unknown) },
        RevocationListFault(
            "an unknown critical extension of an entry",
            .unknownCriticalExtension(ObjectIdentifier("1.2.3.4"))
        ) { $0.entries?.append(.init([2], extensions: [unknown])) },
    ]

    @Test(
        "Q230 A CRL that may leave something out says why, and what it lists is revoked all the same",
        arguments: gaps)
    func incomplete(_ gap: RevocationListFault) throws {
        var list = TestRevocationList(try TestAuthority(), [.init([1], reason: 1), .init([3], reason: 6)])
        #expect(try parse(list).incompleteness == nil)
        gap.change(&list)
        let parsed = try parse(list)
        #expect(parsed.incompleteness == gap.error)
        #expect(parsed.entry(serialNumber: [1])?.reason == .keyCompromise)
        #expect(parsed.entry(serialNumber: [3])?.reason == .certificateHold)
        #expect(parsed.entry(serialNumber: [4]) == nil)
        #expect(parsed.entry(serialNumber: [2])?.reason == (parsed.count == 3 ? .unspecified : nil))
    }

    @Test("Q230 An entry that cannot be read leaves the others, and is revoked if its serial number is there")
    func unreadableEntry() throws {
        let key = CertificateExtension(.reasonCode) { $0.write(DERTag.enumerated, contents: []) }
        var long = TestRevocationList.Entry([UInt8](repeating: 1, count: 65))
        long.revocationDate = 0
        let list = try parse(
            TestRevocationList(
                TestAuthority(), [.init([1]), .init([2], extensions: [key]), long, .init([3], reason: 4)]))
        #expect(list.incompleteness != nil)
        #expect(list.count == 3)
        for (serial, reason) in [
            (1, RevocationReason.unspecified), (2, .unspecified), (3, .superseded),
        ] as [(UInt8, RevocationReason)] {
            #expect(list.entry(serialNumber: [serial])?.reason == reason, "\(serial)")
        }
    }

    @Test("What is not critical and not known is skipped; so are flags that leave nothing out")
    func tolerated() throws {
        var list = TestRevocationList(try TestAuthority(), [.init([1])])
        list.extensions.append(CertificateExtension(ObjectIdentifier("1.2.3.4")) { $0.writeBoolean(true) })
        list.extensions.append(.issuingDistributionPoint(uri: "https://utopia.example/crl", flags: [1]))
        list.entries?[0].extensions.append(
            // An invalidityDate (RFC 5280, 5.3.2).
            CertificateExtension(ObjectIdentifier("2.5.29.24")) {
                $0.write(DERTag.generalizedTime, contents: [])
            })
        let parsed = try parse(list)
        #expect(parsed.distributionPointURIs == ["https://utopia.example/crl"])
        #expect(parsed.entry(serialNumber: [1])?.reason == .unspecified)
    }

    @Test("Reasons have the standard's numbers; others revoke without a reason, and 8 takes an entry back")
    func reasons() throws {
        let authority = try TestAuthority()
        for code: UInt8 in 0...12 {
            let list = try parse(TestRevocationList(authority, [.init([1], reason: code)]))
            let isKnown = ![7, 8, 11, 12].contains(code)
            #expect((list.incompleteness == nil) == isKnown, "\(code)")
            let expected: UInt8? = isKnown ? code : code == 8 ? nil : 0
            #expect(list.entry(serialNumber: [1])?.reason.rawValue == expected, "\(code)")
        }
    }

    @Test("An empty list that is written is read and reported; an absent one is not")
    func emptyList() throws {
        var list = TestRevocationList(try TestAuthority())
        #expect(try parse(list).deviations == [])
        list.entries = []
        #expect(try parse(list).deviations == .emptyListWritten)
        #expect(try parse(list).count == 0)
    }

    @Test("A CRL cut off anywhere, or followed by a byte, is refused")
    func truncated() throws {
        let der = try TestRevocationList(TestAuthority(), [.init([1, 2, 3], reason: 1)]).encoded()
        for count in der.indices {
            let error = #expect(throws: PKIXError.self) {
                try CertificateRevocationList(der: der[..<count])
            }
            #expect(error?.isTruncation == true, "\(count) bytes: \(String(describing: error))")
        }
        #expect(throws: PKIXError.trailingBytes(at: der.count)) {
            try CertificateRevocationList(der: (der + [0])[...])
        }
        _ = try CertificateRevocationList(der: der[...])
    }

    @Test("The issuer of a CRL that is cut off is known as long as its name is there; of other bytes, none")
    func issuerAtFirstSight() throws {
        let list = TestRevocationList(try TestAuthority(), [.init([1, 2, 3], reason: 1)])
        let der = try list.encoded()
        let name = try #require(der.firstRange(of: list.issuer.encoded))
        for count in der.indices {
            let issuer = CertificateRevocationList.issuer(of: der[..<count])
            #expect(issuer == (count < name.upperBound ? nil : list.issuer), "\(count)")
        }
        let others: [[UInt8]] = [
            [], [0x30], [0x30, 0x80], [0x31, 0x00], [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        ]
        for other in others {
            #expect(CertificateRevocationList.issuer(of: other[...]) == nil)
        }
    }

    @Test("Of two entries for one certificate the one that is not a hold counts")
    func listedTwice() throws {
        for (reasons, expected) in [([6, 1], 1), ([1, 6], 1), ([6, 6], 6)] as [([UInt8], UInt8)] {
            let list = try parse(
                TestRevocationList(TestAuthority(), reasons.map { .init([5], reason: $0) } + [.init([9])]))
            #expect(list.entry(serialNumber: [5])?.reason.rawValue == expected)
        }
    }

    @Test("More entries than the limit are refused, and the limit itself is read")
    func limit() throws {
        func list(_ count: Int) throws -> CertificateRevocationList {
            let entry = TestRevocationList.Entry([1])
            return try parse(
                TestRevocationList(
                    TestAuthority(), [TestRevocationList.Entry](repeating: entry, count: count)))
        }
        let limit = CertificateRevocationList.maximumEntries
        #expect(try list(limit).count == limit)
        let error = #expect(throws: PKIXError.self) { _ = try list(limit + 1) }
        guard case .limitExceeded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("The URIs of a certificate's distribution points are read, and other names skipped")
    func distributionPoints() throws {
        let authority = try TestAuthority()
        let template = try authority.signer(for: TestKey())
        #expect(
            try Certificate(der: authority.sign(template)[...]).crlDistributionPointURIs
                == ["https://utopia.example/crl"])
        let without = try authority.sign(template.without(.crlDistributionPoints))
        #expect(try Certificate(der: without[...]).crlDistributionPointURIs.isEmpty)
        let byHost = template.with(
            CertificateExtension(.crlDistributionPoints) {
                $0.write(DERTag.sequence) {
                    $0.write(DERTag.sequence) {
                        $0.write(DERTag.constructed(0)) {
                            $0.write(DERTag.constructed(0)) {
                                $0.write(DERTag.primitive(2), contents: [0x61])
                            }
                        }
                    }
                }
            })
        #expect(try Certificate(der: authority.sign(byHost)[...]).crlDistributionPointURIs.isEmpty)
    }
}
