internal import Foundation
internal import GRDB
package import MdocModel

/// A presentation as it outlives the daemon: what was ordered and how it ended, without answers and element values.
package struct StoredPresentation: Sendable {
    package let id: String
    /// The name of the caller who ordered it.
    package let owner: String
    /// The caller's own name for it; nil if it has none.
    package let reference: String?
    /// The number of the person under the reference, from 1.
    package let holder: Int
    /// The SHA-256 of the order; a repeated order has the same.
    package let order: [UInt8]
    package let created: Timestamp
    /// Nil while it continues.
    package let ended: Timestamp?
    package let lane: String
    /// While it continues, the outcome of an interruption.
    package let outcome: Outcome?
    /// Whether a test issuer signed a document of it; nil if no document was judged.
    package let isOfTest: Bool?
    /// The JSON that its caller reads. While it continues, this says that it was interrupted.
    package let description: String
    /// The same for those who see the outcome alone.
    package let outcomeDescription: String
    /// Where its end is still to be delivered; nil for nowhere, or once it was delivered.
    package let webhook: String?
    /// The number of its receipt, and of that of what was asked next.
    package internal(set) var receipts: (first: Int64?, further: Int64?) = (nil, nil)

    package init(
        id: String, owner: String, reference: String?, holder: Int, order: [UInt8], created: Timestamp,
        ended: Timestamp?, lane: String, outcome: Outcome?, isOfTest: Bool?, description: String,
        outcomeDescription: String, webhook: String? = nil
    ) {
        self.id = id
        self.owner = owner
        self.reference = reference
        self.holder = holder
        self.order = order
        self.created = created
        self.ended = ended
        self.lane = lane
        self.outcome = outcome
        self.isOfTest = isOfTest
        self.description = description
        self.outcomeDescription = outcomeDescription
        self.webhook = webhook
    }

    /// The receipt of the second request (`then`) is held under the presentation's name with this ending.
    static let furtherEnding = "/then"
}

/// An end of a presentation that is still to be delivered.
package struct PendingDelivery: Equatable, Sendable {
    package let id: String
    /// The name of the caller who ordered the presentation.
    package let owner: String
    package let webhook: String
}

extension ReaderStore {
    /// For how long a presentation is kept after its end, in seconds.
    package static let presentationsKept: Int64 = 86_400

    /// Keeps a presentation, in place of what was kept of it, or of an older one with its reference.
    package func put(_ presentation: StoredPresentation) throws(ReaderStoreError) {
        try change { database in try Self.put(presentation, in: database) }
    }

    /// Stores a presentation that begins, and makes sure that its receipts can be written and signed: it holds what they say
    /// if the presentation is interrupted. All of it or nothing.
    ///
    /// - Parameters:
    ///   - first: the receipt of the first request; nil if that has no receipt.
    ///   - further: the receipt of the second.
    package func insert(
        _ presentation: StoredPresentation, holding first: ReceiptStatement?, then further: ReceiptStatement?
    ) throws(ReaderStoreError) {
        try change { database in
            if first != nil || further != nil { _ = try ReceiptKeyFile(in: folder).key() }
            try Self.put(presentation, in: database)
            try Self.hold(first, then: further, of: presentation.id, in: database)
        }
    }

    /// Writes a presentation and removes it in the same change: whether the store accepts one.
    package func probe() throws(ReaderStoreError) {
        let probe = StoredPresentation(
            id: "probe", owner: "", reference: nil, holder: 1, order: [UInt8](repeating: 0, count: 32),
            created: Timestamp(secondsSince1970: 0), ended: nil, lane: "", outcome: nil, isOfTest: nil,
            description: "{}", outcomeDescription: "{}")
        try change { database in
            try Self.put(probe, in: database)
            try database.execute(sql: "DELETE FROM presentation WHERE id = ?", arguments: [probe.id])
        }
    }

    /// Forgets a presentation that was not begun after all.
    package func withdraw(_ id: String) throws(ReaderStoreError) {
        try change { database in
            try database.execute(sql: "DELETE FROM presentation WHERE id = ?", arguments: [id])
            try Self.release(id, in: database)
        }
    }

