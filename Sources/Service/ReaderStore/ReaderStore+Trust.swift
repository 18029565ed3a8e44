internal import Foundation
internal import GRDB
package import MdocModel
package import MdocTrust

extension ReaderStore {
    /// Returns the current trust snapshot. Checks first that each source has its stored digest, and that the
    /// digest over all sources is the snapshot's id.
    ///
    /// - Throws: `empty` in a store without a snapshot; `damaged` or `snapshotDamaged` if stored bytes were
    ///   changed.
    package func currentTrust() throws(ReaderStoreError) -> StoredTrust {
        try read { database in
            guard let record = try TrustRecord.current(in: database) else { throw ReaderStoreError.empty }
            return try StoredTrust(record, in: database)
        }
    }

    /// Returns the current trust snapshot, or `nil` in a store without a snapshot.
    package func currentTrustIfAny() throws(ReaderStoreError) -> StoredTrust? {
        try read { database in
            try TrustRecord.current(in: database).map { try StoredTrust($0, in: database) }
        }
    }

    /// Returns the number of the current snapshot without reading its sources; `nil` in a store without a
    /// snapshot.
    package func currentTrustNumber() throws(ReaderStoreError) -> Int64? {
        try read { database in try Int64.fetchOne(database, sql: "SELECT snapshot FROM trust_current") }
    }

    /// Returns the records of all snapshots that are kept, the latest first.
    package func trustHistory() throws(ReaderStoreError) -> [TrustRecord] {
        try read { database in try TrustRecord.all(in: database) }
    }

    /// Returns the latest kept snapshot whose id begins with these hexadecimal digits.
    ///
    /// - Throws: `snapshotUnknown` if no kept snapshot has such an id, `snapshotAmbiguous` if several
    ///   different ids begin with these digits.
    package func trust(idPrefix: String) throws(ReaderStoreError) -> StoredTrust {
        try read { database in
            try StoredTrust(TrustRecord.latest(idPrefix: idPrefix, in: database), in: database)
        }
    }

    /// Returns the creation time of the newest trust bundle that was ever imported; `nil` if there was none.
    package func newestTrustBundle() throws(ReaderStoreError) -> Timestamp? {
        try read { database in try Self.newestTrustBundle(in: database) }
    }

    static func newestTrustBundle(in database: Database) throws -> Timestamp? {
        try Int64.fetchOne(database, sql: "SELECT created FROM trust_bundle").map(Timestamp.init(stored:))
    }
}

extension TrustRecord {
    private static let columns = """
        SELECT s.number, s.id, s.created, s.predecessor, s.change, c.snapshot IS NOT NULL AS isCurrent
        FROM trust_snapshot s LEFT JOIN trust_current c ON c.snapshot = s.number
        """

    static func current(in database: Database) throws -> TrustRecord? {
        try Row.fetchOne(database, sql: "\(columns) WHERE c.snapshot IS NOT NULL").map { try TrustRecord($0) }
    }

    static func all(in database: Database) throws -> [TrustRecord] {
        try Row.fetchAll(database, sql: "\(columns) ORDER BY s.number DESC").map { try TrustRecord($0) }
    }

    fileprivate static func numbered(_ number: Int64, in database: Database) throws -> TrustRecord? {
        try Row.fetchOne(database, sql: "\(columns) WHERE s.number = ?", arguments: [number])
            .map { try TrustRecord($0) }
    }

    static func latest(idPrefix: String, in database: Database) throws -> TrustRecord {
        let found = try all(in: database).filter { $0.id.description.hasPrefix(idPrefix.lowercased()) }
        // `all` returns the latest snapshot first.
        guard let latest = found.first else { throw ReaderStoreError.snapshotUnknown }
        guard found.allSatisfy({ $0.id == latest.id }) else { throw ReaderStoreError.snapshotAmbiguous }
        return latest
    }

    private init(_ row: Row) throws {
        guard let change = Change(rawValue: try row.decode(forColumn: "change")) else {
            throw ReaderStoreError.damaged
        }
        self.change = change
        number = try row.decode(forColumn: "number")
        id = TrustSnapshot.ID(bytes: [UInt8](try row.decode(Data.self, forColumn: "id")))
        created = try Timestamp(stored: row.decode(forColumn: "created"))
        predecessor = try row.decode(forColumn: "predecessor")
        isCurrent = try row.decode(forColumn: "isCurrent")
    }
}

