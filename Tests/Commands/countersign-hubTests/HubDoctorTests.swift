import Doctor
import FleetHub
import Foundation
import MdocModel
import ReaderStore
import Testing

@testable import countersign_hub

@Suite("countersign-hub doctor")
struct HubDoctorTests {
    let stage: HubStage

    init() throws {
        stage = try HubStage()
    }

    private func expect(
        _ checks: [DoctorCheck], _ id: DoctorCheck.ID, _ outcome: DoctorCheck.Status, _ words: String = "",
        fix: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let check = try #require(checks.first { $0.id == id }, sourceLocation: sourceLocation)
        #expect(check.outcome == outcome, "\(check.detail.full)", sourceLocation: sourceLocation)
        let isSaid = words.isEmpty || check.detail.full.contains(words)
        #expect(isSaid, "\(check.detail.full)", sourceLocation: sourceLocation)
        guard let fix else { return }
        let command = check.remedy?.command.full
        #expect(command?.contains(fix) == true, "\(command ?? "no fix")", sourceLocation: sourceLocation)
    }

    @Test("Files that are in order are ok, and it says which certificate expires first")
    func inOrder() throws {
        let checks = try stage.facts().checks
        #expect(checks.map(\.id) == HubFileFacts.checks)
        try expect(checks, .hubFiles, .ok)
        try expect(checks, .hubCertificates, .ok, "in 365 days")
        try expect(checks, .hubKeys, .ok, "2 fleet keys")
    }

    @Test("A secret that others may read, and a file that is not there, are failed with their member")
    func files() throws {
        try stage.setMode(0o640, of: "database")
        try expect(
            try stage.facts().checks, .hubFiles, .failed, "database: other users have access",
            fix: "chmod go=")
        try stage.setMode(0o600, of: "database")
        try FileManager.default.removeItem(atPath: "\(stage.folder)/password")
        try expect(try stage.facts().checks, .hubFiles, .failed, "broker.passwordFile: ")
    }

    @Test("A certificate that others may change is failed; one that they may only read is not")
    func changeable() throws {
        try stage.setMode(0o644, of: "hub.pem")
        try expect(try stage.facts().checks, .hubFiles, .ok)
        try stage.setMode(0o664, of: "hub.pem")
        try expect(try stage.facts().checks, .hubFiles, .failed, "http.certificate: ")
    }

    @Test(
        "Certificates are noticed 30 days before they expire, and fail afterwards and before their time",
        arguments: [
            (334, DoctorCheck.Status.ok, "in 31 days"), (336, .warning, "expires in 29 days"),
            (366, .failed, "has expired"), (-1, .failed, "is not valid yet"),
        ])
    func expiry(_ day: Int64, _ outcome: DoctorCheck.Status, _ words: String) throws {
        let then = Timestamp(secondsSince1970: HubStage.now.secondsSince1970 + day * 86_400)
        try expect(try stage.facts(at: then).checks, .hubCertificates, outcome, words)
    }

