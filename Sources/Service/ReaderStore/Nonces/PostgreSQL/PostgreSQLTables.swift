/// The table of nonces in PostgreSQL, and what a connection to it relies on.
enum PostgreSQLTables {
    /// A statement ends by itself soon after nobody waits for it any more. What is reported as spent is on the disk, be
    /// the database set to say so earlier; two who spend at once meet at the row, be it set to isolate them further.
    static let session = [
        "SET client_min_messages = 'error'", "SET statement_timeout = '3s'", "SET lock_timeout = '2s'",
        "SET default_transaction_isolation = 'read committed'",
        """
        SELECT set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN 'on' ELSE current_setting('synchronous_commit') END, false)
        """,
    ]

    static let isThere = "SELECT to_regclass('countersign_nonce') IS NOT NULL"

    /// Made where it is not there, by one server at a time.
    static let setUp = [
        "BEGIN", "SELECT pg_advisory_xact_lock(1131902830)",
        """
        CREATE TABLE IF NOT EXISTS countersign_nonce (
            nonce bytea PRIMARY KEY CHECK (octet_length(nonce) BETWEEN 1 AND 64),
            session bytea NOT NULL CHECK (octet_length(session) = 32),
            channel text NOT NULL,
            expires bigint NOT NULL,
            asked bytea NOT NULL,
            is_spent boolean NOT NULL DEFAULT false
        )
        """,
        "CREATE INDEX IF NOT EXISTS countersign_nonce_expires ON countersign_nonce (expires)", "COMMIT",
    ]

    static let insert = """
        INSERT INTO countersign_nonce (nonce, session, channel, expires, asked)
        VALUES ($1::bytea, $2::bytea, $3::text, $4::bigint, $5::bytea) ON CONFLICT DO NOTHING RETURNING true
        """

    /// The atomic step: whoever comes with what it was issued for, and nobody else, spends it.
    static let spend = """
        UPDATE countersign_nonce SET is_spent = true
        WHERE nonce = $1::bytea AND session = $2::bytea AND channel = $3::text
            AND expires BETWEEN $4::bigint AND $5::bigint AND NOT is_spent
        RETURNING session, channel, expires, asked
        """

    /// Why the step was not made.
    static let look = "SELECT session, channel, expires FROM countersign_nonce WHERE nonce = $1::bytea"

    /// Several servers sweep, each what no other does.
    static let sweep = """
        WITH expired AS (
            DELETE FROM countersign_nonce WHERE nonce IN (
                SELECT nonce FROM countersign_nonce WHERE expires < $1::bigint OR expires > $2::bigint
                ORDER BY expires LIMIT \(NonceTerms.sweepSize) FOR UPDATE SKIP LOCKED)
            RETURNING 1)
        SELECT (SELECT count(*) FROM countersign_nonce) - (SELECT count(*) FROM expired)
        """
}
