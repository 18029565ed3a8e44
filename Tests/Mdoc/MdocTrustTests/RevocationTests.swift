import CBOR
import Foundation
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

/// One document signer with the lists of its store.
struct SignerWithLists {
    let authority: TestAuthority
    let signer: [UInt8]
    let serial: [UInt8] = [0x42, 1, 2, 3, 4, 5, 6, 7, 8]
    var sources: [TrustSource] = []
    var status: Result<DocumentStatus, CBORError>?
    var now = TestAuthority.now
    var clockSkew: Int64 = 60

    init(_ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }) throws {
        authority = try TestAuthority()
        signer = try authority.sign(change(authority.signer(for: TestKey())))
    }

    mutating func add(_ list: TestRevocationList, signedBy key: TestKey? = nil, name: String = "crl") throws {
        sources.append(.test(.revocationList, name, try list.encoded(signedBy: key)))
    }

    mutating func add(
        _ token: TestStatusToken, signedBy key: TestKey? = nil, name: String = TestStatusToken.uri
    ) throws {
        let kind: TrustSource.Kind = token.kind == .statusList ? .statusList : .identifierList
        sources.append(.test(kind, name, try token.encoded(signedBy: key)))
    }

    mutating func point(_ reference: [UInt8]) throws {
        let item = try CBORItem.parse(reference[...])
        status = Result { () throws(CBORError) in try DocumentStatus(item) }
    }

    func finding() throws -> RevocationFinding {
        let anchor = TrustSource.test(.anchor, "root", authority.der)
        let store = TrustStore(TrustSnapshot([anchor] + sources))
        let now = Timestamp(secondsSince1970: now)
        // Asked twice: what was opened the first time has to say the same the second time.
        var findings: [RevocationFinding] = []
        for _ in 0..<2 {
            let leaf = try store.issuerCertificate(der: signer[...])
            let verified = try store.verify(leaf, for: TestDocument.mDL, at: now)
            findings.append(store.revocation(of: verified, status: status, at: now, clockSkew: clockSkew))
        }
        #expect(findings[0] == findings[1])
        return findings[0]
    }
}

func undetermined(
    _ cause: UndeterminedCause, _ subject: RevocationSubject, age: Int64? = nil
) -> RevocationFinding {
    .undetermined(cause, about: subject, ageSeconds: age)
}

@Suite("Revocation of document signers")
struct SignerRevocationTests {
    private let day = TestAuthority.day

    @Test("Listed is revoked, not listed is good, each with the age of the list")
    func listed() throws {
        var lists = try SignerWithLists()
        try lists.add(TestRevocationList(lists.authority, [.init([9])]))
        #expect(try lists.finding() == .good(ageSeconds: day))
        lists.sources = []
        try lists.add(TestRevocationList(lists.authority, [.init([9]), .init(lists.serial, reason: 1)]))
        #expect(try lists.finding() == .revoked(.signerRevoked, ageSeconds: day))
    }

