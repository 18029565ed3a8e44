internal import PKIX
import CBOR
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing

/// What may be tried so that a revoked document counts as good, or a good one as revoked.
@Suite("Attacks on revocation")
struct StatusAttackTests {
    private let day = TestAuthority.day

    /// A document of `authority` whose MSO points to a place of the status list.
    private struct Case {
        let authority: TestAuthority
        let signer: [UInt8]
        var sources: [TrustSource]
        var index: UInt64 = 1
        var certificate: [UInt8]?

        init(_ authority: TestAuthority? = nil) throws {
            let authority = try authority ?? TestAuthority()
            self.authority = authority
            signer = try authority.sign(authority.signer(for: TestKey()))
            sources = [
                .test(.anchor, "root", authority.der),
                .test(.revocationList, "crl", try TestRevocationList(authority).encoded()),
            ]
        }

        mutating func add(_ token: TestStatusToken) throws {
            sources.append(.test(.statusList, TestStatusToken.uri, try token.encoded()))
        }

        func store() -> TrustStore { TrustStore(TrustSnapshot(sources)) }

        func finding(
            in store: TrustStore? = nil, at seconds: Int64 = TestAuthority.now
        ) throws -> RevocationFinding {
            let store = store ?? self.store()
            let now = Timestamp(secondsSince1970: seconds)
            let reference = try TestStatusToken(authority: authority)
                .reference(index: index, certificate: certificate)
            let item = try CBORItem.parse(reference[...])
            let proof = try store.verify(
                store.issuerCertificate(der: signer[...]), for: TestDocument.mDL, at: now)
            return store.revocation(
                of: proof, status: Result { () throws(CBORError) in try DocumentStatus(item) }, at: now,
                clockSkew: 60)
        }
    }

    private func undetermined(
        _ cause: UndeterminedCause, age: Int64? = nil
    ) -> RevocationFinding {
        .undetermined(cause, about: .document, ageSeconds: age)
    }

    @Test("Q183 A policy that bears a stale list is shown the worse of two: an absent one, or the staler")
    func worse() throws {
        var one = try Case()
        var token = try TestStatusToken(authority: one.authority)
        token.expires = TestAuthority.now - day
        try one.add(token)
        let rental = RevocationPolicy.rental(staleDays: 2)
        #expect(rental.accepts(try one.finding()))

        var list = TestRevocationList(one.authority)
        list.nextUpdate = TestAuthority.now - 100 * day
        list.thisUpdate = TestAuthority.now - 130 * day
        one.sources[1] = .test(.revocationList, "crl", try list.encoded())
        let staler = RevocationFinding.undetermined(
            .listStale(overdueSeconds: 100 * day), about: .signer, ageSeconds: 130 * day)
        #expect(try one.finding() == staler)
        #expect(!rental.accepts(try one.finding()))

        one.sources.remove(at: 1)
        #expect(try one.finding() == .undetermined(.listAbsent, about: .signer, ageSeconds: nil))
        #expect(!rental.accepts(try one.finding()))
        #expect(RevocationPolicy.age.accepts(try one.finding()))
    }

    @Test(
        "A root with the same name that is trusted for other document types cannot sign a list for this type"
    )
    func sameNameOtherDocuments() throws {
        var one = try Case()
        let rekeyed = try TestAuthority()
        try one.add(TestStatusToken(authority: rekeyed))
        #expect(try one.finding() == undetermined(.listSignerWrong))
        let provider = try TestAuthority([(.commonName, "Provider")])
        for (docType, expected) in [
            ("org.example.other", undetermined(.listSignerWrong)),
            (TestDocument.mDL, .good(ageSeconds: day)),
        ] {
            var listed = one
            let list = try TestVICAL([.init(rekeyed.der, for: [docType])], provider: provider)
            listed.sources += [
                .test(.provider, "p", provider.der), .test(.vical, "list", try list.encoded()),
            ]
            #expect(try listed.finding() == expected, "\(docType)")
        }
    }

    @Test("A list whose signer is revoked, or held back, says nothing, neither good nor revoked")
    func revokedSigner() throws {
        for (reason, index) in [(1, 1), (6, 1), (1, 0)] as [(UInt8, UInt64)] {
            var one = try Case()
            one.index = index
            let token = try TestStatusToken(authority: one.authority) {
                var copy = $0
                copy.serialNumber = [0x77, 1, 2, 3, 4, 5, 6, 7, 8]
                return copy
            }
            try one.add(token)
            #expect(try one.finding().state == (index == 0 ? .revoked : .good))
            let entry = TestRevocationList.Entry([0x77, 1, 2, 3, 4, 5, 6, 7, 8], reason: reason)
            let crl = try TestRevocationList(one.authority, [entry], number: [8]).encoded()
            one.sources[1] = .test(.revocationList, "crl", crl)
            #expect(try one.finding() == undetermined(.listSignerInvalid, age: 3600))
        }
    }