    @Test("A certificate with the key of another, and a file that holds no certificate, fail")
    func mismatch() throws {
        let manager = FileManager.default
        try manager.removeItem(atPath: "\(stage.folder)/hub-key.pem")
        try manager.copyItem(
            atPath: "\(stage.folder)/broker-key.pem", toPath: "\(stage.folder)/hub-key.pem")
        try expect(
            try stage.facts().checks, .hubCertificates, .failed,
            "http: none of the certificates is for this key",
            fix: "countersign-hub authority server FOLDER NAME --host HOST --replace")
        #expect(
            try stage.fault().contains(
                "http.certificate: \(stage.folder)/hub.pem: it does not match http.key"))
        try stage.write("hub.pem", "no certificate")
        #expect(try stage.fault().contains("hub.pem: there is no certificate in it"))
        try stage.write("authority.pem", "no certificate")
        try expect(try stage.facts().checks, .hubCertificates, .failed, "authority: ")
    }

    @Test(
        "doctor fails for a private fleet key on the hub and for a file without a key, and notes a single key"
    )
    func fleetKeys() throws {
        try stage.write("daily.pem", "")
        try expect(try stage.facts().checks, .hubKeys, .failed, "daily.pem lies on this hub")
        try FileManager.default.removeItem(atPath: "\(stage.folder)/daily.pem")
        try stage.write("daily.pem.pub", "no key")
        try expect(try stage.facts().checks, .hubKeys, .failed, "daily.pem.pub: there is no public key")
        var facts = try stage.facts()
        (facts.keyCount, facts.unusableKeys) = (1, [])
        try expect(facts.checks, .hubKeys, .note, "no other key can withdraw it")
    }

    private static let database = DatabaseFacts(
        version: 150_009, isStandby: false, hasTables: true, mayMakeTables: true, ownsTables: true)

    private func database(_ change: (inout DatabaseFacts) -> Void) -> [DoctorCheck] {
        var facts = Self.database
        change(&facts)
        return HubDatabaseChecks.checks(.success(facts))
    }

    @Test("An older database, a standby, and tables that are absent or another's are told apart")
    func databases() throws {
        try expect(database { _ in }, .hubDatabase, .ok, "PostgreSQL 15.9 answers")
        try expect(database { _ in }, .hubTables, .ok)
        try expect(database { $0.version = 140_012 }, .hubDatabase, .warning, "14.12 is older than 15")
        for seconds: Int64 in [-86_400, 86_400] {
            try expect(database { $0.secondsAhead = seconds }, .hubDatabase, .ok)
        }
        for seconds: Int64 in [-90_000, 90_000] {
            try expect(
                database { $0.secondsAhead = seconds }, .hubDatabase, .failed, "are 25 hours apart",
                fix: "timedatectl")
        }
        try expect(database { $0.isStandby = true }, .hubDatabase, .failed, "name the primary")
        try expect(database { $0.ownsTables = false }, .hubTables, .failed, "belong to another user")
        try expect(
            database { ($0.hasTables, $0.ownsTables) = (false, false) }, .hubTables, .note,
            "the first hub makes the tables")
        try expect(
            database { ($0.hasTables, $0.ownsTables, $0.mayMakeTables) = (false, false, false) }, .hubTables,
            .failed, "may not make tables", fix: "GRANT CREATE")
        try expect(
            database { $0.mayAppendActs = false }, .hubTables, .failed, "may not append to the audit log",
            fix: "GRANT SELECT, INSERT ON countersign_fleet_act")
        try expect(
            database { $0.mayChangeActs = true }, .hubTables, .warning, "may change or delete it",
            fix: "REVOKE UPDATE, DELETE, TRUNCATE ON countersign_fleet_act")
        try expect(database { $0.tablesVersion = 0 }, .hubTables, .failed, "no row that this user can read")
        let newest = try #require(DatabaseFacts.newestTablesVersion)
        try expect(
            database { $0.tablesVersion = newest + 1 }, .hubTables, .failed, "install that version")
        try expect(database { $0.tablesVersion = nil }, .hubTables, .note, "brings them up to date")
        try expect(
            database { ($0.tablesVersion, $0.mayAppendActs) = (nil, false) }, .hubTables, .failed,
            "may not append to the audit log")
        let absent = HubDatabaseChecks.checks(.failure(.unreachable))
        try expect(absent, .hubDatabase, .failed, "cannot be reached")
        try expect(absent, .hubTables, .skipped)
    }

    @Test(
        "What the broker answers is told apart",
        arguments: [
            (
                BrokerFacts.connected(.init(mayPublish: false, maySubscribe: false)), DoctorCheck.Status.ok,
                DoctorCheck.Status.ok, ""
            ),
            (
                .connected(.init(mayPublish: true, maySubscribe: false)), .ok, .failed,
                #""acltype":"publishClientSend","allow":false"#
            ),
            (
                .connected(.init(mayPublish: false, maySubscribe: true)), .ok, .failed,
                #""acltype":"subscribe","allow":false"#
            ),
            (.connected(nil), .ok, .failed, "getClient"), (.refused(code: 5), .failed, .skipped, ""),
            (.unreachable, .failed, .skipped, ""), (.filesRefused, .failed, .skipped, ""),
        ])
    func broker(
        _ facts: BrokerFacts, _ broker: DoctorCheck.Status, _ accounts: DoctorCheck.Status, _ fix: String
    ) throws {
        let checks = HubBrokerChecks.checks(facts)
        #expect(checks.map(\.id) == HubBrokerChecks.checks && checks.map(\.outcome) == [broker, accounts])
        let command = checks[1].remedy?.command.full ?? ""
        #expect(fix.isEmpty ? command.isEmpty || accounts == .skipped : command.contains(fix), "\(command)")
    }

    @Test(
        "Where neither database nor broker is there both are failed, each check comes once, and the rest is looked at"
    )
    func alone() async throws {
        let checks = await DoctorCommand.checks(of: stage.path)
        #expect(
            checks.map(\.id) == [
                .clockSet, .clockSynchronised, .hubConfiguration, .hubFiles, .hubCertificates, .hubKeys,
                .hubDatabase, .hubTables, .hubBroker, .hubAccounts,
            ])
        try expect(checks, .hubConfiguration, .ok)
        try expect(checks, .hubFiles, .ok)
        try expect(checks, .hubDatabase, .failed, "cannot be reached")
        try expect(checks, .hubBroker, .failed, "no connection")
        try expect(checks, .hubAccounts, .skipped)
    }

    @Test("A configuration with a fault is failed with its place, and nothing of it is looked at")
    func configuration() async throws {
        try stage.write("countersign-hub.json", stage.json.replacing("8443", with: "0"))
        let checks = await DoctorCommand.checks(of: stage.path)
        try expect(checks, .hubConfiguration, .failed, "countersign-hub.json:3:")
        #expect(checks.filter { $0.outcome == .skipped }.map(\.id).contains(.hubAccounts))
        try FileManager.default.removeItem(atPath: stage.path)
        try expect(
            await DoctorCommand.checks(of: stage.path), .hubConfiguration, .failed,
            "there is no such file: give --config FILE")
    }

    @Test("A configuration that others may change is failed; one that they may read is not")
    func changeableConfiguration() async throws {
        for (mode, outcome) in [(0o644, DoctorCheck.Status.ok), (0o664, .failed), (0o646, .failed)] {
            try stage.setMode(mode, of: "countersign-hub.json")
            let checks = await DoctorCommand.checks(of: stage.path)
            try expect(
                checks, .hubConfiguration, outcome, outcome == .ok ? "" : "other users may change the file",
                fix: outcome == .ok ? nil : "chmod go-w")
        }
    }

    @Test("A password that others may read is not used: the broker is not asked")
    func exposedPassword() async throws {
        try stage.setMode(0o604, of: "password")
        let checks = await DoctorCommand.checks(of: stage.path)
        try expect(checks, .hubFiles, .failed, "broker.passwordFile: other users have access")
        try expect(checks, .hubBroker, .skipped, "passwordFile")
    }
}

