package import MdocModel
package import ReaderStore
package import ReaderTokens

/// The counts of requests for reader tokens, over all hubs of the chain together. They use the clock of the
/// database, because the clocks of hubs may differ.
package struct HubTokenCounts: TokenCount {
    package typealias Failure = PostgreSQLError

    private let pool: PostgreSQLPool

    init(_ pool: PostgreSQLPool) { self.pool = pool }

    /// Counts a request for a token, unless the reader has reached the maximum number of requests for the
    /// time window (`TokenLimit`). The clock of the hub is not used.
    ///
    /// - Returns: The number of seconds to wait, or `nil` if a token may be made.
    package func record(
        _ request: TokenRequest, at _: Timestamp
    ) async throws(PostgreSQLError) -> Int64? {
        // A single statement reads and writes the count, so that two hubs cannot both grant the last token of
        // the window. The statement also drops the recorded times that are before the window or far in the
        // future. A recorded time can be in the future if the database's clock was set back.
        let row = try await pool.rows(
            """
            INSERT INTO countersign_fleet_reader_token AS token (kiosk, brand, instance, asked, is_refused)
            VALUES ($1::text, $2::text, $3::text, ARRAY[\(HubDatabase.second)], false)
            ON CONFLICT (kiosk, brand, instance) DO UPDATE SET (asked, is_refused) = (
                SELECT coalesce(array_agg(moment ORDER BY moment), '{}')
                    || CASE WHEN count(*) < \(TokenLimit.most) THEN ARRAY[\(HubDatabase.second)] ELSE '{}' END,
                    count(*) >= \(TokenLimit.most)
                FROM unnest(token.asked) AS moment
                WHERE moment > \(HubDatabase.second) - \(TokenLimit.window)
                    AND moment <= \(HubDatabase.second) + \(TokenLimit.window))
            RETURNING is_refused, asked[1] + \(TokenLimit.window) - \(HubDatabase.second)
            """,
            [request.caller.bytes, request.brand.text.bytes, request.instance.text.text.bytes]
        ).first
        guard let row, row.count == 2, let isRefused = row[0], let seconds = row[1]?.bigint else {
            throw .rowMalformed
        }
        // PostgreSQL's binary form of `true` is the byte 1. The wait ends when the oldest counted request
        // leaves the window. The statement reads the clock more than once, so the calculated wait can be 0 or
        // less. The returned wait is therefore at least 1 s.
        return isRefused == [1] ? max(1, seconds) : nil
    }

    /// Removes the latest counted request of a reader. Called if no token could be made and this is not the
    /// kiosk's fault.
    package func withdraw(_ request: TokenRequest) async throws(PostgreSQLError) {
        _ = try await pool.rows(
            """
            UPDATE countersign_fleet_reader_token SET asked = trim_array(asked, 1)
            WHERE kiosk = $1::text AND brand = $2::text AND instance = $3::text AND cardinality(asked) > 0
            """,
            [request.caller.bytes, request.brand.text.bytes, request.instance.text.text.bytes])
    }

    /// Deletes the counts of readers without a request within the window.
    func forget() async throws(PostgreSQLError) {
        _ = try await pool.rows(
            """
            DELETE FROM countersign_fleet_reader_token
            WHERE asked[cardinality(asked)] <= \(HubDatabase.second) - \(TokenLimit.window)
            """)
    }
}
