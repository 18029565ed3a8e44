internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// The trust store as the commands use it: an error names the folder and what to do.
struct TrustStoreAccess {
    let folder: String
    private let store: ReaderStore

    /// A store that is there.
    static func reading(_ folder: String) throws(CommandFailure) -> TrustStoreAccess {
        try TrustStoreAccess(folder, .reading)
    }

    /// The store, created if absent.
    static func changing(_ folder: String) throws(CommandFailure) -> TrustStoreAccess {
        try TrustStoreAccess(folder, .changing)
    }

    private init(_ folder: String, _ access: ReaderStore.Access) throws(CommandFailure) {
        self.folder = folder
        store = try mapping(ReaderStore(at: folder, for: access)) { (error: ReaderStoreError) in
            error.failure(in: folder)
        }
    }

    /// Does something with the store.
    func using<Value>(
        _ body: (ReaderStore) throws(ReaderStoreError) -> Value
    ) throws(CommandFailure) -> Value {
        try mapping(body(store)) { (error: ReaderStoreError) in error.failure(in: folder) }
    }

    func current() throws(CommandFailure) -> StoredTrust {
        try using { store throws(ReaderStoreError) in try store.currentTrust() }
    }

    func currentIfAny() throws(CommandFailure) -> StoredTrust? {
        try using { store throws(ReaderStoreError) in try store.currentTrustIfAny() }
    }

    func history() throws(CommandFailure) -> [TrustRecord] {
        try using { store throws(ReaderStoreError) in try store.trustHistory() }
    }

    /// The snapshot whose id begins so.
    func snapshot(_ id: SnapshotArgument) throws(CommandFailure) -> StoredTrust {
        try using { store throws(ReaderStoreError) in try store.trust(idPrefix: id.prefix) }
    }

    /// Stores what was staged in place of `current`, and returns the result. If no source was accepted, nothing
    /// changes.
    func put(
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

/// The id of a snapshot, or how it begins.
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
