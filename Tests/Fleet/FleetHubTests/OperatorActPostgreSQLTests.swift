import Fleet
import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import Testing

@testable import FleetHub
@testable import ReaderStore

@Suite("The audit log of a chain, in a real PostgreSQL")
struct OperatorActPostgreSQLTests {
    private static let anna = HubOperator(login: "anna", account: "countersign-hub", host: "hub-1")
    /// What PostgreSQL refuses in a text.
    private static let unwritable = HubOperator(login: "\u{0}", account: "countersign-hub", host: "hub-1")

    /// A document for the kiosk of the bench alone.
    private func document(_ bench: HubBench, version: Int64) throws -> VerifiedFleetDocument {
        let document = FleetDocument(
            chain: try #require(FleetName("utopia")), level: .kiosk, name: bench.kiosk, version: version,
            created: HubBench.now)
        let key = try PrivateKey.generate(.p256)
        return try VerifiedFleetDocument(
            document.sign(with: key), by: FleetKeyring([FleetKey(key.publicKey())]))
    }

    private func acts(_ bench: HubBench) async throws -> [String] {
        try await bench.database.audit.acts(of: bench.kiosk, atMost: 100).map(\.json.line)
    }

    /// Its members after the number and the time.
    private func line(_ act: String, _ object: String) -> String {
        #""act":"\#(act)","object":{\#(object)},"databaseUser":"countersign","login":"anna","#
            + #""account":"countersign-hub","host":"hub-1"}"#
    }

