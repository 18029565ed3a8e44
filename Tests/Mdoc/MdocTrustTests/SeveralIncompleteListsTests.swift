import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

/// Lists with gaps beside each other, and lists of one time: none hides what another revokes.
@Suite("Several incomplete lists of one name and issuer")
struct SeveralIncompleteListsTests {
    private let day = TestAuthority.day
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private static let delta = CertificateExtension(.deltaCRLIndicator, isCritical: true) {
        $0.writeInteger(unsigned: [6])
    }

    private func root(_ lists: SignerWithLists) -> TrustSource { .test(.anchor, "root", lists.authority.der) }

    /// A CRL of a number, with a time that goes with it, and with a change.
    private func crl(
        _ lists: SignerWithLists, _ entries: [TestRevocationList.Entry], number: UInt8,
        _ change: (inout TestRevocationList) -> Void = { _ in }
    ) throws -> TrustSource {
        var list = TestRevocationList(lists.authority, entries, number: [number])
        list.thisUpdate = TestAuthority.now - day + Int64(number) * 60
        change(&list)
        return .test(.revocationList, "crl", try list.encoded())
    }

    private func state(_ lists: SignerWithLists, _ snapshot: TrustSnapshot) throws -> RevocationFinding.State
    {
        var lists = lists
        lists.sources = snapshot.sources.filter { $0.kind != .anchor }
        return try lists.finding().state
    }

    /// Admits sources one after the other.
    private func admit(_ sources: [TrustSource], to snapshot: TrustSnapshot) throws -> TrustSnapshot {
        var snapshot = snapshot
        for source in sources {
            #expect(try snapshot.admission(of: source, at: now) == .new)
            snapshot = snapshot.replacing(source)
        }
        return snapshot
    }

    @Test("Q240 A CRL with gaps does not take away what an earlier one of its kind revokes")
    func partitions() throws {
        let faults: [(inout TestRevocationList) -> Void] = [
            { $0.extensions.append(.issuingDistributionPoint(flags: [3])) },
            { $0.extensions.append(Self.delta) },
            { $0.nextUpdate = nil },
        ]
        for fault in faults {
            let lists = try SignerWithLists()
            let first = try crl(lists, [.init(lists.serial, reason: 1)], number: 8, fault)
            let second = try crl(lists, [.init([9], reason: 4)], number: 9, fault)
            let full = try crl(lists, [.init([7])], number: 5)
            for others in [[], [full]] {
                let start = TrustSnapshot([root(lists)] + others)
                let both = try admit([first, second], to: start)
                #expect(try both.sources.count == 3 + others.count && state(lists, both) == .revoked)
                #expect(try admit([second, first], to: start).id == both.id)
                #expect(TrustSnapshot(both.sources.reversed()).id == both.id)
                for source in [first, second] {
                    #expect(try both.admission(of: source, at: now) == .unchanged)
                }
                let last = both.replacing(try crl(lists, [.init([7])], number: 10))
                #expect(try last.sources.count == 2 && state(lists, last) == .good)
            }
        }
    }

