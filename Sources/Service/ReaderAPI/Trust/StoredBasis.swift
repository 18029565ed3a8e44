package import MdocModel
package import MdocTrust
internal import ReaderIdentityStore
internal import ReaderReports
internal import ReaderStore

/// The basis that the store's folder holds. It is read again as soon as another snapshot is in place or an identity was
/// removed, renewed or re-chosen; else what was read stands, whatever receipts and retained data do to the file.
package actor StoredBasis: JudgingBasisSource {
    private let folder: String
    private var policy: RevocationPolicy
    private var clockSkew: Int64
    private var testRoots: TestRoots
    private var read: Reading?

    /// For how long identities are used without looking at their validity again.
    private static let lasts = Duration.seconds(600)

    private struct Reading {
        let basis: JudgingBasis
        let number: Int64
        var file: FileStamp?
        let identities: [FileStamp?]?
        let at: ContinuousClock.Instant
    }

    package init(
        folder: String, policy: RevocationPolicy, clockSkew: Int64, testRoots: TestRoots = .ofNoCountry
    ) {
        self.folder = folder
        self.policy = policy
        self.clockSkew = clockSkew
        self.testRoots = testRoots
    }

    package func basis(at now: Timestamp) throws(APIProblem) -> JudgingBasis {
        let file = FileStamp("\(folder)/countersign.sqlite")
        let stamps = try? IdentityFolder(store: folder).stamps()
        if let read, let stamps, read.identities == stamps, ContinuousClock.now < read.at + Self.lasts {
            if read.file == file { return read.basis }
            if read.file?.inode == file?.inode, (try? store().currentTrustNumber()) == read.number {
                self.read?.file = file
                return read.basis
            }
        }
        let stored = try trust()
        let basis = JudgingBasis(
            trust: TrustStore(stored.snapshot), obtained: stored.snapshot.sources.map(\.obtained).max(),
            since: stored.record.created, identities: try identities(at: now), policy: policy,
            clockSkew: clockSkew, testRoots: testRoots)
        read = Reading(
            basis: basis, number: stored.record.number, file: file, identities: stamps, at: .now)
        return basis
    }

    /// Judges by another policy from the next presentation on, and reads everything again.
    package func replace(policy: RevocationPolicy, clockSkew: Int64, testRoots: TestRoots) {
        (self.policy, self.clockSkew, self.testRoots, read) = (policy, clockSkew, testRoots, nil)
    }

    private func store() throws(ReaderStoreError) -> ReaderStore {
        try ReaderStore(at: folder, for: .reading)
    }

    private func trust() throws(APIProblem) -> StoredTrust {
        do throws(ReaderStoreError) {
            return try store().currentTrust()
        } catch .absent, .empty {
            throw .trustNotSetUp
        } catch {
            throw APIProblem(.trustUnavailable, 503, "the trust store: \(error.explanation)")
        }
    }

    private func identities(at now: Timestamp) throws(APIProblem) -> ReaderIdentityChoice {
        try Self.refusing { () throws(IdentityStoreError) in
            try ReaderIdentities(in: IdentityFolder(store: folder), at: now).choice
        }
    }

    package func identity(named name: String, at now: Timestamp) throws(APIProblem) -> ReaderIdentity {
        try Self.refusing { () throws(IdentityStoreError) in
            try ReaderIdentities.identity(named: name, in: IdentityFolder(store: folder), at: now)
        }
    }

    private static func refusing<Value>(
        _ body: () throws(IdentityStoreError) -> Value
    ) throws(APIProblem) -> Value {
        do throws(IdentityStoreError) {
            return try body()
        } catch {
            throw APIProblem(.identityRefused, 400, error.explanation)
        }
    }
}
