import Fleet
import Foundation
import Testing
import VectorFiles

@testable import FleetHub
@testable import ReaderStore

/// A PostgreSQL schema of its own in the database of `with-postgresql`, with the tables of a hub or without.
private struct Place {
    let settings: String
    private let pool: PostgreSQLPool
    private let name: String

    /// Cancels the test where there is no database.
    init() async throws {
        guard let settings = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"] else {
            try Test.cancel("no database: run Hardware/VirtualBench/with-postgresql swift test …")
        }
        name = "hub_\(UInt32.random(in: 0...UInt32.max))"
        self.settings = "\(settings) options='-c search_path=\(name)'"
        // The schema of this pool is a table of every database, so that nothing is made.
        pool = PostgreSQLPool(self.settings, PostgreSQLSchema(table: "pg_class", statements: []))
        _ = try await pool.rows("CREATE SCHEMA \(name)")
    }

    /// Loads the database of a hub that knew no version.
    func loadEarlier() async throws {
        let file = VectorFiles.own.appending(path: "hub-database/without-version.sql")
        for statement in try String(contentsOf: file, encoding: .utf8).split(separator: ";\n") {
            _ = try await pool.rows(String(statement))
        }
    }

    func hub() throws -> HubDatabase { HubDatabase(settings, chain: try #require(FleetName("utopia"))) }

    func rows(_ statement: String) async throws -> [[[UInt8]?]] { try await pool.rows(statement) }

    func version() async throws -> Int64? {
        try await rows("SELECT version FROM countersign_fleet_schema").first?.first??.bigint
    }

    /// A line for each column, index and constraint but for the partitions of months.
    func tables() async throws -> [String] {
        try await rows(
            """
            SELECT concat_ws(' ', table_name, column_name, data_type, column_default, is_nullable, is_identity)
            FROM information_schema.columns WHERE table_schema = '\(name)' AND table_name !~ '_2[0-9]{5}$'
            UNION ALL SELECT replace(indexdef, '\(name).', '') FROM pg_indexes
            WHERE schemaname = '\(name)' AND tablename !~ '_2[0-9]{5}$'
            UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
            WHERE connamespace = '\(name)'::regnamespace AND conrelid::regclass::text !~ '_2[0-9]{5}$'
            ORDER BY 1
            """
        ).compactMap { $0.first??.text }.map { $0.replacingOccurrences(of: "\(name).", with: "") }
    }

    func remove() async throws { _ = try await pool.rows("DROP SCHEMA \(name) CASCADE") }
}

@Suite("A hub's tables and their version, in a real PostgreSQL")
struct HubMigrationPostgreSQLTests {
    @Test("A hub starts on the database of a hub that knew no version, and goes on with what is there")
    func earlier() async throws {
        let place = try await Place()
        try await place.loadEarlier()
        let hub = try place.hub()
        let kiosks = try await hub.kiosks.all(atMost: 10)
        #expect(kiosks.map(\.name.text) == ["till-1", "till-2", "till-3"])
        #expect(kiosks.map(\.state.rawValue) == ["active", "revoked", "active"])
        #expect(kiosks.map(\.head.sequence) == [6, 3, 4])
        #expect(try await hub.receipts.count(of: kiosks[0].name) == 6)
        #expect(try await hub.documents.rollOuts().count == 2)
        #expect(try await hub.audit.acts(atMost: 100).map(\.number) == Array(1...10))
        #expect(try await hub.kiosks.setStopped(true, kiosks[0].name))
        #expect(try await hub.audit.acts(atMost: 100).count == 11)
        #expect(try await place.version() == 1)
        try await place.remove()
    }

    @Test("The tables of an earlier hub become those of a new one, column by column")
    func alike() async throws {
        let (earlier, new) = (try await Place(), try await Place())
        try await earlier.loadEarlier()
        for column in ["passwords_hour", "passwords", "renewals_hour", "renewals", "reports_hour", "reports"]
        {
            _ = try await earlier.rows("ALTER TABLE countersign_fleet_kiosk DROP COLUMN \(column)")
        }
        _ = try await earlier.rows("DROP TABLE countersign_fleet_act")
        _ = try await earlier.rows(
            "CREATE UNIQUE INDEX countersign_fleet_receipt_key_point ON countersign_fleet_receipt_key (point)"
        )
        #expect(try await earlier.tables() != new.tables())
        for place in [earlier, new] { try await place.hub().ping() }
        let tables = try await new.tables()
        #expect(tables.count > 60)
        #expect(try await earlier.tables() == tables)
        #expect(try await earlier.hub().kiosks.all(atMost: 10).count == 3)
        for place in [earlier, new] { try await place.remove() }
    }

    @Test("Several hubs that start at once on an earlier database change it once")
    func atOnce() async throws {
        let place = try await Place()
        try await place.loadEarlier()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await place.hub().ping() } }
            try await group.waitForAll()
        }
        #expect(try await place.rows("SELECT version FROM countersign_fleet_schema").count == 1)
        #expect(try await place.version() == 1)
        try await place.remove()
    }

    @Test("Tables that a newer program changed are refused and stay as they are")
    func newer() async throws {
        let place = try await Place()
        try await place.hub().ping()
        _ = try await place.rows("UPDATE countersign_fleet_schema SET version = 2")
        let tables = try await place.tables()
        await #expect(throws: PostgreSQLError.tablesNewer) { try await place.hub().ping() }
        #expect(PostgreSQLError.tablesNewer.explanation.contains("install that version"))
        #expect(try await place.tables() == tables)
        #expect(try await place.version() == 2)
        _ = try await place.rows("UPDATE countersign_fleet_schema SET version = 1")
        try await place.hub().ping()
        try await place.remove()
    }

    @Test("A version that is no number of a version is no reason to make tables")
    func damaged() async throws {
        let place = try await Place()
        try await place.hub().ping()
        for damage in [
            "DELETE FROM countersign_fleet_schema", "INSERT INTO countersign_fleet_schema VALUES (0)",
        ] {
            _ = try await place.rows(damage)
            await #expect(throws: PostgreSQLError.versionMissing) { try await place.hub().ping() }
        }
        try await place.remove()
    }

    @Test("Each migration leads to the next version and nothing is made twice")
    func migrations() async throws {
        let place = try await Place()
        let steps = [
            ["CREATE TABLE one (a bigint)"], ["ALTER TABLE one ADD b bigint"], ["CREATE TABLE two ()"],
        ]
        for count in [1, 3, 3] {
            let schema = PostgreSQLSchema(versions: "steps", migrations: Array(steps.prefix(count)))
            #expect(
                try await PostgreSQLPool(place.settings, schema).rows("SELECT version FROM steps")
                    == [[Int64(count).postgreSQL]])
        }
        #expect(try await place.rows("SELECT a, b FROM one").isEmpty)
        #expect(try await place.rows("SELECT 1 FROM two").isEmpty)
        // A migration that fails leaves the tables and the version before it.
        let failing = PostgreSQLSchema(
            versions: "steps", migrations: steps + [["CREATE TABLE three ()", "DROP TABLE none"]])
        await #expect(throws: PostgreSQLError.failed(code: "42P01")) {
            try await PostgreSQLPool(place.settings, failing).rows("SELECT 1")
        }
        #expect(
            try await place.rows("SELECT to_regclass('three') IS NULL, version FROM steps") == [
                [[1], Int64(3).postgreSQL]
            ])
        try await place.remove()
    }
}