    @Test(
        "Q240 Of more than sixteen incomplete lists the oldest goes whose entries another has, or the new one is refused"
    )
    func bound() throws {
        let lists = try SignerWithLists()
        func incomplete(_ serials: [[UInt8]], number: UInt8) throws -> TrustSource {
            try crl(lists, serials.map { .init($0, reason: 1) }, number: number) { $0.nextUpdate = nil }
        }
        let sixteen = try (1...16).map { try incomplete([[UInt8($0)]], number: UInt8($0)) }
        let full = try admit(sixteen, to: TrustSnapshot([root(lists)]))
        #expect(full.sources.count == 17)
        for number: UInt8 in [0, 20] {
            #expect(throws: AdmissionRefusal.tooManyIncomplete(16)) {
                try full.admission(of: incomplete([lists.serial], number: number), at: now)
            }
        }
        let same = try incomplete([[5], [4], lists.serial], number: 20)
        let after = try admit([same], to: full)
        #expect(after.sources.count == 17)
        #expect(after.source(sixteen[3].identity) == nil && after.source(sixteen[4].identity) != nil)
        #expect(try state(lists, after) == .revoked)
        #expect(TrustSnapshot((full.sources + [same]).reversed()).id == after.id)
        // An entry that is a hold there is not what an entry for good is.
        let hold = try crl(lists, [.init([5], reason: 6)], number: 20) { $0.nextUpdate = nil }
        let refusal = #expect(throws: AdmissionRefusal.tooManyIncomplete(16)) {
            try full.admission(of: hold, at: now)
        }
        #expect(refusal?.id == "trust.too_many_incomplete")
        let complete = try crl(lists, (1...16).map { .init([$0]) }, number: 21)
        #expect(try full.admission(of: complete, at: now) == .new)
        #expect(full.replacing(complete).sources.count == 2)
    }

    @Test("Q240 A complete list for fewer certificates replaces an incomplete one only if it lists the same")
    func scopes() throws {
        let lists = try SignerWithLists()
        let authorities = try crl(lists, [.init(lists.serial, reason: 2)], number: 5) {
            $0.extensions.append(.issuingDistributionPoint(flags: [2]))
        }
        func users(_ serials: [[UInt8]]) throws -> TrustSource {
            try crl(lists, serials.map { .init($0, reason: 1) }, number: 6) {
                $0.extensions.append(.issuingDistributionPoint(flags: [1]))
            }
        }
        let start = TrustSnapshot([root(lists)])
        let other = try users([[9]])
        let both = try admit([authorities, other], to: start)
        #expect(try both.sources.count == 3 && state(lists, both) == .revoked)
        #expect(try admit([other, authorities], to: start).id == both.id)
        #expect(try admit([authorities, users([[9], lists.serial])], to: start).sources.count == 2)
        let whole = try crl(lists, [.init([9])], number: 6)
        #expect(try admit([authorities, whole], to: start).sources.count == 2)
        let damaged = try crl(lists, [.init(lists.serial, reason: 6)], number: 5) {
            $0.extensions.append(.issuingDistributionPoint(flags: [1]))
            $0.nextUpdate = nil
        }
        let after = try admit([damaged, users([[9]])], to: start)
        #expect(try after.sources.count == 2 && state(lists, after) == .good)
    }

    @Test("Q240 A hold of an incomplete CRL counts unless the complete one is a later issue")
    func holds() throws {
        let lists = try SignerWithLists()
        for (number, seconds, isOnHold) in [
            (8, 0, true), (7, 0, true), (8, -60, true), (6, -60, false), (7, -60, false), (8, 60, true),
        ] as [(UInt8, Int64, Bool)] {
            var time: Int64 = 0
            let complete = try crl(lists, [.init([9])], number: 7) { time = $0.thisUpdate }
            let hold = try crl(lists, [.init(lists.serial, reason: 6)], number: number) {
                $0.thisUpdate = time + seconds
                $0.extensions.append(Self.delta)
            }
            for sources in [[complete, hold], [hold, complete]] {
                let found = try state(lists, TrustSnapshot([root(lists)] + sources))
                #expect(found == (isOnHold ? .revoked : .good), "\(number) \(seconds)")
            }
        }
    }

    @Test("Q240 Of identifier lists of one time any revokes, and the complete one shows who is good")
    func identifierLists() throws {
        var lists = try SignerWithLists()
        var token = try TestStatusToken(.identifierList, authority: lists.authority)
        func list(_ identifiers: [[UInt8]], gaps: [String] = []) throws -> TrustSource {
            token.identifiers = identifiers
            token.moreIdentifiers = gaps.map(Encoded.text)
            return .test(.identifierList, TestStatusToken.uri, try token.encoded())
        }
        let own = TrustSource.test(
            .revocationList, "crl", try TestRevocationList(lists.authority).encoded())
        let start = TrustSnapshot([root(lists), own])
        let sources = try [list([[1]]), list([[0xaa]], gaps: ["a"]), list([[0xbb]], gaps: ["b"])]
        for sources in [sources, sources.reversed()] {
            let all = try admit(sources, to: start)
            #expect(all.sources.count == 5)
            for (identifier, expected) in [
                (1, .revoked), (0xaa, .revoked), (0xbb, .revoked), (0xcc, .good),
            ] as [(UInt8, RevocationFinding.State)] {
                try lists.point(token.reference(identifier: [identifier]))
                #expect(try state(lists, all) == expected, "\(identifier)")
            }
        }
        token.issued = TestAuthority.now - 60
        let last = try admit(sources, to: start).replacing(list([[1]]))
        #expect(last.sources.count == 3)
    }

    @Test("Q240 A bundle keeps each incomplete list, unless it has a later complete one")
    func bundles() throws {
        let lists = try SignerWithLists()
        func incomplete(_ serials: [[UInt8]], number: UInt8) throws -> TrustSource {
            try crl(lists, serials.map { .init($0, reason: 1) }, number: number) { $0.nextUpdate = nil }
        }
        let (one, two) = try (incomplete([lists.serial], number: 8), incomplete([[9]], number: 9))
        let complete = try crl(lists, [.init([7])], number: 7)
        func refusal(of sources: [TrustSource], after present: [TrustSource]) -> String? {
            let (before, after) = (
                TrustSnapshot([root(lists)] + present), TrustSnapshot([root(lists)] + sources)
            )
            for source in after.sources {
                do throws(AdmissionRefusal) {
                    try before.requireNothingLost(by: source, in: after)
                } catch {
                    return error.id
                }
            }
            return nil
        }
        #expect(refusal(of: [one, two], after: [one, two]) == nil)
        #expect(refusal(of: [two], after: [one, two]) == "trust.crl_incomplete")
        #expect(refusal(of: [complete, two], after: [complete, one, two]) == "trust.older")
        #expect(refusal(of: [complete, one, two], after: [one]) == nil)
        #expect(try refusal(of: [incomplete([lists.serial, [9]], number: 10)], after: [one, two]) == nil)
        // Of the number and the time of the incomplete list: which of them is later is not known.
        #expect(try refusal(of: [crl(lists, [.init([7])], number: 8)], after: [one]) == "trust.older")
        #expect(try refusal(of: [crl(lists, [.init([7])], number: 9)], after: [one]) == nil)
        #expect(refusal(of: [], after: [one, two]) == nil)
    }
}
