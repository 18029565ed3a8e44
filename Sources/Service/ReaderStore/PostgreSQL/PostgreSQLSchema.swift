/// Tables in PostgreSQL, and what a connection to them relies on.
package struct PostgreSQLSchema: Sendable {
    /// A statement, and a transaction whose client says nothing, end by themselves soon after nobody waits for them any more: a
    /// computer that lost its power keeps no lock. What is reported as spent is on the disk, be
    /// the database set to say so earlier; two who spend at once meet at the row, be it set to isolate them further.
    static let session = [
        "SET client_min_messages = 'error'", "SET statement_timeout = '3s'", "SET lock_timeout = '2s'",
        "SET idle_in_transaction_session_timeout = '10s'",
        "SET default_transaction_isolation = 'read committed'",
        """
        SELECT set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'
            THEN 'on' ELSE current_setting('synchronous_commit') END, false)
        """,
    ]

    private enum Form: Sendable {
        /// Tables that never change: made by `statements` where `table` is not there.
        case fixed(table: String, statements: [String])
        /// Tables whose version stands in `table`.
        case versioned(table: String, migrations: [[String]])
    }

    /// The lock under which one server at a time makes or changes tables.
    private static let lock = "SELECT pg_advisory_xact_lock(1131902830)"

    private let form: Form

    /// - Parameters:
    ///   - table: the table whose presence says that all are there: the one that the last statement makes.
    ///   - statements: make the tables where they are not there.
    package init(table: StaticString, statements: [String]) {
        form = .fixed(table: "\(table)", statements: statements)
    }

    /// - Parameters:
    ///   - table: the table with the version, which is made with the others.
    ///   - migrations: the statements that lead to version 1, from 1 to 2, and so on. A migration that a release has is never changed.
    ///     The first one also makes version 1 of tables that were made before they had a version.
    package init(versions table: StaticString, migrations: [[String]]) {
        form = .versioned(table: "\(table)", migrations: migrations)
    }

    /// The version to which `prepare` brings the tables; nil for tables that never change.
    package var version: Int64? {
        if case .versioned(_, let migrations) = form { Int64(migrations.count) } else { nil }
    }

    /// Makes the tables where they are not there, and brings them to the newest version in one transaction.
    ///
    /// - Throws: `PostgreSQLError.tablesNewer` if a newer program changed the tables, `versionMissing` if the table with their version
    ///   holds none.
    func prepare(
        _ link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        switch form {
        case .fixed(let table, let statements):
            guard try !Self.isThere(table, link, until: deadline) else { return }
            // An error ends the connection, and with it the transaction.
            for statement in ["BEGIN", Self.lock] + statements + ["COMMIT"] {
                _ = try link.rows(statement, until: deadline)
            }
        case .versioned(let table, let migrations):
            guard try Self.version(in: table, link, until: deadline) != migrations.count else { return }
            try link.transaction(until: deadline) { link, deadline throws(PostgreSQLError) in
                _ = try link.rows(Self.lock, until: deadline)
                // Another server may have changed them meanwhile.
                let version = try Self.version(in: table, link, until: deadline)
                guard version <= migrations.count else { throw .tablesNewer }
                guard version < migrations.count else { return }
                let store = [
                    "CREATE TABLE IF NOT EXISTS \(table) (version bigint NOT NULL)", "DELETE FROM \(table)",
                    "INSERT INTO \(table) VALUES (\(migrations.count))",
                ]
                for statement in migrations.dropFirst(version).joined() + store {
                    _ = try link.rows(statement, until: deadline)
                }
            }
        }
    }

    private static func isThere(
        _ table: String, _ link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Bool {
        try link.rows("SELECT to_regclass('\(table)') IS NOT NULL", until: deadline).first?.first == [1]
    }

    /// The version in the table; 0 where there is no such table.
    private static func version(
        in table: String, _ link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Int {
        guard try isThere(table, link, until: deadline) else { return 0 }
        let row = try link.rows("SELECT max(version)::bigint FROM \(table)", until: deadline).first
        guard let version = row?.first??.bigint, version > 0 else { throw .versionMissing }
        return Int(clamping: version)
    }
}

/// Why a statement was not executed, or may not have been.
package enum PostgreSQLError: Error, Equatable, Sendable {
    /// More requests wait for the database than it can answer in time.
    case overloaded
    /// The library that reaches the database is not installed.
    case libraryMissing
    /// The database cannot be reached.
    case unreachable
    /// The database did not answer in time: what was asked of it may have happened.
    case overdue
    /// The database refused, with its own code: five characters of SQLSTATE.
    case failed(code: String)
    /// A row does not have the columns or types of the statement.
    case rowMalformed
    /// A newer version of this program changed the tables.
    case tablesNewer
    /// The table with the version of the tables is there and holds no version.
    case versionMissing
    /// There are no random bytes for what the statement is to put in place.
    case withoutRandom

    /// In plain words: what is, and what to do.
    package var explanation: String {
        switch self {
        case .overloaded: "too many requests wait for the database: try again"
        case .libraryMissing: "libpq is not installed: install the package libpq5"
        case .unreachable: "the database cannot be reached: check that it runs and the settings in the file"
        case .overdue: "the database did not answer in time: check its load"
        case .failed(let code): "the database refused with the code \(code): see its log"
        case .rowMalformed:
            "a row has other columns than this version expects: check that this program is not older than the tables"
        case .tablesNewer:
            "a newer version of this program changed the tables: install that version on this computer, too"
        case .versionMissing:
            "the table with the version of the other tables holds no version that this user can read: restore it from the backup"
        case .withoutRandom: "this computer gave no random bytes: try again"
        }
    }
}

extension Int64 {
    /// PostgreSQL's bigint.
    package var postgreSQL: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}

extension [UInt8] {
    /// From PostgreSQL's bigint; nil for another size.
    package var bigint: Int64? { count == 8 ? reduce(0) { $0 << 8 | Int64($1) } : nil }
}