    @Test(
        "Q182 A list that is not at hand is not known, never revoked; without distribution points none is published"
    )
    func absent() throws {
        #expect(try SignerWithLists().finding() == undetermined(.listAbsent, .signer))
        #expect(
            try SignerWithLists { $0.without(.crlDistributionPoints) }.finding()
                == undetermined(.nothingPublished, .document))
    }

    @Test("Q183 A stale list says so, and how much; one that revokes still does")
    func stale() throws {
        var lists = try SignerWithLists()
        try lists.add(TestRevocationList(lists.authority))
        lists.now += 30 * day
        #expect(try lists.finding() == .good(ageSeconds: 31 * day))
        lists.now += 5
        #expect(
            try lists.finding() == undetermined(.listStale(overdueSeconds: 5), .signer, age: 31 * day + 5))
        lists.sources = []
        try lists.add(TestRevocationList(lists.authority, [.init(lists.serial)]))
        #expect(try lists.finding() == .revoked(.signerRevoked, ageSeconds: 31 * day + 5))
    }

    @Test("What is on hold is so as long as the list counts")
    func hold() throws {
        var lists = try SignerWithLists()
        try lists.add(TestRevocationList(lists.authority, [.init(lists.serial, reason: 6)]))
        #expect(try lists.finding() == .revoked(.signerOnHold, ageSeconds: day))
        lists.now += 30 * day + 1
        #expect(
            try lists.finding() == undetermined(.listStale(overdueSeconds: 1), .signer, age: 31 * day + 1))
    }

    @Test("Q186 A list from the future counts within the clock's skew, and not beyond")
    func future() throws {
        var lists = try SignerWithLists()
        var list = TestRevocationList(lists.authority)
        list.thisUpdate = lists.now + 60
        try lists.add(list)
        #expect(try lists.finding() == .good(ageSeconds: 0))
        lists.clockSkew = 59
        #expect(try lists.finding() == undetermined(.listNotYetValid, .signer))
    }

    @Test("A list of another signer, of another key of the name, or that is cut off, is each told by name")
    func wrong() throws {
        var lists = try SignerWithLists()
        try lists.add(TestRevocationList(lists.authority), signedBy: TestKey())
        #expect(try lists.finding() == undetermined(.listSignerWrong, .signer))
        lists.sources = []
        try lists.add(TestRevocationList(TestAuthority()))
        #expect(try lists.finding() == undetermined(.listAbsent, .signer))
        let whole = try TestRevocationList(lists.authority).encoded()
        var longer = whole
        longer.append(0)
        lists.sources = [.test(.revocationList, "crl", longer)]
        #expect(try lists.finding() == undetermined(.listMalformed, .signer))
        var changed = whole
        let date = try #require(whole.firstRange(of: Array("261031120000Z".utf8)))
        changed[date.lowerBound] = 0
        lists.sources = [.test(.revocationList, "crl", changed)]
        #expect(try lists.finding() == undetermined(.listMalformed, .signer))
    }

    @Test("A list for one distribution point counts for the signers that name it")
    func partition() throws {
        for (uri, expected) in [
            ("https://utopia.example/crl", RevocationFinding.good(ageSeconds: day)),
            ("https://utopia.example/other", undetermined(.listAbsent, .signer)),
        ] {
            var lists = try SignerWithLists()
            var list = TestRevocationList(lists.authority)
            list.extensions.append(.issuingDistributionPoint(uri: uri))
            try lists.add(list)
            #expect(try lists.finding() == expected)
        }
    }

    @Test(
        "Of several lists the newest tells who is good or on hold, and one that cannot be used takes nothing away"
    )
    func several() throws {
        var lists = try SignerWithLists()
        var old = TestRevocationList(lists.authority, [.init(lists.serial, reason: 6)])
        old.thisUpdate -= 5 * day
        try lists.add(old, name: "a")
        try lists.add(TestRevocationList(lists.authority), name: "b")
        try lists.add(
            TestRevocationList(lists.authority, [.init(lists.serial)]), signedBy: TestKey(), name: "c")
        #expect(try lists.finding() == .good(ageSeconds: day))
        var later = old
        later.thisUpdate = lists.now - 10
        try lists.add(later, name: "d")
        #expect(try lists.finding() == .revoked(.signerOnHold, ageSeconds: 10))
    }

    /// Changes that leave a list authentic, and no longer the one that would show a signer to be good.
    static let partial: [Fault] = [
        Fault("overdue", .listStale(overdueSeconds: 1)) { $0.nextUpdate = TestAuthority.now - 1 },
        Fault("another distribution point", .listAbsent) {
            $0.extensions.append(.issuingDistributionPoint(uri: "https://utopia.example/other"))
        },
        Fault("a distribution point without a URI", .listAbsent) {
            $0.extensions.append(.issuingDistributionPoint(flags: [3]))
        },
        Fault("authorities only", .listAbsent) {
            $0.extensions.append(.issuingDistributionPoint(flags: [2]))
        },
        Fault("a delta CRL", .listAbsent) {
            $0.extensions.append(
                CertificateExtension(.deltaCRLIndicator, isCritical: true) { $0.writeInteger(3) })
        },
        Fault("an unknown critical extension", .listAbsent) {
            $0.extensions.append(
                CertificateExtension(ObjectIdentifier("1.2.3.4"), isCritical: true) { $0.writeBoolean(true) })
        },
        Fault("another authority key identifier", .listAbsent) {
            $0.extensions[0] = .authorityKeyIdentifier([UInt8](repeating: 7, count: 20))
        },
        Fault("dated in the future", .listNotYetValid) { $0.thisUpdate = TestAuthority.now + 3600 },
        Fault("an entry that cannot be read", .listAbsent) {
            let long = TestRevocationList.Entry([UInt8](repeating: 1, count: 65))
            $0.entries = [long] + ($0.entries ?? [])
        },
    ]

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let otherwise: UndeterminedCause
        let change: @Sendable (inout TestRevocationList) -> Void

        init(
            _ text: String, _ otherwise: UndeterminedCause,
            _ change: @escaping @Sendable (inout TestRevocationList) -> Void
        ) {
            testDescription = text
            self.otherwise = otherwise
            self.change = change
        }
    }

    @Test(
        "Q230 A revocation in any authentic list of the root counts, even if another list is good; absence proves nothing",
        arguments: partial)
    func anyAuthenticList(_ fault: Fault) throws {
        for (serial, isRevoked) in [([0x42, 1, 2, 3, 4, 5, 6, 7, 8], true), ([9], false)] as [([UInt8], Bool)]
        {
            var lists = try SignerWithLists()
            var list = TestRevocationList(lists.authority, [.init(serial, reason: 1)])
            fault.change(&list)
            try lists.add(list)
            let finding = try lists.finding()
            if isRevoked {
                #expect(finding.cause == "signer_revoked")
            } else {
                guard case .undetermined(let cause, about: .signer, _) = finding else {
                    Issue.record("\(finding)")
                    continue
                }
                #expect(cause == fault.otherwise)
            }
            try lists.add(TestRevocationList(lists.authority), name: "complete")
            #expect(try lists.finding().state == (isRevoked ? .revoked : .good))
            // Nobody but the root says so.
            lists.sources = []
            try lists.add(list, signedBy: TestKey())
            #expect(try lists.finding().state == .undetermined)
        }
    }

    @Test("Q230 What an older list revokes for good, a newer one that is silent does not take back")
    func silentSuccessor() throws {
        var lists = try SignerWithLists()
        var old = TestRevocationList(lists.authority, [.init(lists.serial, reason: 4)])
        old.thisUpdate -= 5 * day
        try lists.add(old, name: "a")
        try lists.add(TestRevocationList(lists.authority), name: "b")
        #expect(try lists.finding() == .revoked(.signerRevoked, ageSeconds: 6 * day))
    }
}

