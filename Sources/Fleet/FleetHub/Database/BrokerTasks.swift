internal import Fleet
internal import ReaderStore

/// The queue of requests to the broker. Several hubs may perform the same task, because performing it a
/// second time has no further effect.
struct BrokerTasks: Sendable {
    private let pool: PostgreSQLPool

    init(_ pool: PostgreSQLPool) { self.pool = pool }

    struct Entry: Equatable, Sendable {
        /// A change notice, or the removal of a kiosk's account.
        enum Kind: String { case notice, remove }

        let number: Int64
        let kind: Kind
        /// The kiosk, or `nil` for all kiosks.
        let kiosk: FleetName?
    }

    /// Returns the oldest tasks.
    func oldest(atMost limit: Int64) async throws(PostgreSQLError) -> [Entry] {
        try await pool.rows(
            "SELECT number, kind, kiosk FROM countersign_fleet_task ORDER BY number LIMIT $1::bigint",
            [limit.postgreSQL]
        ).map { row throws(PostgreSQLError) in
            guard row.count == 3, let number = row[0]?.bigint,
                let kind = row[1].flatMap({ Entry.Kind(rawValue: $0.text) }), let kiosk = row[2]?.text
            else { throw .rowMalformed }
            // The column is empty if the task is for all kiosks. `FleetName` refuses an empty text, so
            // `kiosk` is then `nil`.
            return Entry(number: number, kind: kind, kiosk: FleetName(kiosk))
        }
    }

    /// Deletes the tasks with these numbers, which are done.
    func finish(_ tasks: Set<Int64>) async throws(PostgreSQLError) {
        // 20 is PostgreSQL's number for bigint, the type of the array's values.
        _ = try await pool.rows(
            "DELETE FROM countersign_fleet_task WHERE number = ANY ($1::bigint[])",
            [.postgreSQLArray(tasks.map(\.postgreSQL), of: 20)])
    }

    /// Returns the kiosks that must have no account at the broker, because they are revoked or not enrolled.
    /// The kiosks are in the order of their names, beginning after `name`.
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

    /// Returns a new change number and the number of active kiosks. A change notice to all kiosks contains
    /// the change number; the number of kiosks determines how long they spread their requests.
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
