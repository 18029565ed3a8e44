internal import CBOR
internal import Foundation
internal import GRDB
package import MdocModel
package import MdocVerification
internal import OpenSSLCrypto
internal import ReaderIdentityStore
package import RequestPlanner

/// Retained element values: sealed, and deleted at their deadline.
///
/// A record is one document under a till's reference; its fields are element values. The life of a record:
///
/// 1. `check(_:at:)` before the request: the store can be written and the keys exist.
/// 2. `retain(_:answering:under:consent:for:orderedBy:at:)` stores the elements that the request announced to
///    the holder.
/// 3. `beginExport(of:orderedBy:at:)` returns the records of a reference and marks them; `finish(_:)` deletes
///    them after the caller has confirmed the export.
/// 4. `purge(at:)` deletes records whose deadline has passed, exported or not.
///
/// Values are sealed with a key for each day on which fields expire (`RetentionKeys`). The keys are outside
/// the store and are deleted after that day, so a copy of the store cannot be read later.
///
/// The time that is compared with deadlines never goes back. The store records the latest time that it was
/// given, and continues from that time if the clock is set back, so that no deadline is postponed. While
/// nothing is retained, the system's clock is used unchanged, even if it was set back.
///
/// `RecordArchive` calls these functions on its thread, and commands call them directly. Portraits are never
/// retained, and a reference is stored only as a keyed digest.
package struct RetainedRecords: Sendable {
    let store: ReaderStore
    let keys: RetentionKeys
    private let monotonic: MonotonicTime

    /// Gives access to the retained records of a store.
    ///
    /// - Parameters:
    ///   - store: the store whose tables contain the records.
    ///   - folder: the folder of the keys, which must be outside the store. The folder is created with the
    ///     first key. `nil` for the folder beside the store whose name ends in `-keys`.
    ///   - time: the clock that continues if the system's clock is set back.
    /// - Throws: `keysInsideStore` if the folder of the keys is in the folder of the store.
    package init(
        in store: ReaderStore, keysIn folder: String? = nil, time: MonotonicTime = MonotonicTime()
    ) throws(ReaderStoreError) {
        let folder = folder ?? Self.keysFolder(besideStore: store.folder.path)
        let (storePath, keysPath) = (Self.resolved(store.folder.path), Self.resolved(folder))
        guard keysPath != storePath, !keysPath.hasPrefix(storePath + "/") else { throw .keysInsideStore }
        self.store = store
        keys = RetentionKeys(folder: folder)
        monotonic = time
    }

    /// Returns the default folder of the keys: beside the store's folder, so that a copy of the store has no
    /// keys.
    private static func keysFolder(besideStore folder: String) -> String {
        var path = folder[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return "\(path)-keys"
    }

    /// Returns the path without links and `..`, so that two paths of one folder are equal.
    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Retains the elements of a document that the request announced to the holder.
    ///
    /// - Parameters:
    ///   - plan: the request, which told the holder what would be kept.
    ///   - profile: the profile with which `plan` was made.
    ///   - consent: whether the holder's consent was recorded.
    ///   - reference: the till's reference for the record.
    ///   - owner: the caller who ordered the presentation; `nil` if callers are not distinguished.
    /// - Throws: `retentionDiffers` if `plan` was made with another profile, `deadlinePassed` if the clock
    ///   was set back.
    package func retain(
        _ document: VerifiedDocument, answering plan: RequestPlan, under profile: RetentionProfile,
        consent: HolderConsent, for reference: RetainedReference, orderedBy owner: String? = nil,
        at now: Timestamp
    ) throws(ReaderStoreError) -> RetentionOutcome {
        guard plan.retention == profile.choice else { throw .retentionDiffers }
        let kept = document.elements.filter { element in
            // A value that only the phone signed is not retained.
            element.signedBy == .issuer && plan.keeps(element.name, of: document.docType)
        }
        guard profile.days > 0, !kept.isEmpty, consent == .given || !profile.needsConsent else {
            return .nothing
        }
        let deadline = profile.deadline(from: now)
        let id = try retain(
            kept.map { ($0.name, $0.value.encoded) }, of: document.docType, under: profile,
            consent: consent, until: deadline, for: reference, orderedBy: owner, at: now)
        return .retained(id, until: deadline)
    }

    /// Checks that data can be retained under a profile now. The check writes to the store, and reads or
    /// creates the keys.
    package func check(_ profile: RetentionProfile, at now: Timestamp) throws(ReaderStoreError) {
        guard profile.days > 0 else { return }
        let deadline = profile.deadline(from: now)
        try store.change { database in
            let state = try RetainedState(at: now, by: monotonic, in: database)
            guard deadline > state.latest else { throw ReaderStoreError.deadlinePassed }
            // The results are not used: these calls fail if a key can be neither read nor created.
            _ = try keys.digest(of: RetainedReference("check"), createIfMissing: state.isEmpty)
            _ = try keys.cipher(due: deadline.dayInUTC, createIfMissing: true)
            try state.write(to: database)
        }
    }

    /// Seals values and stores them as one record.
    ///
    /// - Throws: `deadlinePassed` if the clock was set back.
    func retain(
        _ values: [(name: ElementName, value: ArraySlice<UInt8>)], of docType: String,
        under profile: RetentionProfile, consent: HolderConsent, until deadline: Timestamp,
        for reference: RetainedReference, orderedBy owner: String? = nil, at now: Timestamp
    ) throws(ReaderStoreError) -> RetainedRecord.ID {
        try store.change { database in
            let state = try RetainedState(at: now, by: monotonic, in: database)
            // With a clock that was set back, the new record would be overdue already, and the next purge
            // would delete it.
            guard deadline > state.latest else { throw ReaderStoreError.deadlinePassed }
            let id = RetainedRecord.ID(try randomBytes(RetainedRecord.ID.size))
            let insert = try database.makeStatement(
                sql: """
                    INSERT INTO retained_field (record, reference, doc_type, profile, consent, retained,
                        name_space, identifier, deadline, nonce, sealed)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            // Only the first record may create the key for references: with a new key existing records could
            // not be found.
            let digest = Data(try keys.digest(of: reference, createIfMissing: state.isEmpty))
            for (name, value) in values {
                let field = try RetainedField(
                    sealing: value, of: name, in: id, until: deadline, with: keys)
                try insert.execute(arguments: [
                    Data(id.bytes), digest, docType, profile.name, consent.rawValue, now.secondsSince1970,
                    name.nameSpace, name.identifier, deadline.secondsSince1970, Data(field.nonce),
                    Data(field.sealed),
                ])
            }
            if let owner {
                try database.execute(
                    sql: "INSERT INTO retained_owner (record, owner) VALUES (?, ?)",
                    arguments: [Data(id.bytes), owner])
            }
            try state.write(to: database)
            return id
        }
    }

    /// Returns the time that is compared with deadlines when the system's clock shows `now`.
    package func time(at now: Timestamp) throws(ReaderStoreError) -> Timestamp {
        try store.read { database in try RetainedState(at: now, by: monotonic, in: database).latest }
    }

    /// Returns the earliest deadline; `nil` if nothing is retained.
    package func nextDue() throws(ReaderStoreError) -> Timestamp? {
        try store.read { database in
            try Int64.fetchOne(database, sql: "SELECT min(deadline) FROM retained_field")
                .map(Timestamp.init(stored:))
        }
    }

    /// Returns the owners of all records.
    package func owners() throws(ReaderStoreError) -> [String] {
        try store.read { database in
            try String.fetchAll(database, sql: "SELECT DISTINCT owner FROM retained_owner")
        }
    }

    /// Returns the number of retained records and the number of removed records.
    package func counts() throws(ReaderStoreError) -> RetentionCounts {
        try store.read { database in try RetentionCounts(in: database) }
    }
}

extension RetainedRecords {
    /// Returns all records in the order in which they were stored, without their values and references.
    package func list() throws(ReaderStoreError) -> [RetainedSummary] {
        try store.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT record, doc_type, profile, consent, retained, export_begun, name_space, identifier,
                        deadline FROM retained_field ORDER BY number
                    """)
            var records: [RetainedSummary] = []
            // The rows of a record follow one another, because one transaction inserted them.
            while let row = try rows.next() {
                let id = RetainedRecord.ID([UInt8](try row.decode(Data.self, forColumn: "record")))
                if records.last?.id != id { records.append(try RetainedSummary(row, of: id)) }
                records[records.count - 1].names.append(
                    ElementName(
                        nameSpace: try row.decode(forColumn: "name_space"),
                        identifier: try row.decode(forColumn: "identifier")))
            }
            return records
        }
    }
}

extension RetainedSummary {
    fileprivate init(_ row: Row, of id: RetainedRecord.ID) throws {
        guard let profile = RetentionProfile(try row.decode(String.self, forColumn: "profile")),
            let consent = HolderConsent(rawValue: try row.decode(forColumn: "consent"))
        else { throw ReaderStoreError.damaged }
        self.init(
            id: id, docType: try row.decode(forColumn: "doc_type"), profile: profile, consent: consent,
            retained: try Timestamp(stored: row.decode(forColumn: "retained")), names: [],
            deadline: try Timestamp(stored: row.decode(forColumn: "deadline")),
            handedOut: try row.decode(Int64?.self, forColumn: "export_begun").map(
                Timestamp.init(stored:)))
    }
}

/// The records of one reference in an export. The records stay in the store, marked as exported, until
/// `finish` deletes them.
package struct RetainedExport: Sendable {
    package let records: [RetainedRecord]
    /// The time of an earlier export of these records that was not confirmed; `nil` if there was none.
    /// Somebody may have the records already.
    package let earlier: Timestamp?
}

extension RetainedRecords {
    /// Returns the records of a reference in the order in which they were retained, without the records that
    /// are overdue.
    ///
    /// Handing records out and deleting them cannot be one step. So this function marks the records, and
    /// `finish` deletes them after the caller has confirmed that they arrived. If the daemon ends before
    /// `finish`, the next export reports the earlier export.
    ///
    /// - Parameter owners: the owners of the records; `nil` for the records of all owners.
    package func beginExport(
        of reference: RetainedReference, orderedBy owners: [String]? = nil, at now: Timestamp
    ) throws(ReaderStoreError) -> RetainedExport {
        try store.change { database in
            var state = try RetainedState(at: now, by: monotonic, in: database)
            // A key that cannot be deleted is no fault of the export: the next `purge(at:)` tries again and
            // reports it.
            _ = try purge(&state, in: database)
            // In an empty store the key may never have been created; the query then finds nothing. If there
            // are records, a missing key is an error.
            let digest = Data(try keys.digest(of: reference, createIfMissing: state.isEmpty))
            let (condition, arguments) = Self.selection(of: digest, orderedBy: owners)
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM retained_field WHERE \(condition) ORDER BY number",
                arguments: arguments)
            let export = RetainedExport(
                records: try records(of: rows),
                earlier: try rows.compactMap { try $0.decode(Int64?.self, forColumn: "export_begun") }.max()
                    .map(Timestamp.init(stored:)))
            try database.execute(
                sql: "UPDATE retained_field SET export_begun = ? WHERE \(condition)",
                arguments: [now.secondsSince1970] + arguments)
            return export
        }
    }

    /// The condition in SQL for the records of a reference.
    ///
    /// - Parameter owners: the owners of the records; `nil` for the records of all owners.
    private static func selection(
        of digest: Data, orderedBy owners: [String]?
    ) -> (condition: String, arguments: StatementArguments) {
        guard let owners else { return ("reference = ?", [digest]) }
        let places = Array(repeating: "?", count: owners.count).joined(separator: ", ")
        return (
            "reference = ? AND record IN (SELECT record FROM retained_owner WHERE owner IN (\(places)))",
            [digest] + StatementArguments(owners)
        )
    }

    /// Deletes the records of a reference without handing them out. The number of purged records grows by the
    /// number of these records.
    ///
    /// - Returns: the number of deleted records.
    package func delete(
        _ reference: RetainedReference, orderedBy owners: [String], at now: Timestamp
    ) throws(ReaderStoreError) -> Int64 {
        try store.change { database in
            var state = try RetainedState(at: now, by: monotonic, in: database)
            guard !state.isEmpty else { return 0 }
            let digest = Data(try keys.digest(of: reference, createIfMissing: false))
            let (condition, arguments) = Self.selection(of: digest, orderedBy: owners)
            let count = try remove(condition, arguments, in: database)
            // The sum can overflow only if somebody changed the stored number.
            let (purged, isTooMany) = state.purged.addingReportingOverflow(count)
            guard !isTooMany else { throw ReaderStoreError.damaged }
            state.purged = purged
            try state.write(to: database)
            return count
        }
    }

    /// Deletes these exported records in one transaction. A record that was retained after the export began
    /// stays, even if it has the same reference.
    package func finish(_ records: [RetainedRecord.ID]) throws(ReaderStoreError) {
        guard !records.isEmpty else { return }
        try store.change { database in
            let ids = records.map { Data($0.bytes) }
            let places = Array(repeating: "?", count: ids.count).joined(separator: ", ")
            let count = try remove("record IN (\(places))", StatementArguments(ids), in: database)
            try database.execute(
                sql: "UPDATE retained_state SET exported = exported + ?", arguments: [count])
        }
    }

    /// Opens the fields of rows, and joins neighbouring fields of the same record.
    private func records(of rows: [Row]) throws -> [RetainedRecord] {
        var records: [RetainedRecord] = []
        for row in rows {
            let field = try RetainedField(row)
            let opened = try field.open(with: keys)
            if let last = records.last, last.id == field.record {
                records[records.count - 1] = last.adding(opened)
            } else {
                records.append(try RetainedRecord(row, opened, of: field.record))
            }
        }
        return records
    }
}

