internal import Fleet
internal import ReaderStore

/// What a kiosk may do so many times within an hour, at all hubs together.
enum HourlyLimit: String {
    case reports, passwords, renewals

    var most: Int64 {
        switch self {
        // One whose lanes come and go says so 120 times.
        case .reports: 1000
        // One that the broker never lets in asks 65 times, and where all of eight hubs lack the broker each of them. One that the
        // broker has let in keeps its password, also where it is started again and again.
        case .passwords: 600
        // A daemon has another certificate each minute at most, and one as soon as it is started.
        case .renewals: 120
        }
    }
}

extension HubDatabase {
    /// Counts what a kiosk does, and changes further columns with it, both or neither. The clock is that of the database: those of
    /// hubs may differ.
    ///
    /// - Parameters:
    ///   - columns: assignments of SQL, each with a comma behind it. `values` are those of `$2` and so on.
    /// - Returns: after how many seconds it may do so again, where it has done so as often as it may: nothing is changed then.
    func count(
        _ limit: HourlyLimit, of kiosk: FleetName, setting columns: String = "", _ values: [[UInt8]] = []
    ) async throws(PostgreSQLError) -> Int64? {
        let count = limit.rawValue
        let refusal = try await pool.rows(
            """
            WITH clock AS (SELECT \(Self.second) AS second), counted AS (
                UPDATE countersign_fleet_kiosk SET \(columns)
                    \(count) = CASE WHEN \(count)_hour = clock.second / 3600 THEN \(count) + 1 ELSE 1 END,
                    \(count)_hour = clock.second / 3600
                FROM clock WHERE kiosk = $1::text
                    AND (\(count)_hour <> clock.second / 3600 OR \(count) < \(limit.most)) RETURNING kiosk)
            SELECT 3600 - clock.second % 3600 FROM clock WHERE NOT EXISTS (SELECT FROM counted)
            """, [kiosk.text.bytes] + values
        ).first
        guard let refusal else { return nil }
        guard let seconds = refusal.first??.bigint else { throw .rowMalformed }
        return seconds
    }
}