    @Test("Each act of an operator is one row with the time, the act, its object and the operator")
    func rows() async throws {
        let bench = try await HubBench(by: Self.anna)
        let (database, kiosk) = (bench.database, bench.kiosk)
        _ = try await database.kiosks.invite(kiosk, site: FleetName("harbour"), group: nil, at: HubBench.now)
        for isStopped in [true, false] { #expect(try await database.kiosks.setStopped(isStopped, kiosk)) }
        try await database.kiosks.alert("receiptsDiffer", at: kiosk)
        #expect(try await database.kiosks.clearAlert(of: kiosk))
        let document = try document(bench, version: 7)
        #expect(try await database.documents.put(document, percent: 10, at: HubBench.now) == .put)
        #expect(try await database.documents.widen(.kiosk, kiosk, percent: 100))
        #expect(try await database.kiosks.revoke(kiosk))
        let name = "\"kiosk\":\"\(kiosk)\""
        func documented(_ percent: Int) -> String {
            "\"level\":\"kiosk\",\"name\":\"\(kiosk)\",\"version\":7,"
                + "\"sha256\":\"\(document.digest.hexadecimal)\",\"percent\":\(percent)"
        }
        let expected = [
            line("kioskInvited", #"\#(name),"site":"harbour","group":null"#), line("kioskStopped", name),
            line("kioskStarted", name), line("alertCleared", #"\#(name),"alert":"receiptsDiffer""#),
            line("documentPut", documented(10)), line("documentWidened", documented(100)),
            line("kioskRevoked", name),
        ]
        let found = try await acts(bench)
        #expect(found.count == expected.count)
        for (found, expected) in zip(found, expected) {
            #expect(found.hasSuffix("Z\",\(expected)"), "\(found)")
        }
        // Page by page, and none of another kiosk.
        let all = try await database.audit.acts(of: kiosk, atMost: 100)
        let rest = try await database.audit.acts(after: all[4].number, of: kiosk, atMost: 1)
        #expect(rest.map(\.number) == [all[5].number])
        #expect(try await database.audit.acts(of: FleetName("x-\(kiosk)"), atMost: 100).isEmpty)
    }

    @Test("What is refused, and what changes nothing, leaves no row")
    func refused() async throws {
        let bench = try await HubBench(by: Self.anna)
        let (database, kiosk) = (bench.database, bench.kiosk)
        try await bench.enrol()
        let document = try document(bench, version: 2)
        #expect(try await database.documents.put(document, percent: 50, at: HubBench.now) == .put)
        let before = try await acts(bench)
        #expect(before.count == 2)
        #expect(try await database.kiosks.invite(kiosk, site: nil, group: nil, at: HubBench.now) == nil)
        #expect(try await !database.kiosks.setStopped(false, kiosk))
        #expect(try await !database.kiosks.clearAlert(of: kiosk))
        #expect(try await database.documents.put(document, at: HubBench.now) == .older(than: 2))
        #expect(try await database.documents.widen(.kiosk, kiosk, percent: 50))
        #expect(try await acts(bench) == before)
        for isFirst in [true, false] { #expect(try await database.kiosks.setStopped(true, kiosk) == isFirst) }
        for isFirst in [true, false] { #expect(try await database.kiosks.revoke(kiosk) == isFirst) }
        #expect(try await acts(bench).count == before.count + 2)
        let stranger = try #require(FleetName("x-\(kiosk)"))
        #expect(try await !database.kiosks.revoke(stranger))
        #expect(try await !database.kiosks.setStopped(true, stranger))
        #expect(try await !database.documents.widen(.kiosk, stranger, percent: 50))
        #expect(try await database.audit.acts(of: stranger, atMost: 100).isEmpty)
    }

    @Test("A roll-out that is widened after failures is a row, be the share as before")
    func widenedAfterFailures() async throws {
        let bench = try await HubBench(by: Self.anna)
        try await bench.enrol()
        #expect(try await bench.database.documents.put(document(bench, version: 1), at: HubBench.now) == .put)
        let entry = KioskReport.Entry(level: .kiosk, version: 1, result: "document.failed_before")
        let report = KioskReport(software: "test", documents: [entry], receipts: "")
        let record = try #require(try await bench.database.kiosks.named(bench.kiosk))
        try await bench.database.kiosks.record(report, of: record, at: HubBench.now)
        let before = try await acts(bench)
        #expect(try await bench.database.documents.widen(.kiosk, bench.kiosk, percent: 100))
        let found = try await acts(bench)
        #expect(found.count == before.count + 1 && found.last?.contains("documentWidened") == true)
    }

    @Test("If the audit row cannot be written, the operator's act is not done")
    func together() async throws {
        let bench = try await HubBench(by: Self.anna)
        let (good, kiosk) = (bench.database, bench.kiosk)
        let bad = try await HubBench(by: Self.unwritable).database
        func refuse(_ body: () async throws -> Void, _ place: SourceLocation = #_sourceLocation) async {
            await #expect(throws: PostgreSQLError.failed(code: "22021"), sourceLocation: place) {
                try await body()
            }
        }
        await refuse { _ = try await bad.kiosks.invite(kiosk, site: nil, group: nil, at: HubBench.now) }
        #expect(try await good.kiosks.named(kiosk) == nil)
        #expect(try await acts(bench).isEmpty)
        try await bench.enrol()
        let document = try document(bench, version: 1)
        await refuse { _ = try await bad.documents.put(document, percent: 50, at: HubBench.now) }
        let enrolled = try #require(try await good.kiosks.named(kiosk))
        #expect(try await good.documents.document(document.digest, for: enrolled) == nil)
        #expect(try await good.documents.put(document, percent: 50, at: HubBench.now) == .put)
        try await good.kiosks.alert("receiptsDiffer", at: kiosk)
        let before = (try await good.kiosks.named(kiosk), try await acts(bench))
        await refuse { _ = try await bad.kiosks.setStopped(true, kiosk) }
        await refuse { _ = try await bad.kiosks.clearAlert(of: kiosk) }
        await refuse { _ = try await bad.kiosks.revoke(kiosk) }
        await refuse { _ = try await bad.documents.widen(.kiosk, kiosk, percent: 100) }
        #expect(try await good.kiosks.named(kiosk) == before.0)
        #expect(try await acts(bench) == before.1)
        #expect(try await !good.kiosks.isRevoked(enrolled.keyDigest))
        // The share is the one before: widening to it is no change.
        #expect(try await good.documents.widen(.kiosk, kiosk, percent: 50))
        #expect(try await acts(bench) == before.1)
    }

    @Test(
        "The database ends a transaction whose client says nothing, so that no act waits for a computer without power"
    )
    func silentClient() async throws {
        let bench = try await HubBench(by: Self.anna)
        let limit = try await bench.pool.rows(
            "SELECT current_setting('idle_in_transaction_session_timeout')")
        #expect(limit.first?.first??.text == "10s")
    }

    @Test("The audit contains no invitation code, neither as text nor as digest")
    func secrets() async throws {
        let bench = try await HubBench(by: Self.anna)
        let code = try #require(
            try await bench.database.kiosks.invite(bench.kiosk, site: nil, group: nil, at: HubBench.now))
        let rows = try await bench.pool.rows(
            "SELECT entry::text FROM countersign_fleet_act AS entry"
        ).compactMap { $0.first.flatMap { $0 }?.text }.joined(separator: "\n")
        #expect(rows.contains(bench.kiosk.text))
        let digest = Digest(.sha256, of: code.bytes[...]).bytes.hexadecimal
        for secret in [code, digest, Data(code.utf8).base64EncodedString()] {
            #expect(!rows.lowercased().contains(secret.lowercased()))
        }
    }

    @Test(
        "Numbers have no gap and follow the time, also where two hubs' computers act at once and some acts fail"
    )
    func numbers() async throws {
        let one = try await HubBench(by: Self.anna)
        let (two, bad) = (try await HubBench(by: Self.anna), try await HubBench(by: Self.unwritable))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let bench = [one, two, bad][number % 3]
                    guard let kiosk = FleetName("\(bench.kiosk)-\(number)") else { return }
                    _ = try? await bench.database.kiosks.invite(
                        kiosk, site: nil, group: nil, at: HubBench.now)
                }
            }
        }
        let rows = try await one.pool.rows(
            """
            SELECT count(*), max(number), count(*) FILTER (WHERE object->>'kiosk' LIKE $1::text || '-%'
                OR object->>'kiosk' LIKE $2::text || '-%'), (
                SELECT count(*) FROM countersign_fleet_act AS one JOIN countersign_fleet_act AS next
                    ON next.number = one.number + 1 WHERE next.time < one.time)
            FROM countersign_fleet_act
            """, [one.kiosk.text.bytes, two.kiosk.text.bytes])
        let found = try #require(rows.first).compactMap { $0?.bigint }
        try #require(found.count == 4)
        #expect(found[0] == found[1] && found[2] == 16 && found[3] == 0)
    }

