/// The tables of trust snapshots. Sources with the same bytes are stored once for all snapshots. These tables
/// contain nothing about a holder.
enum TrustTables {
    static let schema = """
        CREATE TABLE trust_bytes (
            sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE TABLE trust_snapshot (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL CHECK (length(id) = 32),
            created INTEGER NOT NULL,
            predecessor INTEGER REFERENCES trust_snapshot ON DELETE SET NULL,
            change TEXT NOT NULL
        ) STRICT;
        CREATE TABLE trust_source (
            snapshot INTEGER NOT NULL REFERENCES trust_snapshot ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            provenance TEXT NOT NULL,
            location TEXT NOT NULL,
            obtained INTEGER NOT NULL,
            sha256 BLOB NOT NULL REFERENCES trust_bytes,
            PRIMARY KEY (snapshot, kind, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE trust_current (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            snapshot INTEGER NOT NULL REFERENCES trust_snapshot
        ) STRICT;
        CREATE TABLE trust_bundle (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            created INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX trust_source_bytes ON trust_source (sha256);
        """

    /// Status lists of several issuers may have the same name (Q234), so this migration adds the digest to
    /// the primary key.
    static let sourcesOfOneName = """
        ALTER TABLE trust_source RENAME TO trust_source_before;
        DROP INDEX trust_source_bytes;
        CREATE TABLE trust_source (
            snapshot INTEGER NOT NULL REFERENCES trust_snapshot ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            provenance TEXT NOT NULL,
            location TEXT NOT NULL,
            obtained INTEGER NOT NULL,
            sha256 BLOB NOT NULL REFERENCES trust_bytes,
            PRIMARY KEY (snapshot, kind, name, sha256)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO trust_source SELECT * FROM trust_source_before;
        DROP TABLE trust_source_before;
        CREATE INDEX trust_source_bytes ON trust_source (sha256);

        """
}

/// The tables of receipts. A receipt is stored in its signed encoding. These tables contain nothing about a
/// holder.
enum ReceiptTables {
    static let schema = """
        CREATE TABLE receipt (
            sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
            encoded BLOB NOT NULL
        ) STRICT;
        CREATE TABLE receipt_key (
            point BLOB NOT NULL PRIMARY KEY CHECK (length(point) = 65),
            since INTEGER NOT NULL
        ) STRICT;

        """

    /// The table of held receipts: the statements that become receipts after a decision, or at the next start
    /// of the daemon. Each row has the id of its presentation; a statement about the second request (`then`)
    /// has the id followed by `StoredPresentation.furtherEnding`.
    static let held = """
        CREATE TABLE receipt_held (
            number INTEGER PRIMARY KEY,
            presentation TEXT NOT NULL UNIQUE,
            statement BLOB NOT NULL
        ) STRICT;

        """
}

/// The table of the last day's presentations, without answers and element values.
enum PresentationTables {
    static let schema = """
        CREATE TABLE presentation (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL,
            reference TEXT,
            holder INTEGER NOT NULL,
            request BLOB NOT NULL CHECK (length(request) = 32),
            created INTEGER NOT NULL,
            ended INTEGER,
            description TEXT NOT NULL,
            receipt INTEGER,
            further_receipt INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX presentation_reference ON presentation (owner, reference, holder)
            WHERE reference IS NOT NULL;
        CREATE INDEX presentation_ended ON presentation (ended);

        """

    /// Adds the column with the URL to which the end of a presentation is still to be delivered.
    static let webhook = "ALTER TABLE presentation ADD COLUMN webhook TEXT;\n"

    /// Adds columns for searching presentations, and the description for callers who may see only the
    /// outcome. In existing rows the columns are filled from the JSON description.
    static let outcome = """
        ALTER TABLE presentation ADD COLUMN lane TEXT NOT NULL DEFAULT '';
        ALTER TABLE presentation ADD COLUMN outcome TEXT;
        ALTER TABLE presentation ADD COLUMN of_test INTEGER;
        ALTER TABLE presentation ADD COLUMN outcome_description TEXT NOT NULL DEFAULT '{}';
        UPDATE presentation SET lane = coalesce(json_extract(description, '$.lane'), ''),
            outcome = json_extract(description, '$.outcome'), of_test = json_extract(description, '$.test'),
            outcome_description =
                json_remove(json_set(description, '$.reasons', json('[]')), '$.decision')
            WHERE json_valid(description);

        """

