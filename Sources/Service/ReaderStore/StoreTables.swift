/// The tables of trust. Bytes are kept once, whatever number of snapshots they are in; nothing is about a holder.
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

    /// Status lists of several issuers may have one name (Q234), so the digest belongs to the key.
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

/// The tables of receipts. A receipt is kept as it was signed; nothing in it is about a holder.
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

    /// What receipts will say once somebody has decided, by the presentations that they are of.
    static let held = """
        CREATE TABLE receipt_held (
            number INTEGER PRIMARY KEY,
            presentation TEXT NOT NULL UNIQUE,
            statement BLOB NOT NULL
        ) STRICT;

        """
}

/// The presentations of the last day. Nothing in them is an answer or an element's value.
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

    /// Where the end of a presentation is still to be delivered.
    static let webhook = "ALTER TABLE presentation ADD COLUMN webhook TEXT;\n"

    /// What is looked for in a presentation, and what is shown of it to those who see the outcome alone.
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
}

/// The tables of retained data. The contents of a field are sealed; its reference is stored only as a keyed digest.
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

    /// The table of the fields. It is written again whenever some of them are deleted: SQLite overwrites a deleted
    /// row, but not the copies that were left when the row moved between pages.
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

    /// Who ordered the presentation that a record is of, where that is known. It is written again like the fields.
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

/// The tables for reader tokens. Stores of versions before theirs have them too where tokens were used.
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
