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

    /// Gives true where the tables are there.
    let isThere: String
    /// Makes the tables, by one server at a time.
    let setUp: [String]

    /// - Parameters:
    ///   - table: the table whose presence says that all are there: the one that the last statement makes.
    ///   - statements: make the tables where they are not there.
    package init(table: StaticString, statements: [String]) {
        isThere = "SELECT to_regclass('\(table)') IS NOT NULL"
        setUp = ["BEGIN", "SELECT pg_advisory_xact_lock(1131902830)"] + statements + ["COMMIT"]
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
