package import Fleet
package import ReaderStore

/// What a fleet's hubs know, in one PostgreSQL database that any number of them share. A hub itself keeps nothing.
///
/// One pool of connections serves all parts. Each part has the statements of its own tables, and nobody else sends any.
package struct HubDatabase: Sendable {
    /// The time of the database, read again once a statement has waited for another hub.
    static let second = "extract(epoch FROM clock_timestamp())::bigint"
    /// PostgreSQL's code for a row that would be there twice.
    static let keyTaken = "23505"

    package let chain: FleetName
    package let kiosks: HubKiosks
    package let documents: HubDocuments
    package let receipts: HubReceipts
    package let months: ReceiptMonths
    package let tokens: HubTokenCounts
    package let audit: AuditLog
    let tasks: BrokerTasks
    private let pool: PostgreSQLPool

    /// - Parameters:
    ///   - settings: where the database is, in the form of libpq.
    ///   - who: whom the audit log names.
    package init(
        _ settings: String, chain: FleetName,
        by who: @autoclosure @escaping @Sendable () -> HubOperator = .current
    ) {
        self.chain = chain
        pool = PostgreSQLPool(settings, HubTables.schema)
        audit = AuditLog(pool, by: who)
        documents = HubDocuments(pool, recordingIn: audit, chain: chain)
        kiosks = HubKiosks(pool, recordingIn: audit, documents: documents, chain: chain)
        months = ReceiptMonths(pool)
        receipts = HubReceipts(pool, months)
        tokens = HubTokenCounts(pool)
        tasks = BrokerTasks(pool)
    }

    /// Whether the database answers and takes changes. One that only repeats another, or is set to take none, refuses a change also
    /// where there is nothing to change.
    package func ping() async throws(PostgreSQLError) {
        _ = try await pool.rows("DELETE FROM countersign_fleet_task WHERE false")
    }

    /// Figures for Prometheus. None of them is about a person.
    func metricsText() async throws(PostgreSQLError) -> String {
        let row = try await pool.rows(
            """
            SELECT count(*) FILTER (WHERE state = 'active'), count(*) FILTER (WHERE state = 'active' AND is_online),
                count(*) FILTER (WHERE state = 'revoked'), count(*) FILTER (WHERE alert <> ''),
                (coalesce(sum(head_sequence), 0)
                    + (SELECT coalesce(sum(head_sequence), 0) FROM countersign_fleet_ended_epoch))::bigint,
                (SELECT count(*) FROM countersign_fleet_task),
                (SELECT count(*) FROM countersign_fleet_document WHERE failures >= \(HubDocuments.mostFailures))
            FROM countersign_fleet_kiosk
            """
        ).first
        let values = (row ?? []).compactMap { $0?.bigint }
        guard values.count == 7 else { throw .rowMalformed }
        let figures = [
            ("kiosks", "Kiosks that are enrolled and not revoked."),
            ("kiosks_online", "Those of them that are online."),
            ("kiosks_revoked", "Kiosks that are revoked."),
            ("kiosks_alerts", "Kiosks that an operator has to look at."),
            ("receipts", "Receipts that were taken."),
            ("broker_tasks", "What the broker is still to be asked for."),
            ("paused_documents", "Documents whose roll-out pauses."),
        ]
        return zip(figures, values).map { figure, value in
            let name = "countersign_fleet_\(figure.0)"
            return "# HELP \(name) \(figure.1)\n# TYPE \(name) gauge\n\(name) \(value)\n"
        }.joined()
    }
}

extension String {
    /// PostgreSQL's text.
    var bytes: [UInt8] { Array(utf8) }
}

extension [UInt8] {
    /// From PostgreSQL's text.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// PostgreSQL's array of one dimension: of `bytea` (17), `bigint` (20), `text` (25) or `boolean` (16).
    static func postgreSQLArray(_ values: [[UInt8]], of type: UInt32) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        // Dimensions, whether there are nulls, type, size and lower bound, then each value after its size.
        var bytes = big(values.isEmpty ? 0 : 1) + big(0) + big(type)
        if !values.isEmpty { bytes += big(UInt32(values.count)) + big(1) }
        for value in values { bytes += big(UInt32(value.count)) + value }
        return bytes
    }
}
