import MdocModel
import MdocTrust
import ReaderStore
import TestCredentials
import Testing

@testable import Fleet

/// The lists of a chain's bundle beside those of a kiosk's store.
@Suite("Trust of a fleet")
struct FleetTrustTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let scene: FleetScene
    private let store = FleetStore()

    init() throws { scene = try FleetScene() }

    private func bundle(_ sources: [TrustSource], secondsAgo: Int64 = 0) throws -> [UInt8] {
        try TrustBundle.export(
            TrustSnapshot(sources), created: now.advanced(bySeconds: -secondsAgo),
            signedWith: scene.daily.key)
    }

    /// Puts a bundle of these sources in the store.
    ///
    /// - Returns: The lists that are forgotten, or nil if nothing changed.
    private func apply(_ sources: [TrustSource], clockSkew: Int64 = 60) throws -> [TrustSource.Identity]? {
        try apply(bundle(sources), clockSkew: clockSkew)
    }

    private func apply(
        _ bundle: [UInt8], isObeyed: Bool = false, clockSkew: Int64 = 60
    ) throws -> [TrustSource.Identity]? {
        let change = try change(bundle, isObeyed: isObeyed, clockSkew: clockSkew)
        try change?.store()
        return change?.removedLists
    }

    /// The change that a bundle makes, checked and not stored.
    private func change(
        _ bundle: [UInt8], isObeyed: Bool = false, clockSkew: Int64 = 60
    ) throws -> FleetTrust? {
        try FleetTrust(
            FleetTrust.Bundle(bundle, signedBy: scene.daily.fleetKey), in: store.path, isObeyed: isObeyed,
            at: now, clockSkew: clockSkew)
    }

    private var newest: Timestamp? {
        get throws { try ReaderStore(at: store.path, for: .reading).newestTrustBundle() }
    }

    private var digests: [[UInt8]] {
        get throws {
            try ReaderStore(at: store.path, for: .reading).currentTrust().snapshot.sources.map(\.sha256)
        }
    }

    private func crl(_ authority: TestAuthority, _ number: UInt8, isComplete: Bool) throws -> TrustSource {
        var list = TestRevocationList(authority, [.init([number])], number: [number])
        list.thisUpdate = TestAuthority.now - 3600 + Int64(number)
        if !isComplete { list.nextUpdate = nil }
        return .test(.revocationList, "crl", try list.encoded())
    }

    @Test("Q240 A kiosk keeps both lists of a bundle, and refuses a bundle that would lose one of them")
    func both() throws {
        let authority = try TestAuthority()
        let root = TrustSource.test(.anchor, "root", authority.der)
        let (seven, eight) = (
            try crl(authority, 7, isComplete: true), try crl(authority, 8, isComplete: false)
        )
        #expect(try apply([root, seven]) == [])
        #expect(try apply([root, seven]) == nil)
        #expect(try apply([root, seven, eight]) == [])
        #expect(try digests == [root.sha256, seven.sha256, eight.sha256])
        for list in [seven, eight] {
            #expect(throws: FleetTrustError.listRefused(list.identity)) { try apply([root, list]) }
            #expect(try digests.count == 3)
        }
        let nine = try crl(authority, 9, isComplete: true)
        #expect(try apply([root, nine]) == [])
        #expect(try digests == [root.sha256, nine.sha256])
        // A bundle without the list is taken, and the list is named.
        #expect(try apply([root]) == [nine.identity])
        #expect(try digests == [root.sha256])
    }

    @Test(
        "Q234 A kiosk keeps the CRLs that two keys of one root's name signed, and logs the one that a bundle lacks"
    )
    func twoKeys() throws {
        let authorities = [try TestAuthority(), try TestAuthority()]
        let roots = authorities.map { TrustSource.test(.anchor, "root \($0.keyIdentifier)", $0.der) }
        let (eight, seven) = (
            try crl(authorities[0], 8, isComplete: true), try crl(authorities[1], 7, isComplete: true)
        )
        #expect(try apply(roots + [eight]) == [])
        #expect(try apply(roots + [eight, seven]) == [])
        #expect(try Set(digests) == Set((roots + [eight, seven]).map(\.sha256)))
        #expect(try apply(roots + [seven]) == [eight.identity])
    }

    @Test(
        "Q176 A bundle with an expired VICAL is refused if the VICAL is older, of another provider or much shorter"
    )
    func expired() throws {
        let issues = try ExpiredVICALs()
        #expect(try apply(issues.present) == [])
        let before = try digests
        for sources in [issues.older, issues.ofOtherProvider, issues.shrunken] {
            #expect(throws: FleetTrustError.listRefused(issues.list)) { try apply(sources) }
            #expect(try digests == before)
        }
        #expect(try apply(issues.later) == [])
        #expect(try digests == issues.later.map(\.sha256))
    }

    @Test(
        "A bundle's list that is dated ahead is taken within the clock skew of the kiosk, and refused beyond it"
    )
    func ahead() throws {
        let authority = try TestAuthority()
        let root = TrustSource.test(.anchor, "root", authority.der)
        func ahead(_ number: UInt8, by seconds: Int64) throws -> TrustSource {
            var list = TestRevocationList(authority, [.init([7])], number: [number])
            list.thisUpdate = TestAuthority.now + seconds
            return .test(.revocationList, "crl", try list.encoded())
        }
        #expect(try apply([root, crl(authority, 7, isComplete: true)]) == [])
        let (near, far) = (try ahead(8, by: 200), try ahead(9, by: 400))
        #expect(throws: FleetTrustError.listRefused(near.identity)) { try apply([root, near]) }
        #expect(throws: FleetTrustError.listRefused(far.identity)) { try apply([root, far], clockSkew: 300) }
        #expect(try apply([root, near], clockSkew: 300) == [])
    }

    @Test("A status list of a signer whom only documents name is renewed by that signer, and by no other")
    func namedSigner() throws {
        let (authority, stranger) = (try TestAuthority(), try TestAuthority.ofACountry())
        let root = TrustSource.test(.anchor, "root", authority.der)
        func list(_ token: TestStatusToken, hoursAgo hours: Int64, signedBy key: TestKey? = nil) throws
            -> TrustSource
        {
            var token = token
            token.issued = TestAuthority.now - hours * 3600
            return .test(.statusList, TestStatusToken.uri, try token.encoded(signedBy: key))
        }
        let (own, others) = (
            try TestStatusToken(authority: stranger), try TestStatusToken(authority: stranger)
        )
        #expect(try apply([root, list(own, hoursAgo: 4)]) == [])
        for renewed in [
            try list(others, hoursAgo: 3), try list(own, hoursAgo: 3, signedBy: others.key),
            try list(own, hoursAgo: 5),
        ] {
            #expect(throws: FleetTrustError.listRefused(renewed.identity)) { try apply([root, renewed]) }
        }
        let later = try list(own, hoursAgo: 3)
        #expect(try apply([root, later]) == [])
        #expect(try digests == [root.sha256, later.sha256])
    }

    @Test("A bundle that was checked does not replace trust that has changed since")
    func changedMeanwhile() throws {
        let root = TrustSource.test(.anchor, "root", try TestAuthority().der)
        let change = try #require(try change(bundle([root])))
        let issues = try ExpiredVICALs()
        #expect(try apply(issues.present) == [])
        #expect(throws: FleetTrustError.store(.changedMeanwhile)) { try change.store() }
        #expect(try digests == issues.present.map(\.sha256))
    }

    @Test("A bundle that was checked is not taken once a later one came, also where that one changed nothing")
    func laterMeanwhile() throws {
        let (root, other) = (
            TrustSource.test(.anchor, "root", try TestAuthority().der),
            TrustSource.test(.anchor, "other", try TestAuthority().der)
        )
        #expect(try apply(bundle([root], secondsAgo: 100)) == [])
        let late = try #require(try change(bundle([root, other], secondsAgo: 50)))
        #expect(try apply(bundle([root], secondsAgo: 60)) == [])
        let later = try #require(try change(bundle([root, other], secondsAgo: 40)))
        #expect(try apply(bundle([root], secondsAgo: 45)) == [])
        #expect(throws: FleetTrustError.store(.changedMeanwhile)) { try late.store() }
        #expect(try digests == [root.sha256])
        try later.store()
        #expect(try digests.count == 2)
    }

    @Test(
        "A bundle whose contents are already trusted is recorded, so that no older bundle is accepted after it"
    )
    func sameContents() throws {
        let (root, other) = (
            TrustSource.test(.anchor, "root", try TestAuthority().der),
            TrustSource.test(.anchor, "other", try TestAuthority().der)
        )
        // They came from files, and from no bundle.
        try ReaderStore(at: store.path, for: .changing).replaceTrust(
            with: TrustSnapshot([root]), expecting: nil, by: .imported, at: now)
        for age: Int64 in [100, 50] {
            #expect(try apply(bundle([root], secondsAgo: age)) == [])
            #expect(try newest == now.advanced(bySeconds: -age))
            #expect(try apply(bundle([root], secondsAgo: age)) == nil)
        }
        #expect(throws: FleetTrustError.bundle(.older)) {
            try apply(bundle([root, other], secondsAgo: 51))
        }
        #expect(try digests == [root.sha256])
        #expect(try apply(bundle([root, other], secondsAgo: 50)) == [])
        #expect(try digests.count == 2)
    }

    @Test(
        "A bundle of an accepted document is restored without a check only if it was accepted as a bundle before"
    )
    func comesBack() throws {
        let authority = try TestAuthority()
        let root = TrustSource.test(.anchor, "root", authority.der)
        let (five, nine) = (
            try crl(authority, 5, isComplete: true), try crl(authority, 9, isComplete: true)
        )
        let (old, new) = (
            try bundle([root, five], secondsAgo: 100), try bundle([root, nine], secondsAgo: 50)
        )
        // A list that somebody imported came with no bundle.
        try ReaderStore(at: store.path, for: .changing).replaceTrust(
            with: TrustSnapshot([root, five]), expecting: nil, by: .imported, at: now)
        #expect(try apply(new) == [])
        let before = try digests
        #expect(throws: FleetTrustError.bundle(.older)) { try apply(old, isObeyed: true) }
        // Its date alone does not let it in.
        for sources in [[root, five], [root, try crl(authority, 10, isComplete: false)]] {
            let refused = try #require(sources.last?.identity)
            #expect(throws: FleetTrustError.listRefused(refused)) {
                try apply(bundle(sources), isObeyed: true)
            }
        }
        #expect(try digests == before)
        let later = try crl(authority, 11, isComplete: true)
        #expect(try apply(bundle([root, later], secondsAgo: 20), isObeyed: true) == [])
        // The one before was let in: it comes back, and stays while it is there.
        #expect(try apply(new, isObeyed: true) == [])
        #expect(try digests == before)
        #expect(try apply(new, isObeyed: true) == nil)
        #expect(try newest == now.advanced(bySeconds: -20))
    }

    @Test("A bundle's VICAL is parsed once and its signature verified once, and so is the present one")
    func readOnce() throws {
        let provider = try TestAuthority.ofACountry()
        func sources(_ issue: UInt64) throws -> [TrustSource] {
            var list = try TestVICAL([.init(TestAuthority().der)], provider: provider)
            list.issueID = issue
            return [.test(.provider, "p", provider.der), .test(.vical, "list", try list.encoded())]
        }
        for (issue, lists): (UInt64, Int) in [(7, 1), (8, 2)] {
            let (bundle, count) = (try bundle(sources(issue)), WorkCount())
            let forgotten = try WorkCount.$current.withValue(count) { try apply(bundle) }
            #expect(forgotten == [])
            #expect(count[.listParsed] == lists, "issue \(issue)")
            #expect(count[.listVerified] == lists, "issue \(issue)")
        }
    }
}