@Suite("countersign-hub doctor, in a real PostgreSQL")
struct HubDoctorPostgreSQLTests {
    @Test("It sees version, tables and rights, makes no table, and another user's tables are not the hub's")
    func database() async throws {
        guard let settings = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"] else {
            try Test.cancel("no database: run Hardware/VirtualBench/with-postgresql swift test …")
        }
        let pool = PostgreSQLPool(settings, PostgreSQLSchema(table: "pg_class", statements: []))
        let name = "doctor_\(UInt32.random(in: 0...UInt32.max))"
        for statement in [
            "CREATE ROLE \(name) LOGIN", "CREATE SCHEMA \(name) AUTHORIZATION \(name)",
            "ALTER ROLE \(name) SET search_path = \(name)",
        ] {
            _ = try await pool.rows(statement)
        }
        let own = settings.split(separator: " ").filter { !$0.hasPrefix("user=") } + ["user=\(name)"]
        let looker = own.joined(separator: " ")
        func facts() async throws -> DatabaseFacts {
            try await .current(
                looker, at: Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970)))
        }
        let empty = try await facts()
        #expect(abs(empty.secondsAhead) < 60)
        #expect(empty.version >= 150_000 && !empty.isStandby && !empty.hasTables && empty.mayMakeTables)
        #expect(try await !facts().hasTables)
        for table in ["countersign_fleet_task", "countersign_fleet_receipt"] {
            _ = try await pool.rows("CREATE TABLE \(name).\(table) ()")
        }
        let foreign = try await facts()
        #expect(foreign.hasTables && !foreign.ownsTables)
        _ = try await pool.rows("ALTER TABLE \(name).countersign_fleet_receipt OWNER TO \(name)")
        #expect(try await facts().ownsTables)
        // The hub makes an audit log that is not there.
        #expect(try await facts().mayAppendActs)
        try await auditLog(of: name, pool, facts)
        #expect(try await facts().tablesVersion == nil)
        let table = "\(name).countersign_fleet_schema"
        for (statement, version) in [
            ("CREATE TABLE \(table) (version bigint NOT NULL)", 0), ("INSERT INTO \(table) VALUES (7)", 0),
            ("GRANT SELECT ON \(table) TO \(name)", 7), ("UPDATE \(table) SET version = 1", 1),
            ("DELETE FROM \(table)", 0),
        ] as [(String, Int64)] {
            _ = try await pool.rows(statement)
            #expect(try await facts().tablesVersion == version, "\(statement)")
        }
        _ = try await pool.rows("REVOKE CREATE ON SCHEMA \(name) FROM \(name)")
        #expect(try await !facts().mayMakeTables)
        _ = try await pool.rows("DROP SCHEMA \(name) CASCADE")
        _ = try await pool.rows("DROP ROLE \(name)")
        await #expect(throws: PostgreSQLError.unreachable) { try await facts() }
    }

    /// Changes who may do what with the audit log in the schema of a user, and looks as that user each time.
    private func auditLog(
        of name: String, _ pool: PostgreSQLPool, _ facts: () async throws -> DatabaseFacts
    ) async throws {
        func expect(
            append: Bool, change: Bool, after statement: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            _ = try await pool.rows(statement)
            let found = try await facts()
            #expect(found.mayAppendActs == append, sourceLocation: sourceLocation)
            #expect(found.mayChangeActs == change, sourceLocation: sourceLocation)
        }
        let log = "\(name).countersign_fleet_act"
        // The owner of a schema may delete the tables of others there.
        try await expect(append: false, change: true, after: "CREATE TABLE \(log) (number bigint)")
        _ = try await pool.rows("ALTER SCHEMA \(name) OWNER TO CURRENT_USER")
        try await expect(
            append: false, change: false, after: "GRANT USAGE, CREATE ON SCHEMA \(name) TO \(name)")
        try await expect(append: false, change: false, after: "GRANT INSERT ON \(log) TO \(name)")
        try await expect(append: true, change: false, after: "GRANT SELECT ON \(log) TO \(name)")
        for right in ["UPDATE", "UPDATE (number)", "DELETE", "TRUNCATE"] {
            try await expect(append: true, change: true, after: "GRANT \(right) ON \(log) TO \(name)")
            try await expect(append: true, change: false, after: "REVOKE \(right) ON \(log) FROM \(name)")
        }
        // A hub that made its log owns it.
        try await expect(append: true, change: false, after: "ALTER TABLE \(log) OWNER TO \(name)")
    }
}
