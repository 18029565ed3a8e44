package import Fleet
package import MdocModel
internal import OpenSSLCrypto
package import ReaderStore

/// What a fleet's hubs know, in one PostgreSQL database that any number of them share. A hub itself keeps nothing.
package struct HubDatabase: Sendable {
    let pool: PostgreSQLPool
    package let chain: FleetName
    /// Who changes something by command, looked up only then.
    let who: @Sendable () -> HubOperator

    /// - Parameters:
    ///   - settings: where the database is, in the form of libpq.
    ///   - who: whom the audit log names.
    package init(
        _ settings: String, chain: FleetName,
        by who: @autoclosure @escaping @Sendable () -> HubOperator = .current
    ) {
        pool = PostgreSQLPool(settings, HubTables.schema)
        self.chain = chain
        self.who = who
    }

    /// Whether the database answers and takes changes. One that only repeats another, or is set to take none, refuses a change also
    /// where there is nothing to change.
    package func ping() async throws(PostgreSQLError) {
        _ = try await pool.rows("DELETE FROM countersign_fleet_task WHERE false")
    }

    // MARK: Months of receipts

    /// How far the clocks of a hub and of the database may be apart where receipts are dropped, in seconds.
    package static let mostClockDifference: Int64 = 86_400

    /// Makes the partitions of this month and the next, by the clock of the database: those of hubs may differ.
    ///
    /// - Returns: the time of the database.
    @discardableResult
    func makePartitions() async throws(PostgreSQLError) -> Timestamp {
        // Two hubs that make one table at the same time would refuse each other.
        try await pool.transaction { link, deadline throws(PostgreSQLError) in
            _ = try link.rows("SELECT pg_advisory_xact_lock(1131902830)", until: deadline)
            let row = try link.rows("SELECT \(Self.second)", until: deadline).first
            guard let second = row?.first??.bigint, let now = Timestamp(received: second) else {
                throw .rowMalformed
            }
            let month = ReceiptMonth(of: now)
            for next in [month, month.advanced(by: 1)] {
                _ = try link.rows(HubTables.partition(next), until: deadline)
            }
            return now
        }
    }

    /// Makes the partitions of this month and the next, and drops those that are over for more than `months`. Drops none where the
    /// hub's clock is another than the database's: one of them is wrong.
    ///
    /// - Parameter now: the time of the hub.
    /// - Returns: by how many seconds the hub's clock is ahead.
    @discardableResult
    package func keepPartitions(months: Int, at now: Timestamp) async throws(PostgreSQLError) -> Int64 {
        let time = try await makePartitions()
        let difference = now.secondsSince1970 - time.secondsSince1970
        guard abs(difference) <= Self.mostClockDifference else { return difference }
        let names = try await pool.rows(
            "SELECT relname::text FROM pg_class WHERE relname LIKE 'countersign_fleet_receipt_2%' AND relkind = 'r'"
        )
        let oldest = ReceiptMonth(of: time).advanced(by: -months)
        for name in names.compactMap({ $0.first.flatMap { $0 }?.text }) {
            guard let month = ReceiptMonth(suffix: name.suffix(6)), month < oldest else { continue }
            _ = try await pool.rows("DROP TABLE IF EXISTS countersign_fleet_receipt_\(month.suffix)")
        }
        return difference
    }

    // MARK: Tasks for the broker

    struct BrokerTask: Equatable, Sendable {
        enum Kind: String { case notice, remove }

        let number: Int64
        let kind: Kind
        /// Nil for all kiosks.
        let kiosk: FleetName?
    }

    /// The oldest tasks. Several hubs may do one of them: each can be done twice.
    func brokerTasks(atMost limit: Int64) async throws(PostgreSQLError) -> [BrokerTask] {
        try await pool.rows(
            "SELECT number, kind, kiosk FROM countersign_fleet_task ORDER BY number LIMIT $1::bigint",
            [limit.postgreSQL]
        ).map { row throws(PostgreSQLError) in
            guard row.count == 3, let number = row[0]?.bigint,
                let kind = row[1].flatMap({ BrokerTask.Kind(rawValue: $0.text) }), let kiosk = row[2]?.text
            else { throw .rowMalformed }
            return BrokerTask(number: number, kind: kind, kiosk: FleetName(kiosk))
        }
    }

    func finish(_ tasks: Set<Int64>) async throws(PostgreSQLError) {
        _ = try await pool.rows(
            "DELETE FROM countersign_fleet_task WHERE number = ANY ($1::bigint[])",
            [.postgreSQLArray(tasks.map(\.postgreSQL), of: 20)])
    }

    /// Kiosks that are revoked, or not enrolled, in the order of their names.
    func kiosksWithoutAccount(
        after name: String, atMost limit: Int64
    ) async throws(PostgreSQLError) -> [FleetName] {
        try await pool.rows(
            """
            SELECT kiosk FROM countersign_fleet_kiosk WHERE state <> 'active' AND kiosk > $1::text
            ORDER BY kiosk LIMIT $2::bigint
            """, [name.bytes, limit.postgreSQL]
        ).map { row throws(PostgreSQLError) in
            guard let kiosk = row.first?.flatMap({ FleetName($0.text) }) else { throw .rowMalformed }
            return kiosk
        }
    }

    /// A number that no notice had before, and how many kiosks there are.
    func nextChange() async throws(PostgreSQLError) -> (change: Int64, kiosks: Int64) {
        let row = try await pool.rows(
            """
            SELECT nextval('countersign_fleet_change'),
                (SELECT count(*) FROM countersign_fleet_kiosk WHERE state = 'active')
            """
        ).first
        guard let row, row.count == 2, let change = row[0]?.bigint, let kiosks = row[1]?.bigint else {
            throw .rowMalformed
        }
        return (change, kiosks)
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
