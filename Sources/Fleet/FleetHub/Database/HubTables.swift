internal import ReaderStore

/// The tables of a chain's database and their migrations. Receipts are stored as they were signed; they
/// contain nothing about a holder.
///
/// A migration that was released never changes. Changes to the tables are made by a later migration. The
/// functions that send statements are in the types of `HubDatabase`.
enum HubTables {
    /// The name of the table that records the version of the hub's tables, and the migrations that lead to
    /// each version.
    static let schema = PostgreSQLSchema(versions: "countersign_fleet_schema", migrations: [first])

    /// The statements of version 1. They also add what is missing to tables that were created before table
    /// versions existed.
    private static let first =
        [
            "CREATE SEQUENCE IF NOT EXISTS countersign_fleet_change",
            // The column for the kiosk's group is named `member_of`, because `group` is a reserved word of
            // SQL.
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_kiosk (
                kiosk text PRIMARY KEY,
                site text NOT NULL,
                member_of text NOT NULL,
                state text NOT NULL CHECK (state IN ('invited', 'active', 'revoked')),
                is_stopped boolean NOT NULL DEFAULT false,
                code bytea NOT NULL,
                code_expires bigint NOT NULL,
                key_digest bytea NOT NULL DEFAULT '',
                enrolled bigint NOT NULL DEFAULT 0,
                seen bigint NOT NULL DEFAULT 0,
                is_online boolean NOT NULL DEFAULT false,
                software text NOT NULL DEFAULT '',
                report bytea NOT NULL DEFAULT '',
                epoch bigint NOT NULL DEFAULT 1,
                is_rejoining boolean NOT NULL DEFAULT false,
                head_sequence bigint NOT NULL DEFAULT 0,
                head_digest bytea NOT NULL,
                pushed_hour bigint NOT NULL DEFAULT 0,
                pushed bigint NOT NULL DEFAULT 0,
                reports_hour bigint NOT NULL DEFAULT 0,
                reports bigint NOT NULL DEFAULT 0,
                passwords_hour bigint NOT NULL DEFAULT 0,
                passwords bigint NOT NULL DEFAULT 0,
                renewals_hour bigint NOT NULL DEFAULT 0,
                renewals bigint NOT NULL DEFAULT 0,
                alert text NOT NULL DEFAULT ''
            )
            """,
            // A key belongs to one kiosk. If a computer was copied together with its key, only one of the
            // copies can be enrolled.
            """
            CREATE UNIQUE INDEX IF NOT EXISTS countersign_fleet_kiosk_key ON countersign_fleet_kiosk (key_digest)
            WHERE state = 'active' AND key_digest <> ''
            """,
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_receipt_key (
                kiosk text NOT NULL REFERENCES countersign_fleet_kiosk,
                point bytea NOT NULL CHECK (octet_length(point) = 65),
                since bigint NOT NULL,
                epoch bigint NOT NULL,
                is_used boolean NOT NULL DEFAULT false,
                PRIMARY KEY (kiosk, point)
            )
            """,
            // A key that has signed receipts belongs to one kiosk, so that a kiosk cannot push another's
            // receipts as its own. A key that has signed no receipt may be sent by several kiosks, because a
            // kiosk must not be able to block another one by sending the other's public key first. The index
            // of earlier programs covered all keys and is dropped.
            "DROP INDEX IF EXISTS countersign_fleet_receipt_key_point",
            """
            CREATE UNIQUE INDEX IF NOT EXISTS countersign_fleet_receipt_key_used
            ON countersign_fleet_receipt_key (point) WHERE is_used
            """,
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_document (
                level text NOT NULL,
                name text NOT NULL,
                version bigint NOT NULL CHECK (version > 0),
                digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
                encoded bytea NOT NULL,
                put bigint NOT NULL,
                percent bigint NOT NULL CHECK (percent BETWEEN 1 AND 100),
                failures bigint NOT NULL DEFAULT 0,
                PRIMARY KEY (level, name, version)
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_receipt (
                received bigint NOT NULL,
                kiosk text NOT NULL,
                epoch bigint NOT NULL,
                sequence bigint NOT NULL,
                digest bytea NOT NULL,
                encoded bytea NOT NULL,
                PRIMARY KEY (kiosk, epoch, sequence, received)
            ) PARTITION BY RANGE (received)
            """,
            // The latest receipt of each former computer of a kiosk.
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_ended_epoch (
                kiosk text NOT NULL REFERENCES countersign_fleet_kiosk,
                epoch bigint NOT NULL,
                head_sequence bigint NOT NULL,
                head_digest bytea NOT NULL,
                PRIMARY KEY (kiosk, epoch)
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_failure (
                level text NOT NULL,
                name text NOT NULL,
                version bigint NOT NULL,
                kiosk text NOT NULL,
                PRIMARY KEY (level, name, version, kiosk)
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_revoked_key (
                key_digest bytea PRIMARY KEY,
                kiosk text NOT NULL,
                revoked bigint NOT NULL
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_task (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                kind text NOT NULL,
                kiosk text NOT NULL
            )
            """,
            // The times at which a kiosk asked for tokens of a reader, in seconds since 1970, the oldest
            // first.
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_reader_token (
                kiosk text NOT NULL,
                brand text NOT NULL,
                instance text NOT NULL,
                asked bigint[] NOT NULL,
                is_refused boolean NOT NULL,
                PRIMARY KEY (kiosk, brand, instance)
            )
            """,
            // Operators' changes. The program only appends rows.
            """
            CREATE TABLE IF NOT EXISTS countersign_fleet_act (
                number bigint PRIMARY KEY CHECK (number > 0),
                time bigint NOT NULL,
                act text NOT NULL,
                object json NOT NULL,
                database_user text NOT NULL,
                login text NOT NULL,
                account text NOT NULL,
                host text NOT NULL
            )
            """,
        ] + columnsOfVersion1

    /// The statements that add columns to the table of kiosks. A program from before version 1 may have
    /// created the table without these columns.
    private static let columnsOfVersion1 = [
        "reports_hour", "reports", "passwords_hour", "passwords", "renewals_hour", "renewals",
    ].map {
        "ALTER TABLE countersign_fleet_kiosk ADD COLUMN IF NOT EXISTS \($0) bigint NOT NULL DEFAULT 0"
    }

    /// Returns the statement that creates a month's partition of the table of receipts. The partition is
    /// later dropped as a whole.
    static func partition(_ month: ReceiptMonth) -> String {
        """
        CREATE TABLE IF NOT EXISTS countersign_fleet_receipt_\(month.suffix) PARTITION OF countersign_fleet_receipt
        FOR VALUES FROM (\(month.begin)) TO (\(month.end))
        """
    }
}
