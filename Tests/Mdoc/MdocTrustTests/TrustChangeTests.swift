import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

@Suite("Changes of trust")
struct TrustChangeTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let iaca: TestAuthority
    private let provider: TestAuthority

    init() throws {
        iaca = try TestAuthority()
        provider = try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
    }

    private var root: TrustSource { .test(.anchor, "root", iaca.der) }
    private var pinned: TrustSource { .test(.provider, "provider", provider.der) }

    private func vical(issue: UInt64 = 7, signedBy key: TestKey? = nil) throws -> TrustSource {
        var list = try TestVICAL([.init(iaca.der)], provider: provider)
        list.issueID = issue
        return .test(.vical, "list", try list.encoded(signedBy: key))
    }

    private func crl(_ number: UInt8, entries: Int = 10) throws -> TrustSource {
        let list = TestRevocationList(iaca, (0..<entries).map { .init([UInt8($0) + 1]) }, number: [number])
        return .test(.revocationList, "crl", try list.encoded())
    }

    private func change(from sources: [TrustSource], acceptsShrunken: Bool = false) -> TrustChange {
        TrustChange(
            from: TrustSnapshot(sources), by: TrustRules(now: now, acceptsShrunken: acceptsShrunken))
    }

    /// The outcomes in short.
    private func words(_ change: TrustChange) -> [String] {
        change.outcomes.map { outcome in
            switch outcome.result {
            case .admitted(let proof): "\(outcome.source.kind.rawValue) \(proof.admission)"
            case .refused(let refusal): "\(outcome.source.kind.rawValue) \(refusal.id)"
            case .removed: "\(outcome.source.kind.rawValue) removed"
            }
        }
    }

    @Test(
        "Sources are let in in the order in which they sign each other; one that is refused hinders no other")
    func admit() throws {
        var change = TrustChange(from: nil, by: TrustRules(now: now))
        let (list, forged) = (try vical(), try vical(issue: 8, signedBy: TestKey()))
        change.admit([try crl(7), list, forged, pinned, root])
        #expect(
            words(change) == [
                "anchor new", "provider new", "vical new", "vical trust.vical_refused",
                "revocation_list new",
            ])
        #expect(change.isRefused && change.firstRefused == forged)
        #expect(change.snapshot.source(list.identity)?.sha256 == list.sha256)
        #expect(change.before.sources.isEmpty)
        guard case .admitted(let proof) = change.outcomes[2].result else {
            Issue.record("the list is not let in")
            return
        }
        #expect(proof.list?.entries.map { Array($0.certificate.der) } == [iaca.der])
        change.remove(root)
        #expect(words(change).last == "anchor removed" && change.snapshot.source(root.identity) == nil)
    }

    @Test("A much shorter list is let in where the rules accept it, alone or in a bundle")
    func shrunken() throws {
        let (long, short) = (try crl(7), try crl(8, entries: 5))
        for accepts in [false, true] {
            let expected = accepts ? "revocation_list renewed" : "revocation_list trust.shrunken"
            var single = change(from: [root, long], acceptsShrunken: accepts)
            single.admit([short])
            #expect(words(single) == [expected])
            var bundle = change(from: [root, long], acceptsShrunken: accepts)
            bundle.replaceAll(by: TrustSnapshot([root, short]))
            #expect(words(bundle) == ["anchor unchanged", expected])
            for change in [single, bundle] {
                #expect(change.snapshot.source(long.identity) == (accepts ? short : long))
            }
        }
    }

    @Test("A bundle with one list that may not follow replaces nothing, and one without a list names it")
    func replaceAll() throws {
        let (seven, eight) = (try crl(7), try crl(8))
        var older = change(from: [root, pinned, eight])
        older.replaceAll(by: TrustSnapshot([root, seven, try vical()]))
        #expect(
            words(older) == ["anchor unchanged", "vical new", "revocation_list trust.older"])
        #expect(older.snapshot.id == older.before.id && older.forgottenLists.isEmpty)
        var without = change(from: [root, pinned, eight])
        without.replaceAll(by: TrustSnapshot([root]))
        #expect(words(without) == ["provider removed", "revocation_list removed", "anchor unchanged"])
        #expect(without.forgottenLists == [eight.identity])
        // What was let in before comes back, whatever has come since.
        var back = change(from: [root, eight])
        back.reinstate(TrustSnapshot([root, seven]))
        #expect(back.snapshot.source(seven.identity) == seven && back.outcomes.isEmpty)
    }

    @Test(
        "An expired VICAL of a bundle follows the present one only if it is later, of its provider and as long"
    )
    func expired() throws {
        let issues = try ExpiredVICALs()
        for (sources, refusal) in [
            (issues.older, "trust.older"), (issues.ofOtherProvider, "trust.other_issuer"),
            (issues.shrunken, "trust.shrunken"),
        ] {
            var change = change(from: issues.present)
            change.replaceAll(by: TrustSnapshot(sources))
            #expect(words(change).last == "vical \(refusal)")
            #expect(change.snapshot.id == change.before.id)
        }
        var change = change(from: issues.present)
        change.replaceAll(by: TrustSnapshot(issues.later))
        #expect(words(change) == ["provider unchanged", "vical renewed"])
        // Alone it is refused: it would be out of use at once.
        var alone = self.change(from: issues.present)
        alone.admit(issues.later)
        #expect(words(alone).last == "vical trust.vical_refused")
    }

    @Test("A VICAL is parsed and its signature verified once, in however many snapshots it is")
    func readOnce() throws {
        let list = try vical()
        let count = WorkCount()
        WorkCount.$current.withValue(count) {
            var change = TrustChange(from: nil, by: TrustRules(now: now))
            change.admit([pinned, list, root])
            #expect(change.outcomes.flatMap(\.remarks).isEmpty)
            #expect(change.snapshot.lint(at: now).allSatisfy { !$0.condition.isFault })
            #expect(TrustSnapshot(change.snapshot.sources + [root]).anchors.count == 1)
        }
        #expect(count[.listParsed] == 1 && count[.listVerified] == 1)
    }

    @Test(
        "A list that was verified once is not believed where its provider is not pinned, or a CRL revokes its signer"
    )
    func believedAnew() throws {
        let list = try TestVICAL([.init(iaca.der)], provider: provider)
        let source = TrustSource.test(.vical, "list", try list.encoded())
        #expect(TrustSnapshot([pinned, source]).anchors.count == 1)
        let other = try TestAuthority([(.countryName, "UT"), (.commonName, "Other provider")])
        #expect(TrustSnapshot([source]).anchors.isEmpty)
        #expect(TrustSnapshot([.test(.provider, "other", other.der), source]).anchors.isEmpty)
        let signer = try provider.vicalSigner(for: list.key).serialNumber
        for (serial, isBelieved) in [(signer, false), ([9], true)] {
            let revoked = TestRevocationList(provider, [.init(serial, reason: 1)], number: [1])
            let crl = TrustSource.test(.revocationList, "crl", try revoked.encoded())
            #expect(TrustSnapshot([pinned, source, crl]).anchors.isEmpty != isBelieved)
        }
        // Another list is another source, whatever its name is.
        let forged = TrustSource.test(.vical, "list", try list.encoded(signedBy: TestKey()))
        #expect(forged != source && TrustSnapshot([pinned, source, forged]).anchors.isEmpty)
    }

    @Test("A status list is believed by the roots of each store alone, also where stores share its bytes")
    func sharedStatusList() throws {
        let token = try TestStatusToken(authority: iaca)
        let source = TrustSource.test(.statusList, TestStatusToken.uri, try token.encoded())
        let other = TrustSource.test(.anchor, "root", try TestAuthority([(.commonName, "Other")]).der)
        func conditions(_ root: TrustSource) -> [TrustCondition] {
            TrustSnapshot([root, source]).lint(at: now).filter { $0.source == source.identity }
                .map(\.condition)
        }
        for _ in 0..<2 {
            #expect(conditions(root).isEmpty)
            #expect(conditions(other) == [.statusListSignerUnknown])
        }
    }

    @Test(
        "The stranger who signed a present list may be named for the next one; somebody of a root, or who did not sign, is none"
    )
    func strangers() throws {
        let stranger = try TestAuthority([(.commonName, "Stranger")])
        let (own, foreign) = (try TestStatusToken(authority: iaca), try TestStatusToken(authority: stranger))
        func strangers(_ bytes: [UInt8]) -> [[UInt8]] {
            let source = TrustSource.test(.statusList, TestStatusToken.uri, bytes)
            return TrustSnapshot([root, source]).unanchoredListSigners(at: now).map { Array($0) }
        }
        #expect(try strangers(own.encoded()).isEmpty)
        #expect(try strangers(foreign.encoded()) == [foreign.certificate])
        #expect(try strangers(foreign.encoded(signedBy: TestKey())).isEmpty)
    }

    private func statusList(
        _ authority: TestAuthority, key: TestKey? = nil, secondsAgo: Int64,
        _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) throws -> (source: TrustSource, signer: [UInt8]) {
        var token = try TestStatusToken(authority: authority, key: key, change)
        token.issued = TestAuthority.now - secondsAgo
        return (.test(.statusList, TestStatusToken.uri, try token.encoded()), token.certificate)
    }

    @Test(
        "A status list is renewed by whoever answers for the present one, and by no other whom documents name"
    )
    func statusListIssuers() throws {
        // Signers of one authority, which is no root here: their lists have one name and one issuer.
        let stranger = try TestAuthority([(.countryName, "UT"), (.commonName, "Stranger")])
        let key = try TestKey()
        let present = try statusList(stranger, key: key, secondsAgo: 3600)
        let other = try statusList(stranger, secondsAgo: 60)
        #expect(present.source.identity == other.source.identity)
        let signers = [present.signer[...], other.signer[...]]
        for (later, isRenewed) in [(other.source, false), (present.source, true)] {
            var change = TrustChange(
                from: TrustSnapshot([root, present.source]), by: TrustRules(now: now, signers: signers))
            change.admit([later])
            #expect(words(change) == ["status_list " + (isRenewed ? "unchanged" : "trust.other_issuer")])
        }
        // The authority itself may be named: then it answers for all of its signers.
        var named = TrustChange(
            from: TrustSnapshot([root, present.source]),
            by: TrustRules(now: now, signers: [stranger.der[...]]))
        named.admit([other.source])
        #expect(words(named) == ["status_list renewed"])
    }

    @Test(
        "A stranger who takes the name and key identifier of a root renews no list that the root answers for")
    func nameOfARoot() throws {
        let present = try statusList(iaca, secondsAgo: 3600)
        let twin = try TestAuthority()
        let forged = try statusList(twin, secondsAgo: 60) { template in
            var copy = template
            copy.extensions =
                try iaca.statusSigner(for: TestKey()).extensions.filter {
                    $0.oid == .authorityKeyIdentifier
                } + template.extensions.filter { $0.oid != .authorityKeyIdentifier }
            return copy
        }
        #expect(present.source.identity == forged.source.identity)
        var change = TrustChange(
            from: TrustSnapshot([root, present.source]),
            by: TrustRules(now: now, signers: [forged.signer[...]]))
        change.admit([forged.source])
        #expect(words(change) == ["status_list trust.other_issuer"])
        #expect(change.snapshot.source(present.source.identity) == present.source)
        let own = try statusList(iaca, secondsAgo: 60)
        change.admit([own.source])
        #expect(words(change).last == "status_list renewed")
    }

    @Test("A list of a bundle that cannot be read takes the place of no incomplete list that revokes")
    func unreadableInBundle() throws {
        var gap = TestRevocationList(iaca, [.init([1])], number: [7])
        gap.nextUpdate = nil
        let incomplete = TrustSource.test(.revocationList, "crl", try gap.encoded())
        let whole = try crl(8)
        let cut = TrustSource.test(.revocationList, "crl", Array(whole.bytes.dropLast(40)))
        var broken = try TestStatusToken(authority: iaca)
        broken.expires = nil
        let lasting = TrustSource.test(.statusList, TestStatusToken.uri, try broken.encoded())
        broken.expires = TestAuthority.now + 60
        broken.compressed.removeLast()
        let unreadable = TrustSource.test(.statusList, TestStatusToken.uri, try broken.encoded())
        for (here, there, id) in [
            (incomplete, cut, "revocation_list trust.crl_unreadable"),
            (lasting, unreadable, "status_list trust.status_unreadable"),
        ] {
            var change = change(from: [root, here])
            change.replaceAll(by: TrustSnapshot([root, there]))
            #expect(words(change) == ["anchor unchanged", id])
            #expect(change.snapshot.source(here.identity) == here)
            // Beside what is here it takes nothing away.
            var both = self.change(from: [root, here])
            both.replaceAll(by: TrustSnapshot([root, here, there]))
            #expect(!both.isRefused)
        }
        var renewed = change(from: [root, incomplete])
        renewed.replaceAll(by: TrustSnapshot([root, whole]))
        #expect(!renewed.isRefused && renewed.snapshot.source(whole.identity) == whole)
    }
}
