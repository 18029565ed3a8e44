package import MdocModel
package import MdocTrust
internal import ReaderIdentityStore
internal import ReaderReports
internal import ReaderStore
internal import Synchronization

/// The basis that the store's folder holds. It is read again as soon as another snapshot is in place, and the identities
/// as soon as one was removed, renewed or re-chosen; else what was read stands, whatever receipts and retained data do to
/// the file.
package final class StoredBasis: JudgingBasisSource {
    private let folder: String
    private let state: Mutex<State>

    /// For how long identities are used without looking at their validity again.
    private static let lasts = Duration.seconds(600)

    private struct State {
        var policy: RevocationPolicy
        var clockSkew: Int64
        var testRoots: TestRoots
        var basis: ReadBasis?
        var identities: ReadIdentities?
    }

    private struct ReadBasis {
        let basis: JudgingBasis
        let number: Int64
        var file: FileStamp?
    }

    private struct ReadIdentities {
        let choice: ReaderIdentityChoice
        let stamps: [FileStamp?]
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
        try state.withLock { state throws(APIProblem) in try basis(&state) }
    }

    private func basis(_ state: inout State) throws(APIProblem) -> JudgingBasis {
        let file = FileStamp("\(folder)/countersign.sqlite")
        if let read = state.basis {
            if read.file == file { return read.basis }
            if read.file?.inode == file?.inode, (try? store().currentTrustNumber()) == read.number {
                state.basis?.file = file
                return read.basis
            }
        }
        let stored = try trust()
        let basis = JudgingBasis(
            trust: TrustStore(stored.snapshot), obtained: stored.snapshot.sources.map(\.obtained).max(),
            since: stored.record.created, policy: state.policy, clockSkew: state.clockSkew,
            testRoots: state.testRoots)
        state.basis = ReadBasis(basis: basis, number: stored.record.number, file: file)
        return basis
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

    // MARK: Identities

    private var identityFolder: IdentityFolder { IdentityFolder(store: folder) }

    package func identities(at now: Timestamp) async throws(APIProblem) -> ReaderIdentityChoice {
        try state.withLock { state throws(APIProblem) in try identities(at: now, &state) }
    }

    private func identities(
        at now: Timestamp, _ state: inout State
    ) throws(APIProblem) -> ReaderIdentityChoice {
        let stamps = try Self.refusing { () throws(IdentityStoreError) in try identityFolder.stamps() }
        if let read = state.identities, read.stamps == stamps, ContinuousClock.now < read.at + Self.lasts {
            return read.choice
        }
        let choice = try Self.refusing { () throws(IdentityStoreError) in
            try ReaderIdentities(in: identityFolder, at: now).choice
        }
        state.identities = ReadIdentities(choice: choice, stamps: stamps, at: .now)
        return choice
    }

    package func identity(
        named name: String, at now: Timestamp
    ) async throws(APIProblem) -> ReaderIdentity {
        try Self.refusing { () throws(IdentityStoreError) in
            try ReaderIdentities.identity(named: name, in: identityFolder, at: now)
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
