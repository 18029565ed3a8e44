import Foundation
import MdocModel
import MdocTrust
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

/// A change that leaves a CRL signed by its root and its entries readable, while another part cannot be read or is missing.
struct PartialFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout TestRevocationList) -> Void

    private init(_ text: String, _ change: @escaping @Sendable (inout TestRevocationList) -> Void) {
        testDescription = text
        self.change = change
    }

    /// A fault of one extension, which has these bytes.
    private static func value(_ oid: ObjectIdentifier, _ value: [UInt8], _ text: String) -> PartialFault {
        PartialFault(text) { list in
            list.extensions.removeAll { $0.oid == oid }
            list.extensions.append(CertificateExtension(oid: oid, isCritical: false, value: value[...]))
        }
    }

    static let all: [PartialFault] = [
        PartialFault("no nextUpdate") { $0.nextUpdate = nil },
        PartialFault("nextUpdate as NULL") { ($0.nextUpdate, $0.furtherFields) = (nil, [5, 0]) },
        PartialFault("nextUpdate as text") { ($0.nextUpdate, $0.furtherFields) = (nil, [0x0c, 1, 0x37]) },
        PartialFault("nextUpdate twice") { $0.furtherFields = [0x17, 13] + Array("261201120000Z".utf8) },
        PartialFault("nextUpdate and an INTEGER") { $0.furtherFields = [2, 1, 7] },
        PartialFault("version 1 with extensions") { $0.version = nil },
        PartialFault("version 1") { list in
            list.version = nil
            list.extensions = []
        },
        PartialFault("version 3") { $0.version = 2 },
        PartialFault("version 1 without nextUpdate") { list in
            list.version = nil
            list.nextUpdate = nil
            list.extensions = []
        },
        value(.issuingDistributionPoint, [0x30, 3, 0x81, 1, 1], "TRUE as 01"),
        value(.issuingDistributionPoint, [0x30, 3, 0x82, 1, 0x7f], "TRUE as 7f"),
        value(.issuingDistributionPoint, [0x30, 2, 0x81, 0], "a flag without a byte"),
        value(.issuingDistributionPoint, [0x04, 1, 7], "a distribution point of another type"),
        value(.issuingDistributionPoint, [0x30, 9, 0x81], "a distribution point that is cut off"),
        value(.crlNumber, [2, 1, 0xff], "a negative number"),
        value(.crlNumber, [2, 2, 0, 7], "a number that is not in its shortest form"),
        value(.crlNumber, [0x0c, 1, 0x37], "a number as text"),
        value(.crlNumber, [], "an empty number"),
        value(.authorityKeyIdentifier, [4, 1, 7], "an authority key identifier of another type"),
        value(.authorityKeyIdentifier, [0x30, 9, 0x80, 1], "an authority key identifier that is cut off"),
        value(.authorityKeyIdentifier, [], "an empty authority key identifier"),
        PartialFault("an extension twice") { $0.extensions.append($0.extensions[1]) },
        PartialFault("an entry that cannot be read") { list in
            let long = TestRevocationList.Entry([UInt8](repeating: 1, count: 65))
            list.entries = [long] + (list.entries ?? [])
        },
    ]
}

@Suite("Lists with parts that cannot be read")
struct PartlyReadableListTests {
    private let day = TestAuthority.day
    private let now = Timestamp(secondsSince1970: TestAuthority.now)

    private func crl(_ list: TestRevocationList, signedBy key: TestKey? = nil) throws -> TrustSource {
        .test(.revocationList, "crl", try list.encoded(signedBy: key))
    }

    private func snapshot(_ lists: SignerWithLists, _ sources: [TrustSource]) -> TrustSnapshot {
        TrustSnapshot([.test(.anchor, "root", lists.authority.der)] + sources)
    }

