package import MdocModel
package import ReaderStore

/// The partitions of the table of receipts, one for each calendar month.
package struct ReceiptMonths: Sendable {
    /// The maximum difference between the clocks of a hub and the database, in seconds. With a larger
    /// difference, no receipts are dropped.
    package static let mostClockDifference: Int64 = 86_400

    private let pool: PostgreSQLPool

    init(_ pool: PostgreSQLPool) { self.pool = pool }

    /// Creates the partitions of this month and the next, by the clock of the database, because the clocks of
    /// hubs may differ.
    ///
    /// - Returns: The time of the database.
    @discardableResult
    func make() async throws(PostgreSQLError) -> Timestamp {
        // Two hubs that create the same table at the same time would get errors. The advisory lock prevents
        // this; `PostgreSQLSchema` uses the same lock when it creates and changes tables.
        try await pool.transaction { link, deadline throws(PostgreSQLError) in
            _ = try link.rows("SELECT pg_advisory_xact_lock(1131902830)", until: deadline)
            let row = try link.rows("SELECT \(HubDatabase.second)", until: deadline).first
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

    /// Creates the partitions of this month and the next, and drops partitions that ended more than `count`
    /// months ago. Drops nothing if the hub's clock differs from the database's, because one of them is
    /// wrong.
    ///
    /// - Parameter now: The time of the hub.
    /// - Returns: The number of seconds by which the hub's clock is ahead.
    @discardableResult
    package func maintain(months count: Int, at now: Timestamp) async throws(PostgreSQLError) -> Int64 {
        let time = try await make()
        let difference = now.secondsSince1970 - time.secondsSince1970
        guard abs(difference) <= Self.mostClockDifference else { return difference }
        // A partition's name has a year after `countersign_fleet_receipt_`. The pattern requires that the
        // year begins with the digit 2, because the names of other tables begin with the same text. The kind
        // `r` is a table, so the partitions' indexes are not returned.
        let names = try await pool.rows(
            "SELECT relname::text FROM pg_class WHERE relname LIKE 'countersign_fleet_receipt_2%' AND relkind = 'r'"
        )
        let oldest = ReceiptMonth(of: time).advanced(by: -count)
        for name in names.compactMap({ $0.first.flatMap { $0 }?.text }) {
            guard let month = ReceiptMonth(suffix: name.suffix(6)), month < oldest else { continue }
            // The name is formed from the parsed month, and not taken from the database, so that nothing but
            // a partition of receipts can be dropped.
            _ = try await pool.rows("DROP TABLE IF EXISTS countersign_fleet_receipt_\(month.suffix)")
        }
        return difference
    }
}

/// A calendar month in UTC. The receipts that arrived in the month form one partition of their table.
struct ReceiptMonth: Equatable, Comparable {
    /// The number of months since the year 0.
    private let number: Int

    init(of time: Timestamp) {
        let day = time.dayInUTC
        number = day.year * 12 + day.month - 1
    }

    private init(number: Int) { self.number = number }

    /// Reads the month (six digits, such as `202611`) at the end of a partition's name. `nil` if the text is
    /// not a month.
    init?(suffix: Substring) {
        guard suffix.utf8.count == 6, let value = Int(suffix), (1...12).contains(value % 100) else {
            return nil
        }
        number = value / 100 * 12 + value % 100 - 1
    }

    func advanced(by months: Int) -> ReceiptMonth { ReceiptMonth(number: number + months) }

    static func < (one: ReceiptMonth, other: ReceiptMonth) -> Bool { one.number < other.number }

    /// Year and month, such as `202611`.
    var suffix: String { "\(number / 12 * 100 + number % 12 + 1)" }
    /// The first second of the month, in seconds since 1970.
    var begin: Int64 {
        (FullDate(year: number / 12, month: number % 12 + 1, day: 1)?.daysSince1970 ?? 0) * 86_400
    }
    /// The first second after the month, in seconds since 1970.
    var end: Int64 { advanced(by: 1).begin }
}