    @Test("A revocation outlasts its signer's certificate, asked first or again; nothing else does")
    func expiredSigner() throws {
        let end = TestAuthority.now + 3600
        for (index, expected) in [
            (0, RevocationFinding.revoked(.documentRevoked, ageSeconds: 3600 + 3601)),
            (1, undetermined(.listSignerInvalid, age: 3600 + 3601)),
        ] as [(UInt64, RevocationFinding)] {
            var one = try Case()
            one.index = index
            try one.add(
                TestStatusToken(authority: one.authority) {
                    var copy = $0
                    copy.notAfter = end
                    return copy
                })
            let store = one.store()
            #expect(try one.finding(in: store).state != .undetermined)
            #expect(try one.finding(in: store, at: end + 1) == expected)
            #expect(try one.finding(at: end + 1) == expected)
        }
    }

    @Test("The root of the signer has to be valid too, also when the list was believed before")
    func expiredRoot() throws {
        let end = TestAuthority.now + 3600
        var one = try Case()
        let lists = try TestAuthority([(.commonName, "Lists")], notAfter: end)
        one.certificate = lists.der
        try one.add(TestStatusToken(authority: lists))
        let store = one.store()
        #expect(try one.finding(in: store) == .good(ageSeconds: day))
        #expect(try one.finding(in: store, at: end) == .good(ageSeconds: day + 3600))
        #expect(
            try one.finding(in: store, at: end + 1) == undetermined(.listSignerInvalid, age: 3600 + 3601))
    }

    @Test("An MSO that names the root itself, and one that names nothing, are each answered for themselves")
    func namedRoot() throws {
        let (old, new) = (try TestAuthority(), try TestAuthority())
        var one = try Case(old)
        one.sources.append(.test(.anchor, "new", new.der))
        try one.add(TestStatusToken(authority: new))
        let store = one.store()
        one.certificate = old.der
        #expect(try one.finding(in: store) == undetermined(.listSignerWrong))
        one.certificate = nil
        #expect(try one.finding(in: store) == .good(ageSeconds: day))
    }

    @Test("A CRL from the future takes nothing away from the one that counts today")
    func futureList() throws {
        var one = try Case()
        try one.add(TestStatusToken(authority: one.authority))
        var future = TestRevocationList(one.authority, number: [9])
        future.thisUpdate = TestAuthority.now + 61
        one.sources.append(.test(.revocationList, "future", try future.encoded()))
        #expect(try one.finding() == .good(ageSeconds: day))
        #expect(try one.finding(at: TestAuthority.now + 61).state == .good)
        one.sources.remove(at: 1)
        #expect(
            try one.finding() == .undetermined(.listNotYetValid, about: .signer, ageSeconds: nil))
    }

    @Test("A signer listed twice is revoked for good if one entry says so, in either order")
    func listedTwice() throws {
        let serial: [UInt8] = [0x42, 1, 2, 3, 4, 5, 6, 7, 8]
        for reasons in [[6, 1], [1, 6], [6, 6, 4]] as [[UInt8]] {
            var one = try Case()
            try one.add(TestStatusToken(authority: one.authority))
            let list = TestRevocationList(one.authority, reasons.map { .init(serial, reason: $0) })
            one.sources[1] = .test(.revocationList, "crl", try list.encoded())
            #expect(try one.finding() == .revoked(.signerRevoked, ageSeconds: day))
        }
    }

    @Test("Q200 A list that decompresses to 64 MiB is stopped at the limit, and revokes no document")
    func bomb() throws {
        var one = try Case()
        var token = try TestStatusToken(authority: one.authority)
        token.compressed = Deflated.zeros(1 << 26)
        #expect(token.compressed.count < 1 << 20)
        let parsed = try StatusToken(token.encoded()[...])
        #expect(throws: StatusTokenError.listTooLong) { try parsed.statusList() }
        try one.add(token)
        #expect(try one.finding() == undetermined(.listMalformed))
        token.compressed = Deflated.zeros(StatusList.maximumSize)
        let whole = try StatusToken(token.encoded()[...]).statusList()
        #expect(whole.count == StatusList.maximumSize * 8)
        #expect(whole[UInt64(whole.count) - 1] == .valid)
    }
}

/// zlib streams of nothing but zeros (RFC 1950, RFC 1951), put together from the longest copies there are.
private enum Deflated {
    static func zeros(_ count: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.write(0b011, 3)  // the last block, fixed codes
        bits.write(0b0000_1100, 8)  // literal 0, code 00110000
        for _ in 0..<(count - 1) / 258 {
            bits.write(0b1010_0011, 8)  // length 258, code 11000101
            bits.write(0, 5)  // distance 1
        }
        for _ in 0..<(count - 1) % 258 { bits.write(0b0000_1100, 8) }
        bits.write(0, 7)  // the end
        let checksum = UInt32(count % 65_521) << 16 | 1
        return [0x78, 0xda] + bits.finished
            + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
    }

    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var rest: UInt64 = 0
        private var count: UInt64 = 0

        mutating func write(_ value: UInt64, _ width: UInt64) {
            rest |= value << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: rest))
                rest >>= 8
                count -= 8
            }
        }

        var finished: [UInt8] { count == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: rest)] }
    }
}