    @Test(
        "Q241 A CRL that its root signed revokes what can be read of it, and what it does not list is not good",
        arguments: PartialFault.all)
    func admitted(_ fault: PartialFault) throws {
        for isListed in [true, false] {
            var lists = try SignerWithLists()
            var list = TestRevocationList(
                lists.authority, [.init([7]), .init(isListed ? lists.serial : [9], reason: 1)])
            fault.change(&list)
            let source = try crl(list)
            let empty = snapshot(lists, [])
            #expect(try empty.admission(of: source, at: now) == .new)
            let remarks = empty.remarks(on: source, at: now)
            #expect(remarks.map(\.id).contains("trust.crl_incomplete"), "\(remarks)")
            lists.sources = [source]
            #expect(try lists.finding().state == (isListed ? .revoked : .undetermined))
            #expect(!snapshot(lists, [source]).lint(at: now).contains { $0.condition.isFault })
            // Nobody but the root says so.
            let forged = try crl(list, signedBy: TestKey())
            #expect(
                throws: AdmissionRefusal.unusable(
                    .revocationListSignatureInvalid(issuer: "CN=Utopia IACA,C=UT"))
            ) { try empty.admission(of: forged, at: now) }
            lists.sources = [forged]
            #expect(try lists.finding().state == .undetermined)
        }
    }

    @Test("Q241 The same CRL without a fault is complete, and shows who is good")
    func flawless() throws {
        var lists = try SignerWithLists()
        let source = try crl(TestRevocationList(lists.authority, [.init([7]), .init([9], reason: 1)]))
        #expect(snapshot(lists, []).remarks(on: source, at: now) == [])
        lists.sources = [source]
        #expect(try lists.finding() == .good(ageSeconds: day))
    }

    @Test("Q241 A hold in a CRL without nextUpdate ends with a later complete list alone")
    func holdWithoutEnd() throws {
        var lists = try SignerWithLists()
        var list = TestRevocationList(lists.authority, [.init(lists.serial, reason: 6)])
        list.nextUpdate = nil
        lists.sources = [try crl(list)]
        lists.now += 300 * day
        #expect(try lists.finding() == .revoked(.signerOnHold, ageSeconds: 301 * day))
        var later = TestRevocationList(lists.authority)
        later.thisUpdate = lists.now - day
        later.nextUpdate = lists.now + day
        try lists.add(later, name: "later")
        #expect(try lists.finding() == .good(ageSeconds: day))
    }

    /// A snapshot with a complete CRL, number 7, that lists one other certificate.
    private func complete(_ lists: SignerWithLists) throws -> TrustSnapshot {
        snapshot(lists, [try crl(TestRevocationList(lists.authority, [.init([7])]))])
    }

    /// A CRL with this number, and with a fault.
    private func partial(
        _ lists: SignerWithLists, _ serials: [[UInt8]], number: UInt8 = 8, _ fault: PartialFault
    ) throws -> TrustSource {
        var list = TestRevocationList(
            lists.authority, serials.map { .init($0, reason: 1) }, number: [number])
        list.thisUpdate = TestAuthority.now - day + (Int64(number) - 7) * 60
        fault.change(&list)
        return try crl(list)
    }

    /// The finding by the lists of a snapshot.
    private func finding(_ lists: SignerWithLists, _ snapshot: TrustSnapshot) throws -> RevocationFinding {
        var lists = lists
        lists.sources = snapshot.sources.filter { $0.kind != .anchor }
        return try lists.finding()
    }

    @Test(
        "Q240 A newer CRL with an unreadable part is kept beside the complete CRL: both revoke, only the complete one shows that a document is good",
        arguments: PartialFault.all)
    func besideComplete(_ fault: PartialFault) throws {
        for isListed in [true, false] {
            let lists = try SignerWithLists()
            let before = try complete(lists)
            #expect(try finding(lists, before).state == .good)
            let newer = try partial(lists, [isListed ? lists.serial : [9]], fault)
            #expect(try before.admission(of: newer, at: now) == .new)
            let both = before.replacing(newer)
            #expect(both.sources.count == 3)
            #expect(try finding(lists, both).state == (isListed ? .revoked : .good))
            #expect(both.source(newer.identity)?.sha256 == newer.sha256)
            #expect(try both.admission(of: newer, at: now) == .unchanged)
        }
    }

    @Test("Q240 Incomplete lists stay side by side until a newer complete list replaces them")
    func successors() throws {
        let lists = try SignerWithLists()
        let fault = try #require(PartialFault.all.first { $0.testDescription == "TRUE as 01" })
        var trusted = try complete(lists)
        for number: UInt8 in 9...12 {
            let newer = try partial(lists, [lists.serial], number: number, fault)
            #expect(try trusted.admission(of: newer, at: now) == .new)
            trusted = trusted.replacing(newer)
            #expect(trusted.sources.count == Int(number) - 6)
            #expect(try trusted.admission(of: newer, at: now) == .unchanged)
        }
        #expect(try finding(lists, trusted).state == .revoked)
        // Older than an incomplete list is no reason to leave a list out; older than the complete one is.
        #expect(try trusted.admission(of: partial(lists, [], number: 11, fault), at: now) == .new)
        let error = #expect(throws: AdmissionRefusal.self) {
            try trusted.admission(of: partial(lists, [], number: 6, fault), at: now)
        }
        #expect(error?.id == "trust.older")
        // Later than the complete list and the first of the others, of the time of the second: it takes the place of two.
        var list = TestRevocationList(lists.authority, [.init([7])], number: [10])
        list.thisUpdate = TestAuthority.now - day + 180
        #expect(try trusted.admission(of: crl(list), at: now) == .renewed)
        let between = trusted.replacing(try crl(list))
        #expect(between.sources.count == 5)
        #expect(try finding(lists, between).state == .revoked)
        list = TestRevocationList(lists.authority, [.init([7])], number: [13])
        list.thisUpdate = TestAuthority.now - 60
        #expect(try trusted.admission(of: crl(list), at: now) == .renewed)
        let after = trusted.replacing(try crl(list))
        #expect(after.sources.count == 2)
        #expect(try finding(lists, after) == .good(ageSeconds: 60))
    }

    @Test("Q240 In whichever order a complete list and a newer incomplete one come, both are kept")
    func otherOrder() throws {
        let lists = try SignerWithLists()
        let newer = try partial(lists, [lists.serial], PartialFault.all[0])
        let alone = snapshot(lists, [newer])
        let older = try crl(TestRevocationList(lists.authority, [.init([7])]))
        #expect(try alone.admission(of: older, at: now) == .new)
        #expect(alone.replacing(older).id == snapshot(lists, [older]).replacing(newer).id)
        // Of another name, a list is another list.
        let named = TrustSource.test(.revocationList, "other", Array(older.bytes))
        #expect(alone.replacing(named).sources.count == 3)
    }

    @Test("Q240 An incomplete list of which little can be read is let in beside a long one")
    func short() throws {
        let lists = try SignerWithLists()
        let entries = (0..<20).map { TestRevocationList.Entry([0x43, UInt8($0)]) }
        let before = snapshot(lists, [try crl(TestRevocationList(lists.authority, entries))])
        let newer = try partial(lists, [lists.serial], PartialFault.all[0])
        #expect(try before.admission(of: newer, at: now) == .new)
        #expect(try finding(lists, before.replacing(newer)).state == .revoked)
        // A complete list that lost as much is refused as before, and replaces nothing.
        var lost = TestRevocationList(lists.authority, [.init(lists.serial)], number: [9])
        lost.thisUpdate = TestAuthority.now
        #expect(throws: AdmissionRefusal.shrunken(from: 20, to: 1)) {
            try before.admission(of: crl(lost), at: now)
        }
    }

    @Test(
        "Q240 A bundle of both lists is opened as it was made, and one with less than the store has is refused"
    )
    func bundles() throws {
        let lists = try SignerWithLists()
        let before = try complete(lists)
        let both = before.replacing(try partial(lists, [lists.serial], PartialFault.all[0]))
        let key = try PrivateKey.generate(.p256)
        let bundle = try TrustBundle.export(both, created: now, signedWith: key)
        let opened = try TrustBundle(
            bundle[...], signedBy: key.publicKey(), notOlderThan: nil, at: now
        ).snapshot
        #expect(opened.id == both.id && opened.sources.count == 3)
        #expect(try finding(lists, opened).state == .revoked)
        func refusal(of snapshot: TrustSnapshot, after present: TrustSnapshot) -> String? {
            for source in snapshot.sources {
                do throws(AdmissionRefusal) {
                    try present.requireNothingLost(by: source, in: snapshot)
                } catch {
                    return error.id
                }
            }
            return nil
        }
        let incomplete = both.removing(before.sources[1].identity)
        #expect(incomplete.sources.count == 2)
        #expect(refusal(of: both, after: both) == nil)
        #expect(refusal(of: both, after: before) == nil)
        #expect(refusal(of: before, after: both) == "trust.older")
        #expect(refusal(of: incomplete, after: before) == "trust.crl_incomplete")
        var later = TestRevocationList(lists.authority, [.init([7])], number: [9])
        later.thisUpdate = TestAuthority.now
        #expect(refusal(of: snapshot(lists, [try crl(later)]), after: both) == nil)
        // Whoever takes the whole list out of the bundle says so.
        #expect(refusal(of: snapshot(lists, []), after: both) == nil)
    }

    /// An identifier list that names these, with an entry that cannot be read or without.
    private func identifiers(
        _ lists: SignerWithLists, _ identifiers: [[UInt8]], secondsAgo: Int64, isComplete: Bool
    ) throws -> (token: TestStatusToken, source: TrustSource) {
        var token = try TestStatusToken(.identifierList, authority: lists.authority)
        token.identifiers = identifiers
        token.issued = TestAuthority.now - secondsAgo
        if !isComplete { token.moreIdentifiers = [Encoded.text("dd")] }
        return (token, .test(.identifierList, TestStatusToken.uri, try token.encoded()))
    }

    @Test("Q240 A newer identifier list with an unreadable entry is kept beside the complete list")
    func identifierLists() throws {
        var lists = try SignerWithLists()
        let (token, older) = try identifiers(lists, [[1]], secondsAgo: 3600, isComplete: true)
        let (_, newer) = try identifiers(lists, [[1], [0xcc]], secondsAgo: 600, isComplete: false)
        let own = try crl(TestRevocationList(lists.authority))
        let before = snapshot(lists, [own, older])
        func state(_ identifier: UInt8, _ snapshot: TrustSnapshot) throws -> RevocationFinding.State {
            try lists.point(token.reference(identifier: [identifier]))
            return try finding(lists, snapshot).state
        }
        #expect(try state(0xcc, before) == .good)
        #expect(try before.admission(of: newer, at: now) == .new)
        #expect(before.remarks(on: newer, at: now) == [.statusListIncomplete(.identifierUnreadable)])
        let both = before.replacing(newer)
        #expect(try both.sources.count == 4 && state(1, both) == .revoked)
        #expect(try state(0xcc, both) == .revoked)
        #expect(try state(0xdd, both) == .good)
        #expect(try state(0xdd, snapshot(lists, [own, newer])) == .undetermined)
        let (_, oldest) = try identifiers(lists, [], secondsAgo: 4000, isComplete: false)
        let error = #expect(throws: AdmissionRefusal.self) { try both.admission(of: oldest, at: now) }
        #expect(error?.id == "trust.older")
        let (_, last) = try identifiers(lists, [[1]], secondsAgo: 0, isComplete: true)
        #expect(try both.admission(of: last, at: now) == .renewed)
        #expect(try both.replacing(last).sources.count == 3 && state(0xcc, both.replacing(last)) == .good)
    }

    @Test("Q240 Beside a complete identifier list that is overdue the incomplete one shows nobody to be good")
    func overdue() throws {
        var lists = try SignerWithLists()
        let (token, _) = try identifiers(lists, [[1]], secondsAgo: 3600, isComplete: true)
        var stale = token
        stale.expires = TestAuthority.now - 1
        let (_, newer) = try identifiers(lists, [[0xcc]], secondsAgo: 600, isComplete: false)
        lists.sources = [
            try crl(TestRevocationList(lists.authority)), newer,
            .test(.identifierList, TestStatusToken.uri, try stale.encoded()),
        ]
        for (identifier, state) in [(0xcc, RevocationFinding.State.revoked), (0xdd, .undetermined)]
            as [(UInt8, RevocationFinding.State)]
        {
            try lists.point(token.reference(identifier: [identifier]))
            #expect(try lists.finding().state == state)
        }
    }
}
