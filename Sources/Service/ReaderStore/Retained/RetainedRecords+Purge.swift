internal import Foundation
internal import GRDB
package import MdocModel
internal import ReaderIdentityStore

extension RetainedRecords {
    /// Removes everything whose deadline has passed, and the keys of past days. Call it at the start, and when
    /// `nextDue()` says so.
    ///
    /// - Returns: the number of records that were removed completely.
    /// - Throws: `keyFile` if a key could not be removed; the data is removed nevertheless.
    @discardableResult
    package func purge(at now: Timestamp) throws(ReaderStoreError) -> Int64 {
        let (count, failure) = try store.change { database in
            var state = try RetainedState(at: now, by: monotonic, in: database)
            return try purge(&state, in: database)
        }
        if let failure { throw .keyFile(failure) }
        return count
    }

    func purge(
        _ state: inout RetainedState, in database: Database
    ) throws -> (count: Int64, failure: IdentityStoreError?) {
        let latest = state.latest
        let count = try remove("deadline <= ?", [latest.secondsSince1970], in: database)
        let (purged, isTooMany) = state.purged.addingReportingOverflow(count)
        guard !isTooMany else { throw ReaderStoreError.damaged }
        state.purged = purged
        try state.write(to: database)
        // Before the change is made: should it be lost now, what is left cannot be read.
        return (count, keys.removeAll(before: latest.dayInUTC))
    }

    /// Removes fields, so that no trace of them stays in the file.
    ///
    /// - Returns: of how many records nothing is left.
    func remove(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> Int64 {
        let records = "SELECT count(DISTINCT record) FROM retained_field"
        let isThere = "SELECT 1 FROM retained_field WHERE \(condition) LIMIT 1"
        guard try Int64.fetchOne(database, sql: isThere, arguments: arguments) != nil else { return 0 }
        let before = try Int64.fetchOne(database, sql: records) ?? 0
        try database.execute(sql: RetainedTables.fields(in: "retained_spare"))
        try database.execute(
            sql: "INSERT INTO retained_spare SELECT * FROM retained_field WHERE NOT (\(condition))",
            arguments: arguments)
        // Every page of the table is overwritten with zeros (secure_delete).
        try database.execute(sql: "DROP TABLE retained_field")
        try database.execute(sql: "ALTER TABLE retained_spare RENAME TO retained_field")
        try database.execute(sql: RetainedTables.index)
        try database.execute(sql: RetainedTables.owners(in: "retained_owner_spare"))
        try database.execute(
            sql: """
                INSERT INTO retained_owner_spare
                    SELECT * FROM retained_owner WHERE record IN (SELECT record FROM retained_field);
                DROP TABLE retained_owner;
                ALTER TABLE retained_owner_spare RENAME TO retained_owner;
                """)
        try blankFreePages(in: database)
        return before - (try Int64.fetchOne(database, sql: records) ?? 0)
    }

    /// Overwrites the pages that are free. A process that was killed while it wrote may have left copies of rows in them: what
    /// they held before is not in the journal, so taking the change back does not touch them.
    private func blankFreePages(in database: Database) throws {
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        guard free > 0 else { return }
        // The table takes one page, and its blob each of the others, with the number of the next in 4 bytes.
        try database.execute(sql: "CREATE TABLE retained_blank (zeros BLOB NOT NULL) STRICT")
        try database.execute(
            sql: "INSERT INTO retained_blank VALUES (zeroblob(?))",
            arguments: [min((free - 1) * (size - 4), 1 << 29)])
        try database.execute(sql: "DROP TABLE retained_blank")
    }
}
