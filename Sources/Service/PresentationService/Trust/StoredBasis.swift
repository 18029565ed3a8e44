internal import ErrorMapping
package import MdocModel
internal import MdocTrust
package import MdocVerification
internal import ReaderIdentityStore
package import ReaderService
internal import ReaderStore
internal import Synchronization

/// The trust, policy and reader identities of a store's folder, kept in memory until they change.
///
/// The trust is needed for each order and for each response to an app or a web page. Loading it is slow if
/// the store has many roots. The trust is therefore loaded again only when the store contains another
/// trust snapshot, or after ten minutes. The store's file also contains receipts, so most changes of the
/// file leave the trust unchanged: after a change, only the snapshot's number is read and compared at
/// first. Identities are read again when one of their files has changed.
///
/// Any thread may call this class; its state is behind a `Mutex`. Reads run on two serial queues, one for the
/// trust and one for identities, because the disk and a TPM that loads keys may take long. Callers that
/// arrive during a read wait for it and use its result, or its failure.
///
/// If the store cannot be read and its file has not changed, the last trust stays in use. If the file has
/// changed, the caller gets the error: a removed root must not be trusted longer.
///
/// `replace` changes the policy when the daemon reloads its configuration. The result of a read that began
/// before the replacement is not kept; `generation` counts the replacements, so that such a result is
/// recognised.
package final class StoredBasis: JudgingBasisSource {
    private let folder: String
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>
    private let trustReading = Reading()
    private let identityReading = Reading()

    /// The time after which everything is read again, even if no file seems to have changed.
    private static let lasts = Duration.seconds(600)

    private struct State {
        var policy: VerificationPolicy
        var policies: PurposePolicies
        var basis: ReadBasis?
        var identities: ReadIdentities?
        var failure: Failure?
        /// The number of calls of `replace`. The result of a read that began in an earlier generation is not
        /// kept.
        var generation = 0
    }

    /// The trust that was read last, with the state of the store's file at that time.
    private struct ReadBasis {
        let basis: JudgingBasis
        /// The number of the trust snapshot in the store.
        let number: Int64
        let at: ContinuousClock.Instant
        var file: FileStamp?

        func isYoung(at now: ContinuousClock.Instant) -> Bool { now < at + StoredBasis.lasts }

        /// Returns the trust that was read before, with its policies, and keeps it for the changed file.
        /// Called if the file has changed and its trust snapshot has not.
        mutating func reuse(for file: FileStamp?) -> JudgingBasis {
            self.file = file
            return basis
        }
    }

    /// The identities that were read last, with the state of their files at that time.
    private struct ReadIdentities {
        let choice: ReaderIdentityChoice
        let stamps: [FileStamp?]
        let at: ContinuousClock.Instant
    }

    /// The last failed read of the trust.
    private struct Failure {
        let problem: PresentationServiceError
        /// The instant at which the failed read began.
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

    /// Replaces the policy for all later presentations, and forgets everything that was read.
    package func replace(
        policy: VerificationPolicy, policies: PurposePolicies = PurposePolicies()
    ) {
        // The earlier state is returned and freed outside the lock, because freeing a key in a TPM takes
        // long.
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

    /// The trust and policies that were read last, if they are not too old and the store's file has not
    /// changed since.
    private func basis(of file: FileStamp?) -> JudgingBasis? {
        state.withLock { state in
            state.basis.flatMap { $0.file == file && $0.isYoung(at: now()) ? $0.basis : nil }
        }
    }

    /// Reads the trust and policies, unless another caller has read them meanwhile.
    ///
    /// - Parameter asked: the instant at which the caller requested the trust. If a read that began later has
    ///   failed, its error is thrown. Otherwise the callers that wait for a locked store would wait for one
    ///   timeout after another.
    private func readBasis(askedAt asked: ContinuousClock.Instant) throws(PresentationServiceError)
        -> JudgingBasis
    {
        let (read, failure, generation) = state.withLock { ($0.basis, $0.failure, $0.generation) }
        // The stamp and the time are taken first, so that the next call notices a change during this read.
        let (file, began) = (databaseStamp, now())
        if let basis = basis(of: file) { return basis }
        if let failure, failure.began >= asked { throw failure.problem }
        do throws(PresentationServiceError) {
            // Another inode means another store. The same number may belong to another snapshot there.
            if let read, read.isYoung(at: began), read.file?.inode == file?.inode,
                try trustNumber() == read.number,
                let basis = state.withLock({ $0.basis?.reuse(for: file) })
            {
                return basis
            }
            return keep(try trust(), of: file, for: generation)
        } catch {
            // The store cannot be read, but its file has not changed since the last read.
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

    /// Makes the basis (trust and policies) from a snapshot that was just read. The basis stays in memory,
    /// unless the policy was replaced since the read began.
    private func keep(_ stored: StoredTrust, of file: FileStamp?, for generation: Int) -> JudgingBasis {
        let known = state.withLock { $0.basis?.basis.trust }
        // An equal snapshot id means equal sources: the trust store in memory, with the signers that it has
        // verified, is used again.
        let trust = known?.snapshotID == stored.snapshot.id ? known : nil
        let store = trust ?? TrustStore(stored.snapshot)
        // The earlier basis is returned, so that it is freed outside the lock.
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

    /// The current snapshot. A store without roots counts as not set up, even if it had roots before.
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

    /// The identities that were read last, and the present stamps of their files. `choice` is `nil` if a file
    /// has changed or the identities were read too long ago.
    private func knownChoice() throws(PresentationServiceError) -> (
        choice: ReaderIdentityChoice?, stamps: [FileStamp?]
    ) {
        let stamps = try mapping(identityFolder.stamps(), PresentationServiceError.identityRefused)
        let read = state.withLock { $0.identities }
        let isKnown = read.map { $0.stamps == stamps && now() < $0.at + Self.lasts } ?? false
        return (isKnown ? read?.choice : nil, stamps)
    }

    /// Reads the identities, unless another caller has read them meanwhile.
    private func readIdentities(at time: Timestamp) throws(PresentationServiceError) -> ReaderIdentityChoice {
        let generation = state.withLock { $0.generation }
        let (known, stamps) = try knownChoice()
        if let known { return known }
        let choice = try mapping(
            ReaderIdentities(in: identityFolder, at: time).choice, PresentationServiceError.identityRefused)
        // The earlier identities are returned, so that they are freed outside the lock.
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

/// An actor that reads from the disk on its own serial queue, one operation after another.
private actor Reading {
    private let queue = RecordQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    func run<Value: Sendable>(
        _ body: @Sendable () throws(PresentationServiceError) -> Value
    ) throws(PresentationServiceError) -> Value {
        try body()
    }
}
