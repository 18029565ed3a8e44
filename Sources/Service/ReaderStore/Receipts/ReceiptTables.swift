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