extension StoredTrust {
    init(_ record: TrustRecord, in database: Database) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT s.kind, s.name, s.provenance, s.location, s.obtained, s.sha256, b.bytes
                FROM trust_source s JOIN trust_bytes b ON b.sha256 = s.sha256 WHERE s.snapshot = ?
                """, arguments: [record.number])
        var sources: [TrustSource] = []
        while let row = try rows.next() { sources.append(try TrustSource(row)) }
        snapshot = TrustSnapshot(sources)
        // The id is a digest over all sources, so it shows a source that is missing or was changed.
        guard snapshot.id == record.id else { throw ReaderStoreError.snapshotDamaged(record.id) }
        self.record = record
    }
}

extension TrustSource {
    /// Reads a source. Throws `damaged` if its bytes do not have the stored digest.
    fileprivate init(_ row: Row) throws {
        // The indices are those of the columns that `StoredTrust.init` selects.
        let location: String = try row.decode(atIndex: 3)
        guard let kind = Kind(rawValue: try row.decode(atIndex: 0)),
            let provenance = Provenance(try row.decode(atIndex: 2), location)
        else { throw ReaderStoreError.damaged }
        self.init(
            kind, name: try row.decode(atIndex: 1), provenance: provenance,
            obtained: try Timestamp(stored: row.decode(atIndex: 4)),
            bytes: [UInt8](try row.decode(Data.self, atIndex: 6))[...])
        guard sha256.elementsEqual(try row.decode(Data.self, atIndex: 5)) else {
            throw ReaderStoreError.damaged
        }
    }
}

extension TrustSource.Provenance {
    /// The two columns of a provenance: its kind, and the path, URL or creation time.
    var stored: (word: String, location: String) {
        switch self {
        case .file(let path): ("file", path)
        case .fetched(let url): ("fetched", url)
        case .bundle(let created): ("bundle", "\(created.secondsSince1970)")
        }
    }

    /// Reads the two columns of a provenance; `nil` if they do not have a known form.
    init?(_ word: String, _ location: String) {
        switch word {
        case "file": self = .file(path: location)
        case "fetched": self = .fetched(url: location)
        case "bundle":
            guard let created = Int64(location).flatMap(Timestamp.init(received:)) else { return nil }
            self = .bundle(created: created)
        default: return nil
        }
    }
}

extension ReaderStore {
    /// The number of snapshots that are kept, including the current one.
    package static let keptSnapshots = 32

    /// Makes `snapshot` the current trust snapshot for all later reads.
    ///
    /// - Parameters:
    ///   - expected: the number of the current snapshot when the caller read it. If another snapshot is
    ///     current by now, nothing changes and `changedMeanwhile` is thrown.
    ///   - change: the operation that made the snapshot.
    ///   - now: the creation time of the record.
    ///   - bundle: the creation time of the bundle that the snapshot comes from; `nil` if it does not come
    ///     from a bundle. If a later bundle was imported by now, nothing changes and `changedMeanwhile` is
    ///     thrown.
    /// - Returns: the current record afterwards. If `snapshot` equals the current snapshot, the record is the
    ///   existing one.
    @discardableResult
    package func replaceTrust(
        with snapshot: TrustSnapshot, expecting expected: Int64?, by change: TrustRecord.Change,
        at now: Timestamp, bundle: Timestamp? = nil
    ) throws(ReaderStoreError) -> TrustRecord {
        try self.change { database in
            let current = try TrustRecord.current(in: database)
            guard current?.number == expected else { throw ReaderStoreError.changedMeanwhile }
            // A bundle counts as imported even if the current snapshot has the same contents already.
            if let bundle { try Self.remember(bundle: bundle, in: database) }
            if let current, current.id == snapshot.id { return current }
            let number = try Self.insert(
                snapshot, after: current, change: change, at: now, in: database)
            try Self.makeCurrent(number, in: database)
            try Self.prune(in: database)
            return try TrustRecord.numbered(number, in: database).required()
        }
    }

    /// Makes an earlier trust snapshot the current one again.
    ///
    /// - Parameter prefix: the beginning of the snapshot's id in hexadecimal digits; `nil` for the
    ///   predecessor of the current snapshot.
    package func rollBackTrust(toIDPrefix prefix: String? = nil) throws(ReaderStoreError) -> TrustRecord {
        try change { database in
            guard let current = try TrustRecord.current(in: database) else { throw ReaderStoreError.empty }
            let target: TrustRecord
            if let prefix {
                target = try TrustRecord.latest(idPrefix: prefix, in: database)
            } else {
                let predecessor = try current.predecessor.flatMap {
                    try TrustRecord.numbered($0, in: database)
                }
                guard let predecessor else { throw ReaderStoreError.noPredecessor }
                target = predecessor
            }
            // Reading the snapshot verifies its digests: a damaged snapshot must not become current.
            _ = try StoredTrust(target, in: database)
            try Self.makeCurrent(target.number, in: database)
            return try TrustRecord.current(in: database).required()
        }
    }

    /// Inserts a snapshot with its sources, and returns its number. Bytes that are already stored for an
    /// earlier snapshot are not stored again.
    private static func insert(
        _ snapshot: TrustSnapshot, after predecessor: TrustRecord?, change: TrustRecord.Change,
        at now: Timestamp, in database: Database
    ) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO trust_snapshot (id, created, predecessor, change) VALUES (?, ?, ?, ?)",
            arguments: [
                Data(snapshot.id.bytes), now.secondsSince1970, predecessor?.number, change.rawValue,
            ])
        let number = database.lastInsertedRowID
        let bytes = try database.makeStatement(
            sql: "INSERT OR IGNORE INTO trust_bytes (sha256, bytes) VALUES (?, ?)")
        let member = try database.makeStatement(
            sql: """
                INSERT INTO trust_source (snapshot, kind, name, provenance, location, obtained, sha256)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        for source in snapshot.sources {
            let (digest, provenance) = (Data(source.sha256), source.provenance.stored)
            try bytes.execute(arguments: [digest, Data(source.bytes)])
            try member.execute(arguments: [
                number, source.kind.rawValue, source.name, provenance.word, provenance.location,
                source.obtained.secondsSince1970, digest,
            ])
        }
        return number
    }

    private static func makeCurrent(_ number: Int64, in database: Database) throws {
        try database.execute(
            // The table has only one row, with 1 in the column `only`. The statement replaces that row.
            sql: "INSERT OR REPLACE INTO trust_current (only, snapshot) VALUES (1, ?)", arguments: [number])
    }

    /// Records the creation time of an imported bundle. The recorded time never decreases, not even when the
    /// trust is rolled back to an earlier snapshot, so that an old bundle cannot be imported again.
    ///
    /// - Throws: `changedMeanwhile` if a bundle with a later creation time was imported already.
    private static func remember(bundle created: Timestamp, in database: Database) throws {
        // Compared inside the transaction, because another process may have imported a later bundle. If
        // that bundle has equal contents, the current snapshot keeps its number, and the comparison with
        // `expected` does not reveal the import.
        if let newest = try newestTrustBundle(in: database), newest > created {
            throw ReaderStoreError.changedMeanwhile
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO trust_bundle (only, created) VALUES (1, ?)",
            arguments: [created.secondsSince1970])
    }

    /// Keeps the newest `keptSnapshots` snapshots and deletes the older ones. Then deletes the bytes of
    /// sources that no kept snapshot contains.
    private static func prune(in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM trust_snapshot WHERE number NOT IN
                    (SELECT number FROM trust_snapshot ORDER BY number DESC LIMIT \(keptSnapshots))
                """)
        // The rows of `trust_source` were deleted with their snapshot (ON DELETE CASCADE).
        try database.execute(
            sql: "DELETE FROM trust_bytes WHERE sha256 NOT IN (SELECT sha256 FROM trust_source)")
    }
}

extension Optional {
    /// Returns the row that this transaction has just written. Throws `damaged` if the row is missing.
    fileprivate func required() throws -> Wrapped {
        guard let self else { throw ReaderStoreError.damaged }
        return self
    }
}

/// A snapshot in the store's history, without its sources.
package struct TrustRecord: Equatable, Sendable {
    /// The operation that made a snapshot.
    package enum Change: String, Sendable {
        case imported, removed, updated
        case bundle
    }

    /// The snapshot's number in the history, which only grows. A snapshot with the same id may occur again
    /// under a higher number.
    package let number: Int64
    package let id: TrustSnapshot.ID
    package let created: Timestamp
    /// The number of the snapshot that was current before; `nil` for the first snapshot, or if its
    /// predecessor is no longer kept.
    package let predecessor: Int64?
    package let change: Change
    package let isCurrent: Bool
}

/// A snapshot in the store's history with its sources.
package struct StoredTrust: Sendable {
    package let record: TrustRecord
    package let snapshot: TrustSnapshot
}
