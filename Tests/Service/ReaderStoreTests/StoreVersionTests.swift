import Foundation
import GRDB
import MdocModel
import MdocTrust
import RecordBench
import TestCredentials
import Testing

@testable import ReaderStore

/// Stores that an earlier version of the program set up.
@Suite("Earlier versions of the store")
struct StoreVersionTests {
    let folder: StoreFixture

    init() throws {
        folder = try StoreFixture()
    }

    /// The store as version 1 left it, with one root.
    private func placeFirstVersion() throws -> [UInt8] {
        let root = try TestAuthority().der
        let snapshot = TrustSnapshot([.test(.anchor, "root", root)])
        try folder.place([])
        try DatabaseQueue(path: folder.file).write { database in
            try database.execute(sql: TrustTables.schema)
            try database.execute(sql: "PRAGMA application_id = \(0x4373_676e)")
            try database.execute(sql: "PRAGMA user_version = 1")
            try database.execute(
                sql: "INSERT INTO trust_bytes VALUES (?, ?)",
                arguments: [Data(snapshot.sources[0].sha256), Data(root)])
            try database.execute(
                sql: "INSERT INTO trust_snapshot VALUES (1, ?, ?, NULL, 'imported')",
                arguments: [Data(snapshot.id.bytes), TestAuthority.now])
            try database.execute(
                sql: "INSERT INTO trust_source VALUES (1, 'anchor', 'root', 'file', 'root', ?, ?)",
                arguments: [TestAuthority.now, Data(snapshot.sources[0].sha256)])
            try database.execute(sql: "INSERT INTO trust_current VALUES (1, 1)")
        }
        return snapshot.id.bytes
    }

    @Test(
        "A store of version 1 keeps what is in it and gets the tables that came since",
        arguments: [ReaderStore.Access.reading, .changing])
    func first(_ access: ReaderStore.Access) throws {
        let id = try placeFirstVersion()
        let store = try ReaderStore(at: folder.path, for: access)
        #expect(try store.currentTrust().record.id.bytes == id)
        #expect(try store.receipts(atMost: 1).isEmpty)
        let changing = try ReaderStore(at: folder.path, for: .changing)
        #expect(try changing.append(.sample()).sequence == 1)
        #expect(try changing.currentTrust().record.id.bytes == id)
        let version = try DatabaseQueue(path: folder.file).read {
            try Int.fetchOne($0, sql: "PRAGMA user_version")
        }
        #expect(version == ReaderStore.version)
    }

    @Test("One that was set up anew has the same tables as one that was brought up to date")
    func sameTables() throws {
        _ = try placeFirstVersion()
        _ = try ReaderStore(at: folder.path, for: .changing)
        let other = try StoreFixture()
        _ = try ReaderStore(at: other.path, for: .changing)
        let tables = try [folder, other].map { fixture in
            try DatabaseQueue(path: fixture.file).read {
                try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name")
            }
        }
        #expect(tables[0] == tables[1])
        #expect(tables[0].count > 7)
    }

    @Test("A presentation of an earlier version has its lane, its outcome, and the view without reasons")
    func presentationOfEarlierVersion() throws {
        _ = try ReaderStore(at: folder.path, for: .changing)
        let description =
            #"{"lane":"counter-1","outcome":"allow","test":true,"reasons":["x"],"ended":null,"decision":"approved"}"#
        try DatabaseQueue(path: folder.file).write { database in
            for column in [
                "lane", "outcome", "of_test", "outcome_description", "repeated_reference", "of_desk",
            ] {
                try database.execute(sql: "ALTER TABLE presentation DROP COLUMN \(column)")
            }
            try database.execute(sql: "DROP TABLE output")
            try database.execute(sql: "PRAGMA user_version = \(ReaderStore.version - 5)")
            for (id, text) in [("a", description), ("b", "not JSON")] {
                try database.execute(
                    sql: """
                        INSERT INTO presentation (id, owner, holder, request, created, ended, description)
                            VALUES (?, 'till', 1, ?, 0, 0, ?)
                        """, arguments: [id, Data(repeating: 7, count: 32), text])
            }
        }
        let store = try ReaderStore(at: folder.path, for: .changing)
        let kept = try #require(try store.presentation("a"))
        #expect(kept.lane == "counter-1" && kept.outcome == .allow && kept.isOfTest == true)
        #expect(!kept.isOfDesk && kept.repeatedReference == nil)
        #expect(kept.description == description)
        #expect(
            kept.outcomeDescription
                == #"{"lane":"counter-1","outcome":"allow","test":true,"reasons":[],"ended":null}"#)
        let other = try #require(try store.presentation("b"))
        #expect(other.lane == "" && other.outcome == nil && other.isOfTest == nil)
    }

    @Test("Q234 A store keeps status lists of one name that two issuers signed")
    func listsOfOneName() throws {
        let (one, other) = (try TestAuthority(), try TestAuthority.ofACountry())
        let snapshot = try TrustSnapshot(
            [one, other].flatMap { authority in
                [
                    .test(.anchor, "\(authority.keyIdentifier)", authority.der),
                    .test(
                        .statusList, TestStatusToken.uri, try TestStatusToken(authority: authority).encoded()),
                ]
            })
        #expect(snapshot.sources.count == 4)
        _ = try placeFirstVersion()
        let store = try ReaderStore(at: folder.path, for: .changing)
        let current = try store.currentTrust().record.number
        try store.replaceTrust(
            with: snapshot, expecting: current, by: .imported,
            at: Timestamp(secondsSince1970: TestAuthority.now))
        #expect(try store.currentTrust().snapshot.id == snapshot.id)
        #expect(try store.currentTrust().snapshot.sources.count == 4)
    }

    @Test("A version of 0 or below is none of ours", arguments: [0, -1])
    func noVersion(_ version: Int) throws {
        _ = try placeFirstVersion()
        try DatabaseQueue(path: folder.file).write {
            try $0.execute(sql: "PRAGMA user_version = \(version)")
        }
        #expect(throws: ReaderStoreError.versionUnknown(version)) {
            try ReaderStore(at: folder.path, for: .changing)
        }
    }
}
