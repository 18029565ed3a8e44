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
}
