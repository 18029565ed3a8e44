internal import MdocVerification
import Foundation
import GRDB
import MdocModel
import MdocTrust
import PKIX
import ReaderStore
import Synchronization
import TestCredentials
import Testing

@testable import PresentationService
@testable import ReaderIdentityStore

@Suite("The basis that is kept on the disk")
final class StoredBasisTests {
    private static let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let store = FileManager.default.temporaryDirectory.appending(path: "basis-\(UUID())").path
    private let authority: TestAuthority
    private let basis: StoredBasis
    private var folder: IdentityFolder { IdentityFolder(store: store) }

    /// A store that trusts an authority, with two readers of which it certified each; `one` is chosen.
    init() throws {
        authority = try TestAuthority()
        try ReaderStore(at: store, for: .changing).replaceTrust(
            with: TrustSnapshot([.test(.anchor, "root", authority.der)]), expecting: nil, by: .imported,
            at: Self.now)
        basis = StoredBasis(folder: store, policy: VerificationPolicy(clockSkew: 0))
        for name in ["one", "two"] {
            let key = try TestKey()
            try folder.create(#require(IdentityName(name)), key.privateKey)
            try certify(name, key)
        }
        try choose("one")
    }

    deinit { try? FileManager.default.removeItem(atPath: store) }

    private func certify(_ name: String, _ key: TestKey) throws {
        let leaf = try Certificate(der: authority.sign(authority.reader(for: key))[...])
        try folder.keep(
            CertificateChain([leaf, Certificate(der: authority.der[...])]), for: #require(IdentityName(name)))
    }

    private func choose(_ name: String) throws {
        let name = try #require(IdentityName(name))
        _ = try folder.changeRules { rules throws(IdentityStoreError) in rules.set(.init(identity: name)) }
    }

    private func asks(at now: Timestamp = now) async throws -> String? {
        try await basis.identities(at: now).identity(in: .init())?.name
    }

    /// What an operator does to the identity that asks, and which asks from the next order on.
    enum Change: String, CaseIterable {
        case removed, keyRemoved, renewedForAnotherKey, rechosen

        var asks: String? { self == .rechosen ? "two" : nil }
    }

    @Test(arguments: Change.allCases)
    func `An identity that was removed, renewed or re-chosen is not used by the next order`(
        _ change: Change
    ) async throws {
        #expect(try await asks() == "one")
        switch change {
        case .removed: try FileManager.default.removeItem(atPath: "\(folder.path)/one")
        case .keyRemoved: try FileManager.default.removeItem(atPath: "\(folder.path)/one/key.pem")
        case .renewedForAnotherKey: try certify("one", TestKey())
        case .rechosen: try choose("two")
        }
        #expect(try await asks() == change.asks)
    }

    @Test
    func `What is wrong with the identities keeps nobody from judging`() async throws {
        try Data("{".utf8).write(to: URL(filePath: folder.choicePath))
        let problem = await #expect(throws: PresentationServiceError.self) { try await self.asks() }
        #expect(problem?.name == "identityRefused")
        #expect(try await basis.basis().trust.anchors.count == 1)
    }

    @Test
    func `Another snapshot is judged by from the next answer on, also after the file changed otherwise`()
        async throws
    {
        let changing = try ReaderStore(at: store, for: .changing)
        let first = try await basis.basis().trust
        _ = try changing.firstTokenUse([1], orNow: Self.now)
        #expect(try await basis.basis().trust === first)
        let other = try TrustSnapshot([.test(.anchor, "other", TestAuthority().der)])
        try changing.replaceTrust(
            with: other, expecting: changing.currentTrustNumber(), by: .imported, at: Self.now)
        #expect(try await basis.basis().trust.snapshotID == other.id)
    }

    @Test
    func `Roots have no age, lists have`() async throws {
        #expect(try await basis.basis().obtained == nil)
        let changing = try ReaderStore(at: store, for: .changing)
        try changing.replaceTrust(
            with: TrustSnapshot([
                .test(.anchor, "root", authority.der), .test(.revocationList, "list", [0x30, 0]),
            ]),
            expecting: changing.currentTrustNumber(), by: .imported, at: Self.now)
        #expect(try await basis.basis().obtained == Self.now)
    }

    @Test
    func `Whether test documents are accepted is what the configuration says, whoever is trusted`() {
        var trial = VerificationPolicy()
        trial.acceptsTestDocuments = true
        let without = StoredBasis(folder: store + "/none", policy: trial)
        #expect(without.acceptsTestDocuments)
        without.replace(policy: VerificationPolicy())
        #expect(!without.acceptsTestDocuments)
    }

    @Test
    func `A store whose last root was removed is as one that never had one, until a root comes`() async throws
    {
        #expect(try await basis.basis().trust.anchors.count == 1)
        let changing = try ReaderStore(at: store, for: .changing)
        try changing.replaceTrust(
            with: TrustSnapshot([]), expecting: changing.currentTrustNumber(), by: .imported, at: Self.now)
        for _ in 0..<2 {
            let problem = await #expect(throws: PresentationServiceError.self) {
                try await self.basis.basis()
            }
            #expect(problem == .trustNotSetUp)
        }
        try changing.replaceTrust(
            with: TrustSnapshot([.test(.anchor, "root", authority.der)]),
            expecting: changing.currentTrustNumber(), by: .imported, at: Self.now)
        #expect(try await basis.basis().trust.anchors.count == 1)
    }

    @Test
    func `Another policy holds from the next answer on`() async throws {
        let first = try await basis.basis()
        basis.replace(policy: VerificationPolicy(clockSkew: 7))
        let second = try await basis.basis()
        #expect(first.policy.clockSkew == 0 && second.policy.clockSkew == 7)
        #expect(second.trust.snapshotID == first.trust.snapshotID)
    }

    @Test
    func `Of those who wait for a store that another holds, none waits for the others as well`() async throws
    {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let holder = try DatabaseQueue(path: "\(store)/countersign.sqlite", configuration: configuration)
        try holder.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        let began = ContinuousClock.now
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask { [basis] () async -> PresentationServiceError? in
                    do throws(PresentationServiceError) {
                        _ = try await basis.basis()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await problem in group { #expect(problem?.name == "trustUnavailable") }
        }
        #expect(ContinuousClock.now - began < .seconds(5 * ReaderStore.longestWait))
        try holder.inDatabase { try $0.execute(sql: "ROLLBACK") }
        #expect(try await basis.basis().trust.anchors.count == 1)
    }

    @Test
    func `Where nothing has changed, nothing is read again`() async throws {
        #expect(try await asks() == "one")
        // Read again, it would be found to have expired.
        let late = Self.now.advanced(bySeconds: 4000 * TestAuthority.day)
        #expect(try await asks(at: late) == "one")
        try choose("one")
        #expect(try await asks(at: late) == nil)
    }

    /// A clock that a test sets.
    private final class SetClock: Sendable {
        private let time = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    @Test
    func `After 600 s what was read is read again, though nothing has changed, and not before`() async throws
    {
        let clock = SetClock()
        let basis = StoredBasis(folder: store, policy: VerificationPolicy(), now: { clock.now })
        func asks(at time: Timestamp) async throws -> String? {
            try await basis.identities(at: time).identity(in: .init())?.name
        }
        #expect(try await asks(at: Self.now) == "one")
        // Read again, it would be found to have expired.
        let late = Self.now.advanced(bySeconds: 4000 * TestAuthority.day)
        clock.advance(by: .seconds(600) - .nanoseconds(1))
        #expect(try await asks(at: late) == "one")
        clock.advance(by: .nanoseconds(1))
        #expect(try await asks(at: late) == nil)
    }
}