    private static func put(_ presentation: StoredPresentation, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO presentation
                    (id, owner, reference, holder, request, created, ended, lane, outcome, of_test,
                     description, outcome_description, receipt, further_receipt, webhook)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                presentation.id, presentation.owner, presentation.reference, presentation.holder,
                Data(presentation.order), presentation.created.secondsSince1970,
                presentation.ended?.secondsSince1970, presentation.lane, presentation.outcome?.rawValue,
                presentation.isOfTest, presentation.description, presentation.outcomeDescription,
                presentation.receipts.first, presentation.receipts.further, presentation.webhook,
            ])
    }

    /// Keeps how a presentation ended and writes its receipts, in place of what was held for them: all of it or nothing.
    ///
    /// - Parameters:
    ///   - first: the receipt of the first request; nil if that has no receipt.
    ///   - further: the receipt of the second.
    /// - Returns: the numbers of the receipts.
    package func end(
        _ presentation: StoredPresentation, first: ReceiptStatement?, further: ReceiptStatement?
    ) throws(ReaderStoreError) -> (first: Int64?, further: Int64?) {
        let receipts = try change { database in
            try Self.release(presentation.id, in: database)
            var presentation = presentation
            presentation.receipts.first = try first.map { try append($0, in: database).sequence }
            presentation.receipts.further = try further.map { try append($0, in: database).sequence }
            try Self.put(presentation, in: database)
            return presentation.receipts
        }
        if receipts != (nil, nil) { sealReceipts() }
        return receipts
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

    /// The newest of one caller, or of all, from the newest on.
    package func presentations(
        of owner: String?, atMost limit: Int
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try presentations(
            "owner = coalesce(?, owner) ORDER BY created DESC, rowid DESC LIMIT ?", [owner, limit])
    }

    /// Every end that is still to be delivered, from the oldest on.
    package func pendingDeliveries() throws(ReaderStoreError) -> [PendingDelivery] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT id, owner, webhook FROM presentation
                    WHERE webhook IS NOT NULL AND ended IS NOT NULL ORDER BY ended, rowid
                    """
            ).map { row in
                PendingDelivery(
                    id: try row.decode(forColumn: "id"), owner: try row.decode(forColumn: "owner"),
                    webhook: try row.decode(forColumn: "webhook"))
            }
        }
    }

    /// The presentations of one caller whose end is still to be delivered to an origin, from the oldest on.
    ///
    /// - Parameter origin: the beginning of a URL up to its path, in small letters.
    package func undelivered(
        of owner: String, to origin: String, atMost limit: Int
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try presentations(
            """
            owner = ? AND ended IS NOT NULL AND substr(lower(webhook), 1, length(?)) = ?
                AND substr(webhook, length(?) + 1, 1) IN ('', '/', '?') ORDER BY ended, rowid LIMIT ?
            """, [owner, origin, origin, origin, limit])
    }

    /// The end of a presentation is not to be delivered any more.
    package func endDelivery(of id: String) throws(ReaderStoreError) {
        try change { database in
            try database.execute(sql: "UPDATE presentation SET webhook = NULL WHERE id = ?", arguments: [id])
        }
    }

    /// The lane of the presentation that this caller ordered and a receipt is of; nil if the receipt is of none.
    package func lane(ofReceipt number: Int64, of owner: String) throws(ReaderStoreError) -> String? {
        try presentations("owner = ? AND ? IN (receipt, further_receipt) LIMIT 1", [owner, number]).first?
            .lane
    }

    private func presentations(
        _ condition: String, _ arguments: StatementArguments
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM presentation WHERE \(condition)", arguments: arguments
            ).map { row in
                var stored = StoredPresentation(
                    id: try row.decode(forColumn: "id"), owner: try row.decode(forColumn: "owner"),
                    reference: try row.decode(forColumn: "reference"),
                    holder: try row.decode(forColumn: "holder"),
                    order: [UInt8](try row.decode(Data.self, forColumn: "request")),
                    created: try Timestamp(stored: row.decode(forColumn: "created")),
                    ended: try row.decode(Int64?.self, forColumn: "ended").map(Timestamp.init(stored:)),
                    lane: try row.decode(forColumn: "lane"),
                    outcome: try row.decode(String?.self, forColumn: "outcome")
                        .flatMap(Outcome.init(rawValue:)),
                    isOfTest: try row.decode(forColumn: "of_test"),
                    description: try row.decode(forColumn: "description"),
                    outcomeDescription: try row.decode(forColumn: "outcome_description"),
                    webhook: try row.decode(forColumn: "webhook"))
                stored.receipts = (
                    try row.decode(forColumn: "receipt"), try row.decode(forColumn: "further_receipt")
                )
                return stored
            }
        }
    }

    /// Ends what an earlier run of the daemon left open. For the start, when none of it can continue.
    package func endPresentations(at now: Timestamp) throws(ReaderStoreError) {
        try change { database in
            try database.execute(
                sql: """
                    UPDATE presentation SET ended = max(?, created),
                        description = json_set(description, '$.ended', ?),
                        outcome_description = json_set(outcome_description, '$.ended', ?) WHERE ended IS NULL
                    """,
                arguments: [now.secondsSince1970, "\(now)", "\(now)"])
        }
    }

    /// Removes those whose time is over, and those that ended while the clock was ahead by as much.
    package func removePresentations(at now: Timestamp) throws(ReaderStoreError) {
        try change { database in
            try database.execute(
                sql: "DELETE FROM presentation WHERE abs(ended - ?) > ?",
                arguments: [now.secondsSince1970, Self.presentationsKept])
        }
    }
}

/// How many presentations ended in one hour with one outcome.
package struct OutcomeCount: Equatable, Sendable {
    /// Counted from the start of the day, from 0.
    package let hour: Int
    package let outcome: Outcome
    package let count: Int
}

extension ReaderStore {
    /// The presentations of a day by hour and outcome. Presentations are kept for a day, so that an earlier one has none.
    package func outcomes(
        from start: Timestamp, to end: Timestamp
    ) throws(ReaderStoreError) -> [OutcomeCount] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT (ended - ?1) / 3600 AS hour, json_extract(description, '$.outcome') AS outcome,
                        count(*) AS number
                        FROM presentation WHERE ended >= ?1 AND ended < ?2 AND outcome IS NOT NULL
                        GROUP BY hour, outcome ORDER BY hour, outcome
                    """,
                arguments: [start.secondsSince1970, end.secondsSince1970]
            ).compactMap { row in
                guard let outcome = try Outcome(rawValue: row.decode(forColumn: "outcome"))
                else { return nil }
                return OutcomeCount(
                    hour: try row.decode(forColumn: "hour"), outcome: outcome,
                    count: try row.decode(forColumn: "number"))
            }
        }
    }
}
