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

    private func crl(_ authority: TestAuthority, _ number: UInt8, isComplete: Bool) throws -> TrustSource {
        var list = TestRevocationList(authority, [.init([number])], number: [number])
        list.thisUpdate = TestAuthority.now - 3600 + Int64(number)
        if !isComplete { list.nextUpdate = nil }
        return .test(.revocationList, "crl", try list.encoded())
    }

    @Test("Q240 A kiosk keeps both lists of a bundle, and refuses a bundle that would lose one of them")
    func both() throws {
        let scene = try FleetScene()
        let store = FleetStore()
        let authority = try TestAuthority()
        let root = TrustSource.test(.anchor, "root", authority.der)
        let (seven, eight) = (
            try crl(authority, 7, isComplete: true), try crl(authority, 8, isComplete: false)
        )
        func apply(_ lists: [TrustSource]) throws -> [TrustSource.Identity]? {
            let bundle = try TrustBundle.export(
                TrustSnapshot([root] + lists), created: now, signedWith: scene.daily.key)
            return try FleetTrust.apply(bundle, signedBy: scene.daily.fleetKey, in: store.path, at: now)?
                .removedLists
        }
        func names() throws -> [[UInt8]] {
            let trust = try ReaderStore(at: store.path, for: .reading).currentTrust()
            return trust.snapshot.sources.map(\.sha256)
        }
        #expect(try apply([seven]) == [])
        #expect(try apply([seven]) == nil)
        #expect(try apply([seven, eight]) == [])
        #expect(try names() == [root.sha256, seven.sha256, eight.sha256])
        for list in [seven, eight] {
            #expect(throws: FleetTrustError.listRefused(list.identity)) { try apply([list]) }
            #expect(try names().count == 3)
        }
        let nine = try crl(authority, 9, isComplete: true)
        #expect(try apply([nine]) == [])
        #expect(try names() == [root.sha256, nine.sha256])
        // A bundle without the list is taken, and the list is named.
        #expect(try apply([]) == [nine.identity])
        #expect(try names() == [root.sha256])
    }
}