extension RetainedRecord {
    fileprivate init(_ row: Row, _ field: Field, of id: ID) throws {
        guard let profile = RetentionProfile(try row.decode(String.self, forColumn: "profile")),
            let consent = HolderConsent(rawValue: try row.decode(forColumn: "consent"))
        else { throw ReaderStoreError.damaged }
        self.init(
            id: id, docType: try row.decode(forColumn: "doc_type"), profile: profile, consent: consent,
            retained: try Timestamp(stored: row.decode(forColumn: "retained")), fields: [field])
    }

    fileprivate func adding(_ field: Field) -> RetainedRecord {
        RetainedRecord(
            id: id, docType: docType, profile: profile, consent: consent, retained: retained,
            fields: fields + [field])
    }
}

extension RetainedRecords {
    /// Deletes all fields whose deadline has passed, and the keys of past days. Call this function when the
    /// daemon starts, and at the time that `nextDue()` returns.
    ///
    /// - Returns: the number of records that have no field left.
    /// - Throws: `keyFile` if a key could not be deleted; the data is deleted nevertheless.
    @discardableResult
    package func purge(at now: Timestamp) throws(ReaderStoreError) -> Int64 {
        let (count, failure) = try store.change { database in
            var state = try RetainedState(at: now, by: monotonic, in: database)
            return try purge(&state, in: database)
        }
        if let failure { throw .keyFile(failure) }
        return count
    }

