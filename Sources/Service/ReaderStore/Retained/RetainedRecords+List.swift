internal import Foundation
internal import GRDB
internal import MdocModel

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