@Suite("Revocation of documents")
struct DocumentRevocationTests {
    /// A signer whose CRL is good, so that the document's own list decides; the list's age is the older one's.
    func lists() throws -> SignerWithLists {
        var lists = try SignerWithLists()
        var list = TestRevocationList(lists.authority)
        list.thisUpdate = lists.now - 10
        try lists.add(list)
        return lists
    }

    func token(_ lists: SignerWithLists) throws -> TestStatusToken {
        try TestStatusToken(authority: lists.authority)
    }

    @Test("Q181 A status list tells valid, invalid, suspended and undefined, by place")
    func statuses() throws {
        // Two bits each: 1 2 3 2 3 0 2 2.
        let expected: [UInt64: RevocationFinding] = [
            0: .revoked(.documentRevoked, ageSeconds: 3600),
            1: .revoked(.documentSuspended, ageSeconds: 3600),
            2: undetermined(.statusNotDefined, .document, age: 3600), 5: .good(ageSeconds: 3600),
            8: undetermined(.indexOutOfRange, .document, age: 3600),
            .max: undetermined(.indexOutOfRange, .document, age: 3600),
        ]
        for (index, finding) in expected {
            var lists = try lists()
            var token = try token(lists)
            token.bits = 2
            try lists.add(token)
            try lists.point(token.reference(index: index))
            #expect(try lists.finding() == finding, "\(index)")
        }
    }

    @Test("Q181 An identifier list revokes those it names")
    func identifiers() throws {
        var lists = try lists()
        var token = try TestStatusToken(.identifierList, authority: lists.authority)
        token.identifiers = [[0xab, 0xcd], [0xaa, 0xaa], [0xcc, 0xcc]]
        try lists.add(token)
        try lists.point(token.reference(identifier: [0xcc, 0xcc]))
        #expect(try lists.finding() == .revoked(.documentRevoked, ageSeconds: 3600))
        try lists.point(token.reference(identifier: [0xcc]))
        #expect(try lists.finding() == .good(ageSeconds: 3600))
    }