    /// Adds the reference of the order that a presentation repeats. A separate column is needed, because
    /// `reference` is unique for each caller and holder number and belongs to the first presentation.
    static let repeatedReference = "ALTER TABLE presentation ADD COLUMN repeated_reference TEXT;\n"

    /// Adds the column that tells a desk's presentations from those that a program ordered. Existing rows are
    /// marked as a program's, so that no desk sees presentations that it did not start.
    static let desk = "ALTER TABLE presentation ADD COLUMN of_desk INTEGER NOT NULL DEFAULT 0;\n"
}

/// The table of outputs: the accessories that act on the outcomes of the last day's presentations.
enum OutputTables {
    /// A number is never used again (AUTOINCREMENT), so that a late message about an output cannot change a newer
    /// one. An accessory has at most one output of a presentation. `receipt` is the number of the presentation's
    /// receipt.
    static let schema = """
        CREATE TABLE output (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            presentation TEXT NOT NULL,
            accessory TEXT NOT NULL,
            state TEXT NOT NULL
                CHECK (state IN ('due', 'given', 'done', 'notGiven', 'unknown', 'refused')),
            receipt INTEGER,
            at INTEGER NOT NULL,
            UNIQUE (presentation, accessory)
        ) STRICT;
        CREATE INDEX output_unsettled ON output (state) WHERE state IN ('due', 'given');
        CREATE INDEX output_receipt ON output (receipt) WHERE receipt IS NOT NULL;

        """
}

/// The tables of retained data. The value of a field is sealed, and its reference is stored only as a keyed
/// digest.
enum RetainedTables {
    static let schema =
        fields(in: "retained_field") + index + """
            CREATE TABLE retained_state (
                only INTEGER PRIMARY KEY CHECK (only = 1),
                latest INTEGER NOT NULL,
                purged INTEGER NOT NULL,
                exported INTEGER NOT NULL
            ) STRICT;

            """

    /// Returns the statement that creates a table of fields. Every deletion copies the remaining rows to a
    /// new table: SQLite overwrites a deleted row, but not copies of the row in pages that contained it
    /// earlier.
    static func fields(in name: String) -> String {
        """
        CREATE TABLE \(name) (
            number INTEGER PRIMARY KEY,
            record BLOB NOT NULL CHECK (length(record) = 16),
            reference BLOB NOT NULL CHECK (length(reference) = 32),
            doc_type TEXT NOT NULL,
            profile TEXT NOT NULL,
            consent TEXT NOT NULL,
            retained INTEGER NOT NULL,
            export_begun INTEGER,
            name_space TEXT NOT NULL,
            identifier TEXT NOT NULL,
            deadline INTEGER NOT NULL,
            nonce BLOB NOT NULL CHECK (length(nonce) = 12),
            sealed BLOB NOT NULL
        ) STRICT;

        """
    }

    /// Returns the statement that creates a table of owners: the caller who ordered the presentation of a
    /// record, if known. Every deletion copies this table too, for the reason at `fields(in:)`.
    static func owners(in name: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(name) (
            record BLOB NOT NULL PRIMARY KEY CHECK (length(record) = 16),
            owner TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        """
    }

    static let index = "CREATE INDEX retained_field_deadline ON retained_field (deadline);\n"
}

/// The tables for reader tokens. `IF NOT EXISTS` is needed because an earlier version created these tables
/// when it first used a token, without raising the version of the tables.
enum TokenTables {
    static let schema = """
        CREATE TABLE IF NOT EXISTS reader_instance (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            identifier BLOB NOT NULL CHECK (length(identifier) = 16)
        ) STRICT;
        CREATE TABLE IF NOT EXISTS token_first_use (
            token BLOB NOT NULL PRIMARY KEY CHECK (length(token) = 32),
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
