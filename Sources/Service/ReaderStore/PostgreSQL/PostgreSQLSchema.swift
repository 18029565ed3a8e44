/// The tables of one component in PostgreSQL, their migrations, and the settings of a session.
package struct PostgreSQLSchema: Sendable {
    /// The settings of each session.
    ///
    /// - Timeouts: a statement, a wait for a lock and an idle transaction end by themselves. Otherwise the
    ///   locks of a computer that lost its power would stay for about two hours.
    /// - Isolation: `read committed`, even if the database's default is stricter. If two servers spend one
    ///   nonce, the second server then waits for the first. With a stricter level the second server's
    ///   statement would fail with a serialization error.
    /// - `synchronous_commit` is never off, even if the database's default is: a reported change must be on
    ///   the disk.
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
        /// Tables that never change: created by `statements` if `table` is missing.
        case fixed(table: String, statements: [String])
        /// Tables with migrations; their version is stored in `table`.
        case versioned(table: String, migrations: [[String]])
    }

    /// The statement that takes an advisory lock, so that only one server at a time creates or changes
    /// tables. The number is arbitrary; it must be the same in all versions of this program.
    private static let lock = "SELECT pg_advisory_xact_lock(1131902830)"

    private let form: Form

    /// Describes tables that never change.
    ///
    /// - Parameters:
    ///   - table: the table whose existence shows that all tables exist. The last statement creates it.
    ///   - statements: the statements that create the tables if they are missing.
    package init(table: StaticString, statements: [String]) {
        form = .fixed(table: "\(table)", statements: statements)
    }

    /// Describes tables with migrations.
    ///
    /// - Parameters:
    ///   - table: the table that stores the version; it is created with the others.
    ///   - migrations: the statements that lead to version 1, from 1 to 2, and so on. A released migration is
    ///     never edited. The first migration must also accept tables that were created before the version was
    ///     stored.
    package init(versions table: StaticString, migrations: [[String]]) {
        form = .versioned(table: "\(table)", migrations: migrations)
    }

    /// The version of the tables after `prepare`; `nil` for tables that never change.
    package var version: Int64? {
        if case .versioned(_, let migrations) = form { Int64(migrations.count) } else { nil }
    }

    /// Creates missing tables and brings existing tables to the newest version, in one transaction.
    ///
    /// - Throws: `PostgreSQLError.tablesNewer` if a newer program changed the tables, `versionMissing` if the
    ///   table with their version is empty.
    func prepare(
        _ link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        switch form {
        case .fixed(let table, let statements):
            guard try !Self.exists(table, link, until: deadline) else { return }
            // An error ends the connection, and with it the transaction. The table is not checked again under
            // the lock, because each of these statements accepts tables that exist already.
            for statement in ["BEGIN", Self.lock] + statements + ["COMMIT"] {
                _ = try link.rows(statement, until: deadline)
            }
        case .versioned(let table, let migrations):
            guard try Self.version(in: table, link, until: deadline) != migrations.count else { return }
            try link.transaction(until: deadline) { link, deadline throws(PostgreSQLError) in
                _ = try link.rows(Self.lock, until: deadline)
                // Read again under the lock: another server may have changed the tables since.
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

    private static func exists(
        _ table: String, _ link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Bool {
        // A byte 1 is the binary form of true.
        try link.rows("SELECT to_regclass('\(table)') IS NOT NULL", until: deadline).first?.first == [1]
    }

    /// Returns the version in the table, or 0 if the table does not exist.
    private static func version(
        in table: String, _ link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Int {
        guard try exists(table, link, until: deadline) else { return 0 }
        let row = try link.rows("SELECT max(version)::bigint FROM \(table)", until: deadline).first
        // Without a row in the table the maximum is null, which `rows` returns as `nil`.
        guard let version = row?.first??.bigint, version > 0 else { throw .versionMissing }
        return Int(clamping: version)
    }
}

/// An error of a statement. Either the statement was not executed, or it is unknown whether it was.
package enum PostgreSQLError: Error, Equatable, Sendable {
    /// More callers wait for the database than it can serve in time.
    case overloaded
    /// The library libpq is not installed.
    case libraryMissing
    /// The database cannot be reached.
    case unreachable
    /// The database did not answer in time. The statement may have been executed.
    case overdue
    /// The database reported an error, with an SQLSTATE of five characters.
    case failed(code: String)
    /// A row does not have the columns or types that the caller expects.
    case rowMalformed
    /// A newer version of this program changed the tables.
    case tablesNewer
    /// The table that stores the version exists, but has no row.
    case versionMissing
    /// The random generator failed, so the statement has no random value to insert.
    case withoutRandom

    /// A text that says what failed, and what to do.
    package var explanation: String {
        switch self {
        case .overloaded: "too many requests wait for the database: try again"
        case .libraryMissing: "libpq is not installed: install the package libpq5"
        case .unreachable:
            "the database cannot be reached: check that it runs, and check its settings in the configuration file"
        case .overdue: "the database did not answer in time: check its load"
        case .failed(let code): "the database refused a statement (SQLSTATE \(code)): see the database's log"
        case .rowMalformed:
            "a row has other columns than this version expects: check that this program is not older than the tables"
        case .tablesNewer:
            "a newer version of this program changed the tables: install that version on this computer, too"
        case .versionMissing:
            "the table that stores the version of the tables has no row that this user can read: restore that table from the backup"
        case .withoutRandom: "this computer gave no random bytes: try again"
        }
    }
}

extension Int64 {
    /// The eight bytes of PostgreSQL's binary form of a bigint.
    package var postgreSQL: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}

extension [UInt8] {
    /// The number in PostgreSQL's binary form of a bigint; `nil` unless there are eight bytes.
    package var bigint: Int64? { count == 8 ? reduce(0) { $0 << 8 | Int64($1) } : nil }
}