    @Test("A database of an earlier version gets the table with the first connection, and keeps what it has")
    func earlierVersion() async throws {
        let name = "act_\(UInt32.random(in: 0...UInt32.max))"
        let bench = try await HubBench()
        _ = try await bench.pool.rows("CREATE SCHEMA \(name)")
        let path = " options='-c search_path=\(name)'"
        let former = try await HubBench(path)
        _ = try await former.database.kiosks.invite(bench.kiosk, site: nil, group: nil, at: HubBench.now)
        _ = try await former.pool.rows("DROP TABLE countersign_fleet_act, countersign_fleet_schema")
        let database = try await HubBench(path).database
        #expect(try await database.kiosks.named(bench.kiosk)?.state == .invited)
        #expect(try await database.kiosks.revoke(bench.kiosk))
        let acts = try await database.audit.acts(atMost: 100)
        #expect(acts.map(\.number) == [1])
        _ = try await bench.pool.rows("DROP SCHEMA \(name) CASCADE")
    }

    @Test("If another user owns the audit table, the hub's database user can append rows but change none")
    func appendOnly() async throws {
        let role = "hub_\(UInt32.random(in: 0...UInt32.max))"
        let owner = try await HubBench().pool
        for statement in [
            "CREATE ROLE \(role)", "GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role)",
            "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role)",
            "REVOKE ALL ON countersign_fleet_act FROM \(role)",
            "GRANT SELECT, INSERT ON countersign_fleet_act TO \(role)",
        ] {
            _ = try await owner.rows(statement)
        }
        let bench = try await HubBench(" options='-c role=\(role)'", by: Self.anna)
        try await bench.enrol()
        #expect(try await acts(bench).count == 1)
        for statement in [
            "UPDATE countersign_fleet_act SET act = 'x'", "DELETE FROM countersign_fleet_act",
            "TRUNCATE countersign_fleet_act", "DROP TABLE countersign_fleet_act",
            "ALTER TABLE countersign_fleet_act DROP COLUMN login",
        ] {
            await #expect(throws: PostgreSQLError.failed(code: "42501"), "\(statement)") {
                _ = try await bench.pool.rows(statement)
            }
        }
        for statement in ["DROP OWNED BY \(role)", "DROP ROLE \(role)"] {
            _ = try await owner.rows(statement)
        }
    }

    @Test(
        "The login is the account that logged in; nobody's number, and what is no number, are no login",
        arguments: [
            ("0", "root"), ("4294967294", "4294967294"), ("4294967295", ""), ("", ""), ("-1", ""), ("x", ""),
        ])
    func login(_ number: String, _ name: String) {
        #expect(HubOperator.login(number) == name)
        #expect(!HubOperator.current.account.isEmpty && !HubOperator.current.host.isEmpty)
    }
}
