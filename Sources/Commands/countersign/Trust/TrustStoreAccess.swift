internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// Access to the store for commands. Each error becomes a `CommandFailure` with the store's folder and a
/// remedy.
struct TrustStoreAccess {
    let folder: String
    private let store: ReaderStore

    /// Opens an existing store for reading.
    static func reading(_ folder: String) throws(CommandFailure) -> TrustStoreAccess {
        try TrustStoreAccess(folder, .reading)
    }

    /// Opens the store for changes, and creates it if it does not exist.
    static func changing(_ folder: String) throws(CommandFailure) -> TrustStoreAccess {
        try TrustStoreAccess(folder, .changing)
    }

    private init(_ folder: String, _ access: ReaderStore.Access) throws(CommandFailure) {
        self.folder = folder
        store = try mapping(ReaderStore(at: folder, for: access)) { (error: ReaderStoreError) in
            error.failure(in: folder)
        }
    }

    /// Performs `body` with the store.
    func using<Value>(
        _ body: (ReaderStore) throws(ReaderStoreError) -> Value
    ) throws(CommandFailure) -> Value {
        try mapping(body(store)) { (error: ReaderStoreError) in error.failure(in: folder) }
    }

    /// Returns the current snapshot. Throws if the store has no snapshot.
    func current() throws(CommandFailure) -> StoredTrust {
        try using { store throws(ReaderStoreError) in try store.currentTrust() }
    }

    func currentIfAny() throws(CommandFailure) -> StoredTrust? {
        try using { store throws(ReaderStoreError) in try store.currentTrustIfAny() }
    }

    func history() throws(CommandFailure) -> [TrustRecord] {
        try using { store throws(ReaderStoreError) in try store.trustHistory() }
    }

    /// Returns the snapshot whose id begins with the argument.
    func snapshot(_ id: SnapshotArgument) throws(CommandFailure) -> StoredTrust {
        try using { store throws(ReaderStoreError) in try store.trust(idPrefix: id.prefix) }
    }

    /// Makes the snapshot of a stage the current one, and returns the report.
    ///
    /// If the stage changed nothing, the snapshot is not stored again. The time of an imported bundle is
    /// recorded even then.
    ///
    /// - Parameters:
    ///   - current: The snapshot that the stage began from. The call fails if another process has changed the
    ///     store's current snapshot.
    ///   - bundle: The time when the imported bundle was created, or `nil` for other changes. After this call
    ///     the store refuses older bundles.
    func save(
        _ stage: TrustStage, after current: StoredTrust?, by change: TrustRecord.Change, at now: Timestamp,
        bundle: Timestamp? = nil
    ) throws(CommandFailure) -> TrustChangeReport {
        var record = current?.record
        if stage.snapshot.id != stage.change.before.id || bundle != nil {
            record = try using { store throws(ReaderStoreError) in
                try store.replaceTrust(
                    with: stage.snapshot, expecting: record?.number, by: change, at: now, bundle: bundle)
            }
        }
        return TrustChangeReport(previous: current?.record.id, current: record, outcomes: stage.outcomes)
    }
}

/// An argument with the id of a snapshot or its beginning, at least four hexadecimal digits.
struct SnapshotArgument: ExpressibleByArgument {
    let prefix: String

    private static let shortest = 4

    init?(argument: String) {
        guard (Self.shortest...64).contains(argument.count), argument.allSatisfy(\.isHexDigit) else {
            return nil
        }
        prefix = argument.lowercased()
    }
}
