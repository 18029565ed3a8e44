internal import GRDB
internal import MdocModel

/// What is remembered about retained data beside the data: the latest time seen, and how much was removed.
struct RetainedState {
    /// The latest instant that the store was given while something was retained.
    private(set) var latest: Timestamp
    var purged: Int64
    var exported: Int64
    /// Whether nothing is retained.
    let isEmpty: Bool
    private let time: MonotonicTime

    /// The state at `now`. What is latest continues with `time`, whatever the clock says.
    init(at now: Timestamp, by time: MonotonicTime, in database: Database) throws {
        let row = try Row.fetchOne(database, sql: "SELECT latest, purged, exported FROM retained_state")
        isEmpty = try Int64.fetchOne(database, sql: "SELECT 1 FROM retained_field LIMIT 1") == nil
        let before = try row.map { try Timestamp(stored: $0.decode(forColumn: "latest")) }
        latest = isEmpty ? now : max(now, before.map { time.time(since: $0) } ?? now)
        self.time = time
        purged = try row?.decode(forColumn: "purged") ?? 0
        exported = try row?.decode(forColumn: "exported") ?? 0
    }

    func write(to database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO retained_state (only, latest, purged, exported) VALUES (1, ?, ?, ?)",
            arguments: [latest.secondsSince1970, purged, exported])
        _ = time.time(since: latest)
    }
}

/// How much is retained, and how much was removed.
package struct RetentionCounts: Equatable, Sendable {
    package let records: Int64
    package let fields: Int64
    /// How many records were purged since the store was set up.
    package let purged: Int64
    /// How many records were exported and then removed.
    package let exported: Int64
}

extension RetentionCounts {
    init(in database: Database) throws {
        records =
            try Int64.fetchOne(
                database, sql: "SELECT count(DISTINCT record) FROM retained_field") ?? 0
        fields = try Int64.fetchOne(database, sql: "SELECT count(*) FROM retained_field") ?? 0
        purged = try Int64.fetchOne(database, sql: "SELECT purged FROM retained_state") ?? 0
        exported = try Int64.fetchOne(database, sql: "SELECT exported FROM retained_state") ?? 0
    }
}