    /// Deletes overdue fields and the keys of past days inside a write transaction.
    ///
    /// - Returns: the number of records that have no field left, and the error of a key that could not be
    ///   deleted.
    private func purge(
        _ state: inout RetainedState, in database: Database
    ) throws -> (count: Int64, failure: IdentityStoreError?) {
        let latest = state.latest
        let count = try remove("deadline <= ?", [latest.secondsSince1970], in: database)
        // The sum can overflow only if somebody changed the stored number.
        let (purged, isTooMany) = state.purged.addingReportingOverflow(count)
        guard !isTooMany else { throw ReaderStoreError.damaged }
        state.purged = purged
        try state.write(to: database)
        // Keys are deleted before the transaction commits. If the process ends before the commit, the
        // overdue fields stay in the file, but cannot be read without their keys.
        return (count, keys.removeAll(before: latest.dayInUTC))
    }

    /// Deletes fields. No copy of their rows remains in the file.
    ///
    /// - Returns: the number of records that have no field left.
    func remove(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> Int64 {
        let records = "SELECT count(DISTINCT record) FROM retained_field"
        let matching = "SELECT 1 FROM retained_field WHERE \(condition) LIMIT 1"
        guard try Int64.fetchOne(database, sql: matching, arguments: arguments) != nil else { return 0 }
        let before = try Int64.fetchOne(database, sql: records) ?? 0
        // The remaining rows are copied to a new table, and the old table is dropped. A plain DELETE would
        // leave copies of the deleted rows in pages that they occupied earlier.
        try database.execute(sql: RetainedTables.fields(in: "retained_spare"))
        try database.execute(
            sql: "INSERT INTO retained_spare SELECT * FROM retained_field WHERE NOT (\(condition))",
            arguments: arguments)
        // With `secure_delete` SQLite overwrites every page of the dropped table with zeros.
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

    /// Overwrites the free pages of the file. A process that was killed while it wrote may have left copies
    /// of rows in pages that were free before. The journal has no copy of such pages, so a rollback does not
    /// restore their earlier contents.
    private func blankFreePages(in database: Database) throws {
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        guard free > 0 else { return }
        // The table takes one free page, and its blob takes the other pages. Each of these starts with the
        // 4-byte number of the next page, and `size - 4` bytes are left for zeros. SQLite limits a blob to
        // 10⁹ bytes: this one has at most 2²⁹.
        try database.execute(sql: "CREATE TABLE retained_blank (zeros BLOB NOT NULL) STRICT")
        try database.execute(
            sql: "INSERT INTO retained_blank VALUES (zeroblob(?))",
            arguments: [min((free - 1) * (size - 4), 1 << 29)])
        try database.execute(sql: "DROP TABLE retained_blank")
    }
}

/// The state that the store keeps beside the retained data: the latest time that the store was given, and how
/// many records were removed.
private struct RetainedState {
    /// The latest time that the store was given while something was retained.
    private(set) var latest: Timestamp
    var purged: Int64
    var exported: Int64
    /// Whether no field is retained.
    let isEmpty: Bool
    private let time: MonotonicTime

    /// Reads the state and advances its latest time. If something is retained, `latest` follows the monotonic
    /// clock even if `now` is earlier.
    init(at now: Timestamp, by time: MonotonicTime, in database: Database) throws {
        let row = try Row.fetchOne(database, sql: "SELECT latest, purged, exported FROM retained_state")
        isEmpty = try Int64.fetchOne(database, sql: "SELECT 1 FROM retained_field LIMIT 1") == nil
        let before = try row.map { try Timestamp(stored: $0.decode(forColumn: "latest")) }
        // Without retained data there is no deadline to postpone, so `now` is used even if the clock was set
        // back.
        latest = isEmpty ? now : max(now, before.map { time.time(since: $0) } ?? now)
        self.time = time
        purged = try row?.decode(forColumn: "purged") ?? 0
        exported = try row?.decode(forColumn: "exported") ?? 0
    }

    func write(to database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO retained_state (only, latest, purged, exported) VALUES (1, ?, ?, ?)",
            arguments: [latest.secondsSince1970, purged, exported])
        // Called only so that the monotonic clock continues from `latest`. The result is not used.
        _ = time.time(since: latest)
    }
}

/// The numbers of retained and removed records.
package struct RetentionCounts: Equatable, Sendable {
    package let records: Int64
    package let fields: Int64
    /// The number of records that were purged since the store was created.
    package let purged: Int64
    /// The number of records that were exported and then deleted.
    package let exported: Int64
}

extension RetentionCounts {
    init(in database: Database) throws {
        records =
            try Int64.fetchOne(
                database, sql: "SELECT count(DISTINCT record) FROM retained_field") ?? 0
        fields = try Int64.fetchOne(database, sql: "SELECT count(*) FROM retained_field") ?? 0
        // The table has no row before data is first retained.
        purged = try Int64.fetchOne(database, sql: "SELECT purged FROM retained_state") ?? 0
        exported = try Int64.fetchOne(database, sql: "SELECT exported FROM retained_state") ?? 0
    }
}
