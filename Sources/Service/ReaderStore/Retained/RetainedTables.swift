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

    static let index = "CREATE INDEX retained_field_deadline ON retained_field (deadline);\n"
}
