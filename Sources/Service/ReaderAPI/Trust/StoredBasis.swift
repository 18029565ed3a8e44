package import MdocModel
package import MdocTrust
internal import ReaderIdentityStore
internal import ReaderReports
internal import ReaderStore
internal import Synchronization

/// The basis that the store's folder holds. It is read again as soon as another snapshot is in place, and the identities
/// as soon as one was removed, renewed or re-chosen; else what was read stands, whatever receipts and retained data do to
/// the file. The disk and the keys' TPM are waited for on threads of their own, so that nobody else waits with them.
package final class StoredBasis: JudgingBasisSource {
    private let folder: String
    private let state: Mutex<State>
    private let trustReading = Reading()
    private let identityReading = Reading()

    /// For how long what was read is used at most, also where nothing seems to have changed.
    private static let lasts = Duration.seconds(600)

    private struct State {
        var policy: RevocationPolicy
        var clockSkew: Int64
        var testRoots: TestRoots
        var basis: ReadBasis?
        var identities: ReadIdentities?
        var failure: Failure?

        mutating func take(_ trust: StoredTrust, of file: FileStamp?) -> JudgingBasis {
            let read = JudgingBasis(
                trust: TrustStore(trust.snapshot), obtained: trust.snapshot.sources.map(\.obtained).max(),
                since: trust.record.created, policy: policy, clockSkew: clockSkew, testRoots: testRoots)
            basis = ReadBasis(basis: read, number: trust.record.number, at: .now, file: file)
            return read
        }
    }

    private struct ReadBasis {
        let basis: JudgingBasis
        let number: Int64
        let at: ContinuousClock.Instant
        var file: FileStamp?

        var isYoung: Bool { ContinuousClock.now < at + StoredBasis.lasts }

        /// The same trust, of a file in which something else has changed.
        mutating func stands(for file: FileStamp?) -> JudgingBasis {
            self.file = file
            return basis
        }
    }

    private struct ReadIdentities {
        let choice: ReaderIdentityChoice
        let stamps: [FileStamp?]
        let at: ContinuousClock.Instant
    }

    private struct Failure {
        let problem: APIProblem
        let at: ContinuousClock.Instant
    }

    package init(
        folder: String, policy: RevocationPolicy, clockSkew: Int64, testRoots: TestRoots = .ofNoCountry
    ) {
        self.folder = folder
        state = Mutex(State(policy: policy, clockSkew: clockSkew, testRoots: testRoots))
    }

    /// Judges by another policy from the next presentation on, and reads everything again.
    package func replace(policy: RevocationPolicy, clockSkew: Int64, testRoots: TestRoots) {
        state.withLock { $0 = State(policy: policy, clockSkew: clockSkew, testRoots: testRoots) }
    }

    // MARK: Trust

    package func basis() async throws(APIProblem) -> JudgingBasis {
        if let basis = basis(of: databaseStamp) { return basis }
        let asked = ContinuousClock.now
        return try await trustReading.run { () throws(APIProblem) in try readBasis(askedAt: asked) }
    }

    private var databaseStamp: FileStamp? { FileStamp("\(folder)/countersign.sqlite") }

    /// What was read last, if that was of `file` as it is now.
    private func basis(of file: FileStamp?) -> JudgingBasis? {
        state.withLock { state in
            state.basis.flatMap { $0.file == file && $0.isYoung ? $0.basis : nil }
        }
    }

    /// - Parameter asked: what failed since then is not tried once more: whoever holds the store would keep all who wait one
    ///   after the other.
    private func readBasis(askedAt asked: ContinuousClock.Instant) throws(APIProblem) -> JudgingBasis {
        let (read, failure) = state.withLock { ($0.basis, $0.failure) }
        let file = databaseStamp
        if let basis = basis(of: file) { return basis }
        if let failure, failure.at > asked { throw failure.problem }
        do throws(APIProblem) {
            if let read, read.isYoung, read.file?.inode == file?.inode, try trustNumber() == read.number,
                let basis = state.withLock({ $0.basis?.stands(for: file) })
            {
                return basis
            }
            let trust = try trust()
            return state.withLock { $0.take(trust, of: file) }
        } catch {
            state.withLock { $0.failure = Failure(problem: error, at: .now) }
            throw error
        }
    }

    private func trustNumber() throws(APIProblem) -> Int64? {
        try refusing { () throws(ReaderStoreError) in try store().currentTrustNumber() }
    }

    private func trust() throws(APIProblem) -> StoredTrust {
        try refusing { () throws(ReaderStoreError) in try store().currentTrust() }
    }

    private func store() throws(ReaderStoreError) -> ReaderStore {
        try ReaderStore(at: folder, for: .reading)
    }

    private func refusing<Value>(
        _ body: () throws(ReaderStoreError) -> Value
    ) throws(APIProblem) -> Value {
        do throws(ReaderStoreError) {
            return try body()
        } catch .absent, .empty {
            throw .trustNotSetUp
        } catch {
            throw APIProblem(.trustUnavailable, 503, "the trust store: \(error.explanation)")
        }
    }

    // MARK: Identities

    private var identityFolder: IdentityFolder { IdentityFolder(store: folder) }

    package func identities(at now: Timestamp) async throws(APIProblem) -> ReaderIdentityChoice {
        try await identityReading.run { () throws(APIProblem) in try readIdentities(at: now) }
    }

    private func readIdentities(at now: Timestamp) throws(APIProblem) -> ReaderIdentityChoice {
        let stamps = try Self.refusing { () throws(IdentityStoreError) in try identityFolder.stamps() }
        if let read = state.withLock({ $0.identities }), read.stamps == stamps,
            ContinuousClock.now < read.at + Self.lasts
        {
            return read.choice
        }
        let choice = try Self.refusing { () throws(IdentityStoreError) in
            try ReaderIdentities(in: identityFolder, at: now).choice
        }
        state.withLock { $0.identities = ReadIdentities(choice: choice, stamps: stamps, at: .now) }
        return choice
    }

    package func identity(
        named name: String, at now: Timestamp
    ) async throws(APIProblem) -> ReaderIdentity {
        try await identityReading.run { () throws(APIProblem) in
            try Self.refusing { () throws(IdentityStoreError) in
                try ReaderIdentities.identity(named: name, in: identityFolder, at: now)
            }
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

/// Reads from the disk on a thread of its own, one thing after the other.
private actor Reading {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    func run<Value: Sendable>(
        _ body: @Sendable () throws(APIProblem) -> Value
    ) throws(APIProblem) -> Value {
        try body()
    }
}
