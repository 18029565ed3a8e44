package import MdocModel
package import ReaderStore

/// The properties of a hub's database that `countersign-hub doctor` checks. Reading them creates no tables.
package struct DatabaseFacts: Equatable, Sendable {
    /// The version of the tables that this program uses.
    package static let newestTablesVersion = HubTables.schema.version

    /// PostgreSQL's version number: 150_009 is 15.9.
    package var version: Int64
    /// Whether the database is a standby, which accepts no changes.
    package var isStandby: Bool
    /// Whether the hub's tables exist.
    package var hasTables: Bool
    /// The version of the tables. `nil` if the table of versions does not exist: before the first start, or
    /// if a hub program without table versions created the tables. 0 if the table of versions contains no
    /// version that the hub's user can read.
    package var tablesVersion: Int64?
    /// Whether the hub's database user may create tables.
    package var mayMakeTables: Bool
    /// Whether the hub's user owns the tables. Only the owner may create and drop the partitions of
    /// receipts.
    package var ownsTables: Bool
    /// Whether the user may read the audit log and append to it. Every command that makes a change needs both
    /// rights.
    package var mayAppendActs: Bool
    /// Whether the user may change or delete rows of the audit log even though another user owns it.
    package var mayChangeActs: Bool
    /// The number of seconds by which the database's clock is ahead of this computer's.
    package var secondsAhead: Int64

    package init(
        version: Int64, isStandby: Bool, hasTables: Bool, tablesVersion: Int64? = newestTablesVersion,
        mayMakeTables: Bool, ownsTables: Bool,
        mayAppendActs: Bool = true, mayChangeActs: Bool = false, secondsAhead: Int64 = 0
    ) {
        self.mayAppendActs = mayAppendActs
        self.mayChangeActs = mayChangeActs
        self.secondsAhead = secondsAhead
        self.version = version
        self.isStandby = isStandby
        self.hasTables = hasTables
        self.tablesVersion = tablesVersion
        self.mayMakeTables = mayMakeTables
        self.ownsTables = ownsTables
    }

    /// Reads the properties of a database.
    ///
    /// - Parameter settings: The connection settings in libpq's form.
    package static func current(
        _ settings: String, at now: Timestamp
    ) async throws(PostgreSQLError) -> DatabaseFacts {
        // The pool creates the tables of its schema if the schema's table does not exist. The system table
        // `pg_class` always exists, so this pool creates nothing.
        let pool = PostgreSQLPool(settings, PostgreSQLSchema(table: "pg_class", statements: []))
        // If the audit log does not exist, the user counts as allowed to append, because the hub will create
        // the table and then own it. Ownership of the log's schema (`nspowner`) also counts as a right to
        // change the log, because the schema's owner can drop the table.
        let row = try await pool.rows(
            """
            SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(),
                to_regclass('countersign_fleet_task') IS NOT NULL,
                coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
                coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class
                    WHERE oid = to_regclass('countersign_fleet_receipt')), false), \(HubDatabase.second),
                coalesce(has_table_privilege(to_regclass('countersign_fleet_act'), 'SELECT')
                    AND has_table_privilege(to_regclass('countersign_fleet_act'), 'INSERT'), true),
                coalesce((SELECT NOT pg_has_role(act.relowner, 'USAGE') AND (pg_has_role(place.nspowner, 'USAGE')
                        OR has_any_column_privilege(act.oid, 'UPDATE')
                        OR has_table_privilege(act.oid, 'DELETE, TRUNCATE'))
                    FROM pg_class AS act JOIN pg_namespace AS place ON place.oid = act.relnamespace
                    WHERE act.oid = to_regclass('countersign_fleet_act')), false),
                has_table_privilege(to_regclass('countersign_fleet_schema'), 'SELECT')
            """
        ).first
        guard let row, row.count == 9, let version = row[0]?.bigint, let time = row[5]?.bigint else {
            throw .rowMalformed
        }
        // The last column is `nil` without the table of versions, and false if the user may not read that
        // table. The version needs a second query, because a query that reads the version fails if the table
        // does not exist. PostgreSQL's binary form of `true` is the byte 1.
        var tablesVersion: Int64? = row[8] == nil ? nil : 0
        if row[8] == [1] {
            let newest = try await pool.rows("SELECT max(version)::bigint FROM countersign_fleet_schema")
                .first
            tablesVersion = max(newest?.first??.bigint ?? 0, 0)
        }
        return DatabaseFacts(
            version: version, isStandby: row[1] == [1], hasTables: row[2] == [1],
            tablesVersion: tablesVersion, mayMakeTables: row[3] == [1], ownsTables: row[4] == [1],
            mayAppendActs: row[6] == [1], mayChangeActs: row[7] == [1],
            secondsAhead: time - now.secondsSince1970)
    }
}