    /// What is wrong with a list, and what has to come of it. Place 1 of the list is valid.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: RevocationFinding
        let change: @Sendable (inout TestStatusToken, TestAuthority) throws -> [UInt8]?

        init(
            _ text: String, _ expected: RevocationFinding,
            _ change: @escaping @Sendable (inout TestStatusToken, TestAuthority) throws -> [UInt8]?
        ) {
            testDescription = text
            self.expected = expected
            self.change = change
        }
    }

    static let faults: [Fault] = [
        Fault("nothing wrong", .good(ageSeconds: 3600)) { token, _ in try token.encoded() },
        Fault("offline", undetermined(.listAbsent, .document)) { _, _ in nil },
        Fault("stale", undetermined(.listStale(overdueSeconds: 1), .document, age: 3600)) { token, _ in
            token.expires = TestAuthority.now - 1
            return try token.encoded()
        },
        Fault("expiring now", .good(ageSeconds: 3600)) { token, _ in
            token.expires = TestAuthority.now
            return try token.encoded()
        },
        Fault("from the future", undetermined(.listNotYetValid, .document)) { token, _ in
            token.issued = TestAuthority.now + 61
            return try token.encoded()
        },
        Fault("within the skew of the clock", .good(ageSeconds: 10)) { token, _ in
            token.issued = TestAuthority.now + 60
            return try token.encoded()
        },
        Fault("truncated", undetermined(.listMalformed, .document)) { token, _ in
            try token.encoded().dropLast()
        },
        Fault("truncated inside", undetermined(.listMalformed, .document)) { token, _ in
            token.compressed.removeLast()
            return try token.encoded()
        },
        Fault("a list of the other kind", undetermined(.listMalformed, .document)) { _, authority in
            try TestStatusToken(.identifierList, authority: authority).encoded()
        },
        Fault("another subject", undetermined(.listSubjectWrong, .document)) { token, _ in
            token.subject = TestStatusToken.uri + "0"
            return try token.encoded()
        },
        Fault("signed by another key", undetermined(.listSignerWrong, .document)) { token, _ in
            try token.encoded(signedBy: TestKey())
        },
        Fault("a signer of another root", undetermined(.listSignerWrong, .document)) { _, _ in
            try TestStatusToken(authority: TestAuthority()).encoded()
        },
        Fault("a signer of another country's root", undetermined(.listSignerWrong, .document)) { _, _ in
            try TestStatusToken(authority: TestAuthority([(.countryName, "XX"), (.commonName, "X")]))
                .encoded()
        },
        Fault("no signer's certificate", undetermined(.listSignerWrong, .document)) { token, _ in
            token.hasChain = false
            return try token.encoded()
        },
        Fault("a reader as signer", undetermined(.listSignerWrong, .document)) { _, authority in
            try TestStatusToken(authority: authority) { $0.with(.extendedKeyUsage([.mdocReader])) }.encoded()
        },
        Fault("a document signer as signer", .good(ageSeconds: 3600)) { _, authority in
            try TestStatusToken(authority: authority) { $0.with(.extendedKeyUsage([.mdocDocumentSigner])) }
                .encoded()
        },
        Fault("a signer whose time is over", undetermined(.listSignerInvalid, .document, age: 3600)) {
            _, authority in
            try TestStatusToken(authority: authority) {
                var copy = $0
                copy.notAfter = TestAuthority.now - 1
                return copy
            }.encoded()
        },
    ]

    @Test("Q182 Each way a list fails to answer has its own outcome, and none is revoked", arguments: faults)
    func fault(_ fault: Fault) throws {
        var lists = try lists()
        var token = try token(lists)
        try lists.point(token.reference(index: 1))
        if let bytes = try fault.change(&token, lists.authority) {
            lists.sources.append(.test(.statusList, TestStatusToken.uri, Array(bytes)))
        }
        #expect(try lists.finding() == fault.expected)
    }

    @Test("A stale list still revokes, and no longer suspends")
    func staleRevokes() throws {
        for (index, expected) in [
            (0, RevocationFinding.revoked(.documentRevoked, ageSeconds: 3600)),
            (1, undetermined(.listStale(overdueSeconds: 1), .document, age: 3600)),
        ] as [(UInt64, RevocationFinding)] {
            var lists = try lists()
            var token = try token(lists)
            token.bits = 2
            token.expires = TestAuthority.now - 1
            try lists.add(token)
            try lists.point(token.reference(index: index))
            #expect(try lists.finding() == expected)
        }
    }

    @Test("A certificate that the MSO names may have issued the signer, or be it; another may not")
    func named() throws {
        let other = try TestAuthority([(.countryName, "XX"), (.commonName, "SignerWithLists")])
        let token = try TestStatusToken(authority: other)
        for (certificate, isGood) in [
            (other.der, true), (token.certificate, true), (try TestAuthority().der, false), (nil, false),
        ] {
            var lists = try lists()
            try lists.add(token)
            try lists.point(token.reference(index: 1, certificate: certificate))
            #expect(
                try lists.finding()
                    == (isGood ? .good(ageSeconds: 3600) : undetermined(.listSignerWrong, .document)))
        }
        var lists = try lists()
        try lists.add(token)
        try lists.point(token.reference(index: 1, certificate: [0xaa]))
        #expect(try lists.finding() == undetermined(.referenceUnreadable, .document))
    }

    /// References of one status: the place of a list that says revoked or valid, and one that cannot be read.
    private func pair(_ token: TestStatusToken, index: UInt64, beside other: (String, [UInt8])) throws
        -> [UInt8]
    {
        let good = Encoded.map([
            ("idx", Encoded.unsigned(index)), ("uri", Encoded.text(TestStatusToken.uri)),
        ])
        return Encoded.map([("status_list", good), other])
    }

    @Test("Q228 If one of two references is unreadable, the other can only show that a document is revoked")
    func unreadableBesideReadable() throws {
        let uri = ("uri", Encoded.text(TestStatusToken.uri))
        let broken: [[UInt8]] = [
            Encoded.map([("id", Encoded.text("ab")), uri]), Encoded.map([("id", Encoded.bytes([1]))]),
            Encoded.map([uri]), Encoded.text("x"), Encoded.array([]), Encoded.unsigned(1),
            Encoded.map([("id", Encoded.bytes([1])), ("uri", Encoded.bytes([1]))]),
            Encoded.map([
                ("id", Encoded.bytes([1])),
                ("uri", Encoded.text("https://utopia.example/" + String(repeating: "a", count: 2048))),
            ]),
        ]
        for (place, reference) in broken.enumerated() {
            var lists = try lists()
            let token = try token(lists)
            try lists.add(token)
            try lists.point(pair(token, index: 0, beside: ("identifier_list", reference)))
            #expect(try lists.finding() == .revoked(.documentRevoked, ageSeconds: 3600), "\(place)")
            try lists.point(pair(token, index: 1, beside: ("identifier_list", reference)))
            #expect(try lists.finding() == undetermined(.referenceUnreadable, .document), "\(place)")
        }
    }

    @Test(
        "Q228 An identifier list revokes a document even if the document's place in a status list is unreadable"
    )
    func unreadablePlace() throws {
        for (identifier, expected) in [
            (0xcc, RevocationFinding.revoked(.documentRevoked, ageSeconds: 3600)),
            (0xdd, undetermined(.referenceUnreadable, .document)),
        ] as [(UInt8, RevocationFinding)] {
            var lists = try lists()
            var token = try TestStatusToken(.identifierList, authority: lists.authority)
            token.identifiers = [[0xcc]]
            try lists.add(token)
            let name = Encoded.map([
                ("id", Encoded.bytes([identifier])), ("uri", Encoded.text(TestStatusToken.uri)),
            ])
            let place = Encoded.map([
                ("idx", Encoded.text("1")), ("uri", Encoded.text(TestStatusToken.uri)),
            ])
            try lists.point(Encoded.map([("status_list", place), ("identifier_list", name)]))
            #expect(try lists.finding() == expected)
        }
    }

    @Test(
        "Q228 A certificate of another type leaves the place: the root's list revokes, and good is not known")
    func unreadableCertificate() throws {
        for (index, expected) in [
            (0, RevocationFinding.revoked(.documentRevoked, ageSeconds: 3600)),
            (1, undetermined(.referenceUnreadable, .document)),
        ] as [(UInt64, RevocationFinding)] {
            for certificate in [Encoded.text("x"), Encoded.bytes([0xaa]), Encoded.array([])] {
                var lists = try lists()
                try lists.add(token(lists))
                try lists.point(
                    Encoded.map([
                        (
                            "status_list",
                            Encoded.map([
                                ("idx", Encoded.unsigned(index)),
                                ("uri", Encoded.text(TestStatusToken.uri)), ("certificate", certificate),
                            ])
                        )
                    ]))
                #expect(try lists.finding() == expected)
            }
        }
    }

    @Test(
        "Q228 An identifier list with an entry that cannot be read revokes by the others, and clears nobody")
    func unreadableIdentifier() throws {
        for (identifier, expected) in [
            ([0xcc], RevocationFinding.revoked(.documentRevoked, ageSeconds: 3600)),
            ([0xdd], undetermined(.listMalformed, .document, age: 3600)),
        ] as [([UInt8], RevocationFinding)] {
            var lists = try lists()
            var token = try TestStatusToken(.identifierList, authority: lists.authority)
            token.identifiers = [[0xcc]]
            token.moreIdentifiers = [Encoded.text("dd")]
            try lists.add(token)
            try lists.point(token.reference(identifier: identifier))
            #expect(try lists.finding() == expected)
        }
    }

    @Test("A revocation holds although a slow clock has not reached the list's date; nothing else does")
    func fromTheFuture() throws {
        for (index, expected) in [
            (0, RevocationFinding.revoked(.documentRevoked, ageSeconds: 0)),
            (1, undetermined(.listNotYetValid, .document)),
        ] as [(UInt64, RevocationFinding)] {
            var lists = try lists()
            var token = try token(lists)
            token.issued = TestAuthority.now + 3600
            try lists.add(token)
            try lists.point(token.reference(index: index))
            #expect(try lists.finding() == expected)
        }
    }

    @Test("A pointer that cannot be read, or of another kind, is reported")
    func references() throws {
        var lists = try lists()
        try lists.point([0xa0])
        #expect(try lists.finding() == undetermined(.referenceUnreadable, .document))
        try lists.point(Encoded.map([("bitstring", [0xa0])]))
        #expect(try lists.finding() == undetermined(.referenceUnreadable, .document))
        try lists.point(Encoded.map([("status_list", [0xa0])]))
        #expect(try lists.finding() == undetermined(.referenceUnreadable, .document))
        lists.status = nil
        #expect(try lists.finding() == .good(ageSeconds: 10))
    }

    @Test("A revoked signer outweighs a good document, and what is not known of either outweighs good")
    func combined() throws {
        var lists = try SignerWithLists()
        let token = try token(lists)
        try lists.add(token)
        try lists.point(token.reference(index: 1))
        #expect(try lists.finding() == undetermined(.listAbsent, .signer))
        try lists.add(TestRevocationList(lists.authority, [.init(lists.serial)]))
        #expect(try lists.finding().state == .revoked)
        try lists.point(token.reference(index: 0))
        #expect(try lists.finding() == .revoked(.signerRevoked, ageSeconds: TestAuthority.day))
    }

    @Test("Ids of causes name what they are about")
    func ids() throws {
        #expect(undetermined(.listAbsent, .signer).cause == "signer.list_absent")
        #expect(RevocationFinding.good(ageSeconds: 1).cause == nil)
        #expect(RevocationFinding.revoked(.documentRevoked, ageSeconds: 1).cause == "document_revoked")
    }
}

@Suite("Policies on revocation")
struct RevocationPolicyTests {
    @Test(
        "Q183 For an age what is not known is accepted; for a rental only a list that is stale for few days")
    func policies() {
        let rental = RevocationPolicy.rental(staleDays: 2)
        let cases: [(RevocationFinding, age: Bool, rental: Bool)] = [
            (.good(ageSeconds: 5), true, true), (.revoked(.documentRevoked, ageSeconds: 5), false, false),
            (undetermined(.listAbsent, .document), true, false),
            (undetermined(.nothingPublished, .document), true, false),
            (undetermined(.listStale(overdueSeconds: 2 * 86_400), .signer), true, true),
            (undetermined(.listStale(overdueSeconds: 2 * 86_400 + 1), .signer), true, false),
            (undetermined(.trustListOverdue(seconds: 2 * 86_400), .root), true, true),
            (undetermined(.trustListOverdue(seconds: 2 * 86_400 + 1), .root), true, false),
        ]
        for (finding, age, other) in cases {
            #expect(RevocationPolicy.age.accepts(finding) == age)
            #expect(rental.accepts(finding) == other)
        }
    }
}
