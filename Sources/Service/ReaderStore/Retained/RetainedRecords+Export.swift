internal import Foundation
internal import GRDB
package import MdocModel

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
