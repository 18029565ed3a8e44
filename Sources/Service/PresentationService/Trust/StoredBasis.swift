internal import ErrorMapping
package import MdocModel
internal import MdocTrust
package import MdocVerification
internal import ReaderIdentityStore
package import ReaderService
internal import ReaderStore
internal import Synchronization

/// The basis in the store's folder. It is read again when another snapshot is stored, and the identities when one
/// was removed, renewed or chosen again. Otherwise the last values are used, even if receipts and retained data
/// change the file. Separate threads wait for the disk, and for a TPM that loads keys.
package final class StoredBasis: JudgingBasisSource {
    private let folder: String
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    private let trustReading = Reading()
    private let identityReading = Reading()

    /// For how long what was read is used at most, also where nothing seems to have changed.
    private static let lasts = Duration.seconds(600)

    private struct State {
        var policy: VerificationPolicy
        var policies: PurposePolicies
        var basis: ReadBasis?
        var identities: ReadIdentities?
        var failure: Failure?
        /// How often it was replaced: what was being read then is not kept.
        var generation = 0
    }

    private struct ReadBasis {
        let basis: JudgingBasis
        let number: Int64
        let at: ContinuousClock.Instant
        var file: FileStamp?

        func isYoung(at now: ContinuousClock.Instant) -> Bool { now < at + StoredBasis.lasts }

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
        let problem: PresentationServiceError
        /// When the reading began that failed.
        let began: ContinuousClock.Instant
    }

    package init(
        folder: String, policy: VerificationPolicy, policies: PurposePolicies = PurposePolicies(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.folder = folder
        self.now = now
        state = Mutex(State(policy: policy, policies: policies))
    }

    /// Judges by another policy from the next presentation on, and reads everything again.
    package func replace(
        policy: VerificationPolicy, policies: PurposePolicies = PurposePolicies()
    ) {
        // The earlier basis is freed once the lock is released: freeing a key in a TPM takes long.
        _ = state.withLock { state in
            let old = state
            state = State(policy: policy, policies: policies)
            state.generation = old.generation + 1
            return old
        }
    }

    // MARK: Trust

    package var acceptsTestDocuments: Bool { state.withLock(\.policy.acceptsTestDocuments) }

    package func basis() async throws(PresentationServiceError) -> JudgingBasis {
        if let basis = basis(of: databaseStamp) { return basis }
        let asked = now()
        return try await trustReading.run { () throws(PresentationServiceError) in
            try readBasis(askedAt: asked)
        }
    }

    private var databaseStamp: FileStamp? { FileStamp("\(folder)/countersign.sqlite") }

    /// What was read last, if that was of `file` as it is now.
    private func basis(of file: FileStamp?) -> JudgingBasis? {
        state.withLock { state in
            state.basis.flatMap { $0.file == file && $0.isYoung(at: now()) ? $0.basis : nil }
        }
    }

    /// - Parameter asked: a reading that began since then and failed is not tried once more: whoever holds the store would
    ///   keep all who wait one after the other.
    private func readBasis(askedAt asked: ContinuousClock.Instant) throws(PresentationServiceError)
        -> JudgingBasis
    {
        let (read, failure, generation) = state.withLock { ($0.basis, $0.failure, $0.generation) }
        let (file, began) = (databaseStamp, now())
        if let basis = basis(of: file) { return basis }
        if let failure, failure.began >= asked { throw failure.problem }
        do throws(PresentationServiceError) {
            if let read, read.isYoung(at: began), read.file?.inode == file?.inode,
                try trustNumber() == read.number,
                let basis = state.withLock({ $0.basis?.stands(for: file) })
            {
                return basis
            }
            return keep(try trust(), of: file, for: generation)
        } catch {
            // Nobody can look whether it changed; by the file it did not.
            if case .trustUnavailable = error, let read, read.file == file, isCurrent(generation) {
                return read.basis
            }
            state.withLock { state in
                if state.generation == generation { state.failure = Failure(problem: error, began: began) }
            }
            throw error
        }
    }

    private func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

    private func keep(_ stored: StoredTrust, of file: FileStamp?, for generation: Int) -> JudgingBasis {
        let known = state.withLock { $0.basis?.basis.trust }
        // The same sources have the same signers, whom the store has verified.
        let trust = known?.snapshotID == stored.snapshot.id ? known : nil
        let store = trust ?? TrustStore(stored.snapshot)
        let (basis, _) = state.withLock { state in
            let basis = JudgingBasis(
                trust: store, obtained: stored.snapshot.sources.filter(\.kind.isList).map(\.obtained).max(),
                since: stored.record.created, policy: state.policy,
                policies: state.policies)
            let old = state.basis
            if state.generation == generation {
                state.basis = ReadBasis(basis: basis, number: stored.record.number, at: now(), file: file)
            }
            return (basis, old)
        }
        return basis
    }

    private func trustNumber() throws(PresentationServiceError) -> Int64? {
        try mapping(store().currentTrustNumber(), PresentationServiceError.init(trust:))
    }

    /// A store whose last root was removed is as one that never had one.
    private func trust() throws(PresentationServiceError) -> StoredTrust {
        let stored = try mapping(store().currentTrust(), PresentationServiceError.init(trust:))
        guard !stored.snapshot.anchors.isEmpty else { throw .trustNotSetUp }
        return stored
    }

    private func store() throws(ReaderStoreError) -> ReaderStore {
        try ReaderStore(at: folder, for: .reading)
    }

    // MARK: Identities

    private var identityFolder: IdentityFolder { IdentityFolder(store: folder) }

    package func identities(at now: Timestamp) async throws(PresentationServiceError) -> ReaderIdentityChoice
    {
        if let choice = try knownChoice().choice { return choice }
        return try await identityReading.run { () throws(PresentationServiceError) in
            try readIdentities(at: now)
        }
    }

    /// The identities as they were read last, if none of their files has changed.
    private func knownChoice() throws(PresentationServiceError) -> (
        choice: ReaderIdentityChoice?, stamps: [FileStamp?]
    ) {
        let stamps = try mapping(identityFolder.stamps(), PresentationServiceError.identityRefused)
        let read = state.withLock { $0.identities }
        let isKnown = read.map { $0.stamps == stamps && now() < $0.at + Self.lasts } ?? false
        return (isKnown ? read?.choice : nil, stamps)
    }

    private func readIdentities(at time: Timestamp) throws(PresentationServiceError) -> ReaderIdentityChoice {
        let generation = state.withLock { $0.generation }
        let (known, stamps) = try knownChoice()
        if let known { return known }
        let choice = try mapping(
            ReaderIdentities(in: identityFolder, at: time).choice, PresentationServiceError.identityRefused)
        _ = state.withLock { state in
            let old = state.identities
            if state.generation == generation {
                state.identities = ReadIdentities(choice: choice, stamps: stamps, at: now())
            }
            return old
        }
        return choice
    }

    package func identity(
        named name: String, at now: Timestamp
    ) async throws(PresentationServiceError) -> ReaderIdentity {
        try await identityReading.run { () throws(PresentationServiceError) in
            try mapping(
                ReaderIdentities.identity(named: name, in: identityFolder, at: now),
                PresentationServiceError.identityRefused)
        }
    }
}

extension PresentationServiceError {
    fileprivate init(trust error: ReaderStoreError) {
        switch error {
        case .absent, .empty: self = .trustNotSetUp
        default: self = .trustUnavailable(error)
        }
    }
}

/// Reads from the disk on a separate thread, one operation after another.
private actor Reading {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    func run<Value: Sendable>(
        _ body: @Sendable () throws(PresentationServiceError) -> Value
    ) throws(PresentationServiceError) -> Value {
        try body()
    }
}
