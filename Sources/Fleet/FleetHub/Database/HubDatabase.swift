package import Fleet
package import ReaderStore

/// The data of a chain's hubs, in one PostgreSQL database that any number of hubs share. The hubs themselves
/// store nothing.
///
/// The parts share one pool of connections, and each sends the statements of its own tables:
/// - `kiosks`: names, states, keys, codes, reports, alerts and hourly limits;
/// - `documents`: fleet documents and their roll-outs;
/// - `receipts` and `months`: kiosks' receipts and receipt keys, and the monthly partitions;
/// - `tokens`: counts of requests for reader tokens;
/// - `audit`: operators' acts;
/// - `tasks`: requests to the broker that are not done yet.
///
/// A change that needs rows of several parts is one transaction: revoking a kiosk, for example, also writes
/// the audit log and queues a task.
///
/// `HubRoutes`, `HubBroker` and `PartitionKeeper` call the parts in a hub, from any task; the commands of
/// `countersign-hub` call the same functions. Limits, months, token counts and the audit log use the clock of
/// the database, because the clocks of hubs may differ.
///
/// The tables are created and migrated (`HubTables`) when the first connection is made. The database contains
/// no data element of a holder's document and nothing else about a holder. The database contains digests of
/// one-time codes, and not the codes.
package struct HubDatabase: Sendable {
    /// The SQL for the time of the database in seconds. The SQL uses `clock_timestamp()` and not `now()`, so
    /// that the time is read again after a statement has waited for another hub.
    static let second = "extract(epoch FROM clock_timestamp())::bigint"
    /// PostgreSQL's error code for a row that violates a unique index. In these tables it means that another
    /// kiosk has the key.
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
    ///   - settings: The connection settings in libpq's form.
    ///   - who: The operator whom the audit log records for a change. Evaluated for each change that an
    ///     operator makes.
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

    /// Checks that the database answers and accepts changes. The statement changes nothing, but a standby or
    /// read-only database refuses it nevertheless.
    package func ping() async throws(PostgreSQLError) {
        _ = try await pool.rows("DELETE FROM countersign_fleet_task WHERE false")
    }

    /// Returns metrics for Prometheus. They contain nothing about a person.
    func metricsText() async throws(PostgreSQLError) -> String {
        // The receipts of each receipt chain are numbered from 1, so the number of the chain's latest receipt
        // is their count.
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
            ("kiosks_online", "Kiosks that are enrolled, not revoked, and online."),
            ("kiosks_revoked", "Kiosks that are revoked."),
            ("kiosks_alerts", "Kiosks with an alert that an operator must check."),
            ("receipts", "Receipts that were stored."),
            ("broker_tasks", "Tasks for the broker that are not done yet."),
            ("paused_documents", "Documents whose roll-out is paused."),
        ]
        return zip(figures, values).map { figure, value in
            let name = "countersign_fleet_\(figure.0)"
            return "# HELP \(name) \(figure.1)\n# TYPE \(name) gauge\n\(name) \(value)\n"
        }.joined()
    }
}

extension String {
    /// The encoding of the string as a value of PostgreSQL's type `text`, in UTF-8.
    var bytes: [UInt8] { Array(utf8) }
}

extension [UInt8] {
    /// The string in these bytes, which are a value of PostgreSQL's type `text`.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Returns PostgreSQL's binary encoding of a one-dimensional array. `type` is PostgreSQL's number for the
    /// values' type: `boolean` (16), `bytea` (17), `bigint` (20) or `text` (25).
    static func postgreSQLArray(_ values: [[UInt8]], of type: UInt32) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        // The header consists of the number of dimensions, a flag for nulls, the type, the count and the
        // lower bound. After the header, each value is preceded by its size.
        var bytes = big(values.isEmpty ? 0 : 1) + big(0) + big(type)
        if !values.isEmpty { bytes += big(UInt32(values.count)) + big(1) }
        for value in values { bytes += big(UInt32(value.count)) + value }
        return bytes
    }
}
