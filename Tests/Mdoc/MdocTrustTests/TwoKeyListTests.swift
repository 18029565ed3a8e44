import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

/// A root that was re-keyed under its name: each of its keys signs CRLs, which are known by one address.
@Suite("CRLs of two keys of one root's name")
struct TwoKeyListTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let lists: SignerWithLists
    private let second: TestAuthority

    init() throws {
        lists = try SignerWithLists()
        second = try TestAuthority()
    }

    private var roots: [TrustSource] {
        [.test(.anchor, "root", lists.authority.der), .test(.anchor, "re-keyed", second.der)]
    }

    /// A CRL of a number, with a time that goes with it, and with a change.
    private func crl(
        _ authority: TestAuthority, _ entries: [TestRevocationList.Entry], number: UInt8,
        _ change: (inout TestRevocationList) -> Void = { _ in }
    ) throws -> TrustSource {
        var list = TestRevocationList(authority, entries, number: [number])
        list.thisUpdate = TestAuthority.now - TestAuthority.day + Int64(number) * 60
        change(&list)
        return .test(.revocationList, "crl", try list.encoded())
    }

    private func issue(_ number: UInt8) -> ListIssueName {
        ListIssueName(
            number: "\(number)",
            date: Timestamp(secondsSince1970: TestAuthority.now - TestAuthority.day + Int64(number) * 60))
    }

    private func withoutKey(_ list: inout TestRevocationList) {
        list.extensions.removeAll { $0.oid == .authorityKeyIdentifier }
    }

    private func state(_ snapshot: TrustSnapshot) throws -> RevocationFinding.State {
        var lists = lists
        lists.sources = snapshot.sources.filter { $0.kind == .revocationList }
        return try lists.finding().state
    }

    private func replaceAll(_ present: [TrustSource], by next: [TrustSource]) -> TrustChange {
        var change = TrustChange(from: TrustSnapshot(roots + present), by: TrustRules(now: now))
        change.replaceAll(by: TrustSnapshot(roots + next))
        return change
    }

    /// The id of the refusal of a bundle with these lists; nil if it replaces the present ones.
    private func refusal(of next: [TrustSource], after present: [TrustSource]) -> String? {
        let change = replaceAll(present, by: next)
        for outcome in change.outcomes {
            if case .refused(let refusal) = outcome.result { return refusal.id }
        }
        return nil
    }

    @Test(
        "Q234 CRLs that two keys of one root's name signed stand side by side, and each is renewed by its own key's",
        arguments: [true, false])
    func sideBySide(_ isSecondFirst: Bool) throws {
        // The one that revokes has more entries, and is the older one: as an issue of the other it would be refused.
        let revoking = try crl(lists.authority, [.init(lists.serial, reason: 1), .init([9])], number: 5)
        let other = try crl(second, [.init([7])], number: 8)
        var snapshot = TrustSnapshot(roots)
        for source in isSecondFirst ? [other, revoking] : [revoking, other] {
            #expect(try snapshot.admission(of: source, at: now) == .new)
            snapshot = snapshot.replacing(source)
        }
        #expect(try snapshot.sources.count == 4 && state(snapshot) == .revoked)
        let next = try crl(second, [.init([7])], number: 9)
        #expect(try snapshot.admission(of: next, at: now) == .renewed)
        #expect(throws: AdmissionRefusal.older(issue(7), than: issue(8))) {
            try snapshot.admission(of: crl(second, [.init([7])], number: 7), at: now)
        }
        snapshot = snapshot.replacing(next)
        #expect(snapshot.source(other.identity) == next && snapshot.source(revoking.identity) == revoking)
        #expect(try state(snapshot) == .revoked)
        let later = try crl(lists.authority, [.init(lists.serial, reason: 1), .init([9])], number: 6)
        #expect(try snapshot.admission(of: later, at: now) == .renewed)
        // The good news of one key's list is none about the other key's certificates.
        #expect(try state(snapshot.removing(revoking.identity)) == .undetermined)
    }

    @Test("A bundle without the list of one of the keys is taken, and names that list as forgotten")
    func forgotten() throws {
        let (first, other) = (
            try crl(lists.authority, [.init([9])], number: 8), try crl(second, [.init([7])], number: 5)
        )
        #expect(replaceAll([first], by: [first, other]).forgottenLists == [])
        #expect(replaceAll([first, other], by: [other]).forgottenLists == [first.identity])
        #expect(replaceAll([first], by: [other]).forgottenLists == [first.identity])
    }

    @Test("A CRL that names no key may be any key's: a bundle with it takes no newer or readable list away")
    func withoutKeyIdentifier() throws {
        let present = try crl(lists.authority, [.init([9])], number: 8)
        let older = try crl(lists.authority, [.init([9])], number: 7, withoutKey)
        let newer = try crl(lists.authority, [.init([9])], number: 9, withoutKey)
        let short = try crl(lists.authority, [], number: 9, withoutKey)
        let incomplete = try crl(lists.authority, [.init([9])], number: 9) {
            withoutKey(&$0)
            $0.nextUpdate = nil
        }
        let cut = TrustSource.test(.revocationList, "crl", Array(present.bytes.dropLast(9)))
        #expect(refusal(of: [older], after: [present]) == "trust.older")
        #expect(refusal(of: [short], after: [present]) == "trust.shrunken")
        #expect(refusal(of: [incomplete], after: [present]) == "trust.crl_incomplete")
        #expect(refusal(of: [cut], after: [present]) == "trust.crl_unreadable")
        // Beside it each of them is of no harm.
        #expect(refusal(of: [present, older], after: [present]) == nil)
        #expect(refusal(of: [present, incomplete], after: [present]) == nil)
        let renewed = replaceAll([present], by: [newer])
        #expect(!renewed.isRefused && renewed.forgottenLists == [])
        #expect(refusal(of: [present], after: [newer]) == "trust.older")
    }

    @Test("An incomplete CRL that names no key stays until each of the keys has a later complete list")
    func incompleteWithoutKey() throws {
        let incomplete = try crl(lists.authority, [.init(lists.serial, reason: 1)], number: 8) {
            withoutKey(&$0)
            $0.nextUpdate = nil
        }
        let (first, other) = (
            try crl(lists.authority, [.init([9])], number: 5), try crl(second, [.init([7])], number: 9)
        )
        let snapshot = TrustSnapshot(roots + [first, other, incomplete])
        #expect(try snapshot.sources.count == 5 && state(snapshot) == .revoked)
        // Complete lists come first, as in stores from before keys were compared: the id of a snapshot follows from the order.
        #expect(first.identity < incomplete.identity && other.identity < incomplete.identity)
        let next = try crl(lists.authority, [.init([9])], number: 9)
        #expect(try snapshot.admission(of: next, at: now) == .renewed)
        let last = snapshot.replacing(next)
        #expect(try last.source(incomplete.identity) == nil && state(last) == .good)
        #expect(throws: AdmissionRefusal.older(issue(8), than: issue(9))) {
            try last.admission(of: incomplete, at: now)
        }
    }
}
