/// The table of nonces in PostgreSQL.
enum NonceTables {
    static let schema = PostgreSQLSchema(
        table: "countersign_nonce",
        statements: [
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
            "CREATE INDEX IF NOT EXISTS countersign_nonce_expires ON countersign_nonce (expires)",
        ])

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
