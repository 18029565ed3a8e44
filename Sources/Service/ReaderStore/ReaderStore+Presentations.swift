internal import Foundation
internal import GRDB
package import MdocModel

/// A presentation as it outlives the daemon: what was ordered and how it ended, without answers and element values.
package struct StoredPresentation: Equatable, Sendable {
    package let id: String
    /// The name of the caller who ordered it.
    package let owner: String
    /// The caller's own name for it; nil where it has none.
    package let reference: String?
    /// Which of the persons that belong to the reference.
    package let holder: Int
    /// The SHA-256 of the order, by which the same order is known again.
    package let order: [UInt8]
    package let created: Timestamp
    /// Nil while it continues.
    package let ended: Timestamp?
    /// The JSON that its caller reads. While it continues, this says that it was interrupted.
    package let description: String
    /// The number of its receipt, and of that of what was asked next.
    package let receipts: (first: Int64?, further: Int64?)

    package init(
        id: String, owner: String, reference: String?, holder: Int, order: [UInt8], created: Timestamp,
        ended: Timestamp?, description: String, receipts: (first: Int64?, further: Int64?) = (nil, nil)
    ) {
        self.id = id
        self.owner = owner
        self.reference = reference
        self.holder = holder
        self.order = order
        self.created = created
        self.ended = ended
        self.description = description
        self.receipts = receipts
    }

    package static func == (one: StoredPresentation, other: StoredPresentation) -> Bool {
        one.id == other.id && one.owner == other.owner && one.reference == other.reference
            && one.holder == other.holder && one.order == other.order && one.created == other.created
            && one.ended == other.ended && one.description == other.description
            && one.receipts == other.receipts
    }
}

extension ReaderStore {
    /// For how long a presentation is kept after its end, in seconds.
    package static let presentationsKept: Int64 = 86_400

    /// Keeps a presentation, in place of what was kept of it, or of an older one with its reference.
    package func put(_ presentation: StoredPresentation) throws(ReaderStoreError) {
        try change { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO presentation
                        (id, owner, reference, holder, request, created, ended, description, receipt, further_receipt)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    presentation.id, presentation.owner, presentation.reference, presentation.holder,
                    Data(presentation.order), presentation.created.secondsSince1970,
                    presentation.ended?.secondsSince1970, presentation.description,
                    presentation.receipts.first, presentation.receipts.further,
                ])
        }
    }

    package func presentation(_ id: String) throws(ReaderStoreError) -> StoredPresentation? {
        try presentations("id = ?", [id]).first
    }

    /// What a caller ordered under one reference, person by person.
    package func presentations(
        of owner: String, under reference: String
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try presentations("owner = ? AND reference = ? ORDER BY holder", [owner, reference])
    }

    /// Whether a receipt is of a presentation that this caller ordered.
    package func isReceipt(_ number: Int64, of owner: String) throws(ReaderStoreError) -> Bool {
        try !presentations("owner = ? AND ? IN (receipt, further_receipt) LIMIT 1", [owner, number]).isEmpty
    }

    private func presentations(
        _ condition: String, _ arguments: StatementArguments
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM presentation WHERE \(condition)", arguments: arguments
            ).map { row in
                StoredPresentation(
                    id: row["id"], owner: row["owner"], reference: row["reference"], holder: row["holder"],
                    order: [UInt8](row["request"] as Data), created: try Timestamp(stored: row["created"]),
                    ended: try (row["ended"] as Int64?).map { try Timestamp(stored: $0) },
                    description: row["description"], receipts: (row["receipt"], row["further_receipt"]))
            }
        }
    }

    /// Ends what an earlier run of the daemon left open. For the start, when nothing of it can go on.
    package func endPresentations(at now: Timestamp) throws(ReaderStoreError) {
        try change { database in
            try database.execute(
                sql: """
                    UPDATE presentation SET ended = ?, description = json_set(description, '$.ended', ?)
                        WHERE ended IS NULL
                    """,
                arguments: [now.secondsSince1970, "\(now)"])
        }
    }

    /// Removes those whose time is over.
    package func removePresentations(at now: Timestamp) throws(ReaderStoreError) {
        try change { database in
            try database.execute(
                sql: "DELETE FROM presentation WHERE ended < ?",
                arguments: [now.secondsSince1970 - Self.presentationsKept])
        }
    }
}
