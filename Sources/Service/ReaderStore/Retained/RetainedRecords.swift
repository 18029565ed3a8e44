internal import CBOR
internal import Foundation
internal import GRDB
package import MdocModel
package import MdocVerification
internal import OpenSSLCrypto
internal import ReaderIdentityStore
package import RequestPlanner

/// Element values that a place keeps, sealed, until their deadline and no longer.
///
/// Time here never goes back and never stops: the store remembers the latest instant that it was given, and continues
/// from there where the clock is set back, so that no deadline is postponed. Once nothing is retained any more, the store
/// accepts the clock as it is.
package struct RetainedRecords: Sendable {
    let store: ReaderStore
    let keys: RetentionKeys
    private let monotonic: MonotonicTime

    /// - Parameter folder: where the keys are, which must be outside the store. It is created with the first key.
    ///   Nil means `keysFolder(besideStore:)`.
    package init(
        in store: ReaderStore, keysIn folder: String? = nil, time: MonotonicTime = MonotonicTime()
    ) throws(ReaderStoreError) {
        let folder = folder ?? Self.keysFolder(besideStore: store.folder.path)
        let (own, other) = (Self.resolved(store.folder.path), Self.resolved(folder))
        guard other != own, !other.hasPrefix(own + "/") else { throw .keysInsideStore }
        self.store = store
        keys = RetentionKeys(folder: folder)
        monotonic = time
    }

    /// Where the keys are unless somebody says otherwise: beside the store's folder, so that no copy of that has them.
    private static func keysFolder(besideStore folder: String) -> String {
        var path = folder[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return "\(path)-keys"
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Keeps the data of a document that the request said would be kept, under a profile, for a reference.
    ///
    /// - Parameters:
    ///   - plan: what was asked; the holder was informed what would be kept.
    ///   - profile: the profile by which `plan` was made; `retentionDiffers` otherwise.
    ///   - owner: who ordered the presentation; nil if callers are not distinguished.
    package func retain(
        _ document: VerifiedDocument, answering plan: RequestPlan, under profile: RetentionProfile,
        consent: HolderConsent, for reference: RetainedReference, orderedBy owner: String? = nil,
        at now: Timestamp
    ) throws(ReaderStoreError) -> RetentionOutcome {
        guard plan.retention == profile.choice else { throw .retentionDiffers }
        let kept = document.elements.filter { element in
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

    /// Makes sure that something could be retained under a profile now: that the store can be written, and the keys are there.
    package func check(_ profile: RetentionProfile, at now: Timestamp) throws(ReaderStoreError) {
        guard profile.days > 0 else { return }
        let deadline = profile.deadline(from: now)
        try store.change { database in
            let state = try RetainedState(at: now, by: monotonic, in: database)
            guard deadline > state.latest else { throw ReaderStoreError.deadlinePassed }
            _ = try keys.digest(of: RetainedReference("check"), making: state.isEmpty)
            _ = try keys.cipher(due: deadline.dayInUTC, making: true)
            try state.write(to: database)
        }
    }

    func retain(
        _ values: [(name: ElementName, value: ArraySlice<UInt8>)], of docType: String,
        under profile: RetentionProfile, consent: HolderConsent, until deadline: Timestamp,
        for reference: RetainedReference, orderedBy owner: String? = nil, at now: Timestamp
    ) throws(ReaderStoreError) -> RetainedRecord.ID {
        try store.change { database in
            let state = try RetainedState(at: now, by: monotonic, in: database)
            guard deadline > state.latest else { throw ReaderStoreError.deadlinePassed }
            let id = RetainedRecord.ID(try randomBytes(RetainedRecord.ID.size))
            let insert = try database.makeStatement(
                sql: """
                    INSERT INTO retained_field (record, reference, doc_type, profile, consent, retained,
                        name_space, identifier, deadline, nonce, sealed)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            let digest = Data(try keys.digest(of: reference, making: state.isEmpty))
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

    /// The time that counts here where the clock says `now`.
    package func time(at now: Timestamp) throws(ReaderStoreError) -> Timestamp {
        try store.read { database in try RetainedState(at: now, by: monotonic, in: database).latest }
    }

    /// When something falls due next; nil if nothing is retained.
    package func nextDue() throws(ReaderStoreError) -> Timestamp? {
        try store.read { database in
            try Int64.fetchOne(database, sql: "SELECT min(deadline) FROM retained_field")
                .map(Timestamp.init(stored:))
        }
    }

    /// How much is retained, and how many records were removed: numbers only.
    package func counts() throws(ReaderStoreError) -> RetentionCounts {
        try store.read { database in try RetentionCounts(in: database) }
    }
}

extension RetainedRecords {
    /// What is retained, in the order of storing, without opening it and without its references.
    package func list() throws(ReaderStoreError) -> [RetainedSummary] {
        try store.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT record, doc_type, profile, consent, retained, export_begun, name_space, identifier,
                        deadline FROM retained_field ORDER BY number
                    """)
            var records: [RetainedSummary] = []
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

/// The records of one reference on their way out. They are still kept, marked as handed out, until `finish` has removed them.
package struct RetainedExport: Sendable {
    package let records: [RetainedRecord]
    /// When they, or some of them, were handed out before without that being finished: somebody may have them already.
    package let earlier: Timestamp?
}

extension RetainedRecords {
    /// Hands out the records of a reference, in the order in which they were retained. What is overdue is not among them.
    ///
    /// What is handed out cannot be taken back, and what is removed cannot be handed out again: so it is marked first, then handed
    /// out, then removed by `finish`. After a crash between the two the next export says that there was one.
    ///
    /// - Parameter owner: who ordered the presentations; nil for those of all, also where that is not known.
    package func beginExport(
        of reference: RetainedReference, orderedBy owner: String? = nil, at now: Timestamp
    ) throws(ReaderStoreError) -> RetainedExport {
        try store.change { database in
            var state = try RetainedState(at: now, by: monotonic, in: database)
            _ = try purge(&state, in: database)
            let digest = Data(try keys.digest(of: reference, making: state.isEmpty))
            let condition =
                "reference = ? AND (? IS NULL OR record IN (SELECT record FROM retained_owner WHERE owner = ?))"
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM retained_field WHERE \(condition) ORDER BY number",
                arguments: [digest, owner, owner])
            let export = RetainedExport(
                records: try records(of: rows),
                earlier: try rows.compactMap { try $0.decode(Int64?.self, forColumn: "export_begun") }.max()
                    .map(Timestamp.init(stored:)))
            try database.execute(
                sql: "UPDATE retained_field SET export_begun = ? WHERE \(condition)",
                arguments: [now.secondsSince1970, digest, owner, owner])
            return export
        }
    }

    /// Removes what was handed out, all of it at once. What was retained for the reference meanwhile stays.
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

    private func purge(
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

/// What is remembered about retained data beside the data: the latest time seen, and how much was removed.
private struct RetainedState {
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
