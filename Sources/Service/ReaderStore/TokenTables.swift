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
