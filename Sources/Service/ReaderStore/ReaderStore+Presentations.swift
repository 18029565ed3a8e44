internal import Foundation
internal import GRDB
package import MdocModel

/// A presentation as the store keeps it for a day: the order and how it ended, without answers and element
/// values.
package struct StoredPresentation: Sendable {
    package let id: String
    /// The name of the caller who ordered the presentation.
    package let owner: String
    /// Whether a desk started the presentation with a preset.
    package let isOfDesk: Bool
    /// The caller's name for the presentation, such as a booking number; `nil` if the caller gave none.
    package let reference: String?
    /// The reference of the order that this presentation repeats; `nil` for a new order. A list of the
    /// presentations under this reference includes this presentation. If a new order has the same reference,
    /// that order is not compared with this presentation's order.
    package let repeatedReference: String?
    /// The number of the person if several persons have one reference; the first person has the number 1.
    package let holder: Int
    /// The SHA-256 of the order. A repeated order has the same digest.
    package let order: [UInt8]
    package let created: Timestamp
    /// The time at which the presentation ended; `nil` while it continues.
    package let ended: Timestamp?
    package let lane: String
    /// The outcome of the presentation. For a running presentation, this is the outcome that applies if it is
    /// interrupted.
    package let outcome: Outcome?
    /// Whether a test issuer signed a document of the presentation; `nil` if no document was judged.
    package let isOfTest: Bool?
    /// The JSON description that the caller reads. The description of a running presentation says that the
    /// presentation was interrupted, because the daemon may end before it has replaced the row.
    package let description: String
    /// The JSON description for callers who may see only the outcome.
    package let outcomeDescription: String
    /// The URL to which the end of the presentation is still to be delivered; `nil` if there is none, or
    /// after delivery.
    package let webhook: String?
    /// The numbers of the receipts of the first request and of the second request (`then`); `nil` for a
    /// missing receipt.
    package internal(set) var receipts: (first: Int64?, further: Int64?) = (nil, nil)

    package init(
        id: String, owner: String, isOfDesk: Bool = false, reference: String?,
        repeatedReference: String? = nil, holder: Int, order: [UInt8], created: Timestamp, ended: Timestamp?,
        lane: String, outcome: Outcome?, isOfTest: Bool?, description: String, outcomeDescription: String,
        webhook: String? = nil
    ) {
        self.id = id
        self.owner = owner
        self.isOfDesk = isOfDesk
        self.reference = reference
        self.repeatedReference = repeatedReference
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

    /// The suffix for the held receipt of the second request (`then`). This receipt is stored under the
    /// presentation's id followed by the suffix.
    static let furtherEnding = "/then"
}

/// A presentation that has ended and whose end is still to be delivered to a webhook.
package struct PendingDelivery: Equatable, Sendable {
    package let id: String
    /// The name of the caller who ordered the presentation.
    package let owner: String
    package let webhook: String
}

extension ReaderStore {
    /// The time for which a presentation is kept after its end, in seconds.
    package static let presentationsKept: Int64 = 86_400

    /// Stores a presentation. Its row replaces the row with the same id. The new row also replaces the row of
    /// an older presentation with the same owner, reference and holder number.
    package func put(_ presentation: StoredPresentation) throws(ReaderStoreError) {
        try change { database in try Self.put(presentation, in: database) }
    }

    /// Stores a presentation that begins. Also stores receipts that report an interruption, in the table of
    /// held receipts. These receipts are not in the chain yet.
    ///
    /// Reads the key of the receipts too, or creates it, so that a receipt that cannot be signed is noticed
    /// before a request is sent to the phone. All of this is one transaction.
    ///
    /// - Parameters:
    ///   - first: the receipt of the first request; `nil` if there is none.
    ///   - further: the receipt of the second request (`then`); `nil` if there is none.
    package func insert(
        _ presentation: StoredPresentation, holding first: ReceiptStatement?, then further: ReceiptStatement?
    ) throws(ReaderStoreError) {
        try change { database in
            // The key is read only to find out whether it is usable. The receipts are signed when they are
            // appended.
            if first != nil || further != nil { _ = try ReceiptKeyFile(in: folder).key() }
            try Self.put(presentation, in: database)
            try Self.hold(first, then: further, of: presentation.id, in: database)
        }
    }

    /// Checks that the store can be written: inserts a presentation and deletes it in the same transaction.
    package func checkWritable() throws(ReaderStoreError) {
        // Nobody sees this row. Its values only have to satisfy the table.
        let probe = StoredPresentation(
            id: "probe", owner: "", reference: nil, holder: 1, order: [UInt8](repeating: 0, count: 32),
            created: Timestamp(secondsSince1970: 0), ended: nil, lane: "", outcome: nil, isOfTest: nil,
            description: "{}", outcomeDescription: "{}")
        try change { database in
            try Self.put(probe, in: database)
            try database.execute(sql: "DELETE FROM presentation WHERE id = ?", arguments: [probe.id])
        }
    }

    /// Deletes a presentation that was stored but did not begin. Also deletes its receipts from the table of
    /// held receipts.
    package func withdraw(_ id: String) throws(ReaderStoreError) {
        try change { database in
            try database.execute(sql: "DELETE FROM presentation WHERE id = ?", arguments: [id])
            try Self.release(id, in: database)
        }
    }

    /// Writes the row of a presentation inside a write transaction.
    private static func put(_ presentation: StoredPresentation, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO presentation
                    (id, owner, reference, holder, request, created, ended, lane, outcome, of_test,
                     description, outcome_description, receipt, further_receipt, webhook,
                     repeated_reference, of_desk)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                presentation.id, presentation.owner, presentation.reference, presentation.holder,
                Data(presentation.order), presentation.created.secondsSince1970,
                presentation.ended?.secondsSince1970, presentation.lane, presentation.outcome?.rawValue,
                presentation.isOfTest, presentation.description, presentation.outcomeDescription,
                presentation.receipts.first, presentation.receipts.further, presentation.webhook,
                presentation.repeatedReference, presentation.isOfDesk,
            ])
    }

    /// Stores how a presentation ended, appends its receipts to the chain, deletes the receipts that were held
    /// for an interruption or a decision, and records outputs. All of this is one transaction.
    ///
    /// - Parameters:
    ///   - first: the receipt of the first request; `nil` if there is none.
    ///   - further: the receipt of the second request (`then`); `nil` if there is none.
    ///   - outputs: the accessories that are to act on the outcome, and those that refuse it. An accessory that
    ///     has an output of this presentation already gets no second one.
    /// - Returns: the numbers of the new receipts, and the new outputs.
    package func end(
        _ presentation: StoredPresentation, first: ReceiptStatement?, further: ReceiptStatement?,
        outputs: [NewOutput] = []
    ) throws(ReaderStoreError) -> (first: Int64?, further: Int64?, outputs: [StoredOutput]) {
        let (receipts, recorded) = try change { database in
            try Self.release(presentation.id, in: database)
            var presentation = presentation
            presentation.receipts.first = try first.map {
                try append(.presentation($0), in: database).sequence
            }
            presentation.receipts.further = try further.map {
                try append(.presentation($0), in: database).sequence
            }
            try Self.put(presentation, in: database)
            let (receipt, time) = (
                presentation.receipts.first ?? presentation.receipts.further,
                presentation.ended ?? presentation.created
            )
            let recorded = try Self.record(
                outputs, of: presentation.id, receipt: receipt, at: time, in: database)
            // If all outputs are refused at once, no later change leads to their statement.
            _ = try appendOutputs(ofReceipt: receipt, at: time, in: database)
            return (presentation.receipts, recorded)
        }
        if receipts != (nil, nil) { writeReceiptHead() }
        return (receipts.first, receipts.further, recorded)
    }

    package func presentation(_ id: String) throws(ReaderStoreError) -> StoredPresentation? {
        try presentations("id = ?", [id]).first
    }

    /// Returns the presentations that a caller ordered under one reference, in the order of the holder
    /// numbers. A presentation that repeats an order follows the presentation of that order.
    package func presentations(
        of owner: String, under reference: String
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try presentations(
            "owner = ? AND ? IN (reference, repeated_reference) ORDER BY holder, created, rowid",
            [owner, reference])
    }

    /// Returns the newest presentations of one caller, or of all callers if `owner` is `nil`; the newest
    /// first.
    package func presentations(
        of owner: String?, atMost limit: Int
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        // With null for `owner` the condition is `owner = owner`, which is true for every row.
        try presentations(
            "owner = coalesce(?, owner) ORDER BY created DESC, rowid DESC LIMIT ?", [owner, limit])
    }

    /// Returns all presentations whose end is still to be delivered, in the order in which they ended.
    package func pendingDeliveries() throws(ReaderStoreError) -> [PendingDelivery] {
        // `ended` is null while a presentation continues, and `endDelivery` sets `webhook` to null.
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

    /// Returns the presentations of one caller whose end is still to be delivered to an origin, in the order
    /// in which they ended.
    ///
    /// - Parameters:
    ///   - owner: the name of the caller.
    ///   - origin: a URL without its path, in lower case, such as `https://till.example:8443`.
    ///   - limit: the maximum number of presentations.
    package func undelivered(
        of owner: String, to origin: String, atMost limit: Int
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        // The URL must end or have a path or query after the origin: `https://till.example` is not the origin
        // of `https://till.example:8443/`. LIKE would treat `_` and `%` in the origin as wildcards. After
        // `endDelivery` the column `webhook` is null, and no condition on it is true.
        try presentations(
            """
            owner = ? AND ended IS NOT NULL AND substr(lower(webhook), 1, length(?)) = ?
                AND substr(webhook, length(?) + 1, 1) IN ('', '/', '?') ORDER BY ended, rowid LIMIT ?
            """, [owner, origin, origin, origin, limit])
    }

    /// Records that the end of a presentation was delivered, or that its delivery was given up.
    package func endDelivery(of id: String) throws(ReaderStoreError) {
        try change { database in
            try database.execute(sql: "UPDATE presentation SET webhook = NULL WHERE id = ?", arguments: [id])
        }
    }

    /// Returns the lane of the presentation with this receipt; `nil` if `owner` ordered no presentation with
    /// this receipt.
    package func lane(ofReceipt number: Int64, of owner: String) throws(ReaderStoreError) -> String? {
        try presentations("owner = ? AND ? IN (receipt, further_receipt) LIMIT 1", [owner, number]).first?
            .lane
    }

    /// Returns the presentations for which an SQL condition is true. The condition may end in ORDER BY and
    /// LIMIT.
    private func presentations(
        _ condition: String, _ arguments: StatementArguments
    ) throws(ReaderStoreError) -> [StoredPresentation] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM presentation WHERE \(condition)", arguments: arguments
            ).map { row in
                var stored = StoredPresentation(
                    id: try row.decode(forColumn: "id"), owner: try row.decode(forColumn: "owner"),
                    isOfDesk: try row.decode(forColumn: "of_desk"),
                    reference: try row.decode(forColumn: "reference"),
                    repeatedReference: try row.decode(forColumn: "repeated_reference"),
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

    /// Marks all running presentations as ended. Call this function when the daemon starts: no presentation
    /// of an earlier run can continue.
    package func endPresentations(at now: Timestamp) throws(ReaderStoreError) {
        try change { database in
            // `max` is used because a clock that was set back could give an end before the creation. The row
            // of a running presentation describes an interruption already, without the time of the end.
            try database.execute(
                sql: """
                    UPDATE presentation SET ended = max(?, created),
                        description = json_set(description, '$.ended', ?),
                        outcome_description = json_set(outcome_description, '$.ended', ?) WHERE ended IS NULL
                    """,
                arguments: [now.secondsSince1970, "\(now)", "\(now)"])
        }
    }

    /// Deletes the presentations that ended more than a day ago, with their outputs. Also deletes presentations
    /// whose end is more than a day in the future: such an end was recorded while the clock was ahead. Outputs
    /// that are not settled stay.
    package func removePresentations(at now: Timestamp) throws(ReaderStoreError) {
        // A presentation that continues has no end. The condition is then null, and the row stays.
        try change { database in
            try database.execute(
                sql: "DELETE FROM presentation WHERE abs(ended - ?) > ?",
                arguments: [now.secondsSince1970, Self.presentationsKept])
            try Self.removeOutputs(in: database)
        }
    }
}

/// The number of presentations that ended in one hour with one outcome.
package struct OutcomeCount: Equatable, Sendable {
    /// The number of the hour in the period, from 0.
    package let hour: Int
    package let outcome: Outcome
    package let count: Int
}

extension ReaderStore {
    /// Counts the presentations that ended in a period, by hour and outcome. Presentations are kept for a
    /// day, so an earlier period has no presentations.
    ///
    /// - Parameters:
    ///   - start: the beginning of the period, and of hour 0.
    ///   - end: the first instant after the period.
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
