internal import Foundation
internal import GRDB
package import MdocModel
internal import MdocTrust

extension ReaderStore {
    /// What is trusted now. What comes back is just what was put in: each source by its digest, and the whole by its id.
    package func currentTrust() throws(ReaderStoreError) -> StoredTrust {
        try read { database in
            guard let record = try TrustRecord.current(in: database) else { throw ReaderStoreError.empty }
            return try StoredTrust(record, in: database)
        }
    }

    /// What is trusted now, or nil in a store that was just set up.
    package func currentTrustIfAny() throws(ReaderStoreError) -> StoredTrust? {
        try read { database in
            try TrustRecord.current(in: database).map { try StoredTrust($0, in: database) }
        }
    }

    /// The number of the snapshot that is in place, without what is in it; nil in a store that was just set up.
    package func currentTrustNumber() throws(ReaderStoreError) -> Int64? {
        try read { database in try Int64.fetchOne(database, sql: "SELECT snapshot FROM trust_current") }
    }

    /// All snapshots that are kept, the latest first.
    package func trustHistory() throws(ReaderStoreError) -> [TrustRecord] {
        try read { database in try TrustRecord.all(in: database) }
    }

    /// The latest snapshot that is kept whose id begins with these hexadecimal digits.
    package func trust(idPrefix: String) throws(ReaderStoreError) -> StoredTrust {
        try read { database in
            try StoredTrust(TrustRecord.latest(idPrefix: idPrefix, in: database), in: database)
        }
    }

    /// When the newest bundle was made that was ever let in; nil if none was.
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

    static func numbered(_ number: Int64, in database: Database) throws -> TrustRecord? {
        try Row.fetchOne(database, sql: "\(columns) WHERE s.number = ?", arguments: [number])
            .map { try TrustRecord($0) }
    }

    static func latest(idPrefix: String, in database: Database) throws -> TrustRecord {
        let found = try all(in: database).filter { $0.id.description.hasPrefix(idPrefix.lowercased()) }
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
        // The id shows whether a source is missing or was changed.
        guard snapshot.id == record.id else { throw ReaderStoreError.snapshotDamaged(record.id) }
        self.record = record
    }
}

extension TrustSource {
    fileprivate init(_ row: Row) throws {
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
    /// The word for its kind, and what it says of it.
    var stored: (word: String, location: String) {
        switch self {
        case .file(let path): ("file", path)
        case .fetched(let url): ("fetched", url)
        case .bundle(let created): ("bundle", "\(created.secondsSince1970)")
        }
    }

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
