import Foundation
import GRDB
import MdocModel
import MdocTrust
import TestCredentials
import Testing

@testable import ReaderStore

/// Snapshots of trust: put in place at once, kept, and given back byte by byte.
@Suite("Trust in the store")
struct TrustHistoryTests {
    let folder: StoreFixture
    let store: ReaderStore
    static let now = Timestamp(secondsSince1970: TestAuthority.now)

    init() throws {
        folder = try StoreFixture()
        store = try ReaderStore(at: folder.path, for: .changing)
    }

    private static func snapshot(_ names: String...) throws -> TrustSnapshot {
        let root = try TestAuthority().der
        return TrustSnapshot(names.map { .test(.anchor, $0, root) })
    }

    @discardableResult
    private func put(_ snapshot: TrustSnapshot, at now: Timestamp = now) throws -> TrustRecord {
        let current = try store.currentTrustIfAny()?.record.number
        return try store.replaceTrust(with: snapshot, expecting: current, by: .imported, at: now)
    }

    @Test("A snapshot comes back with its id, every byte, and where and when each source came from")
    func roundTrip() throws {
        let root = try TestAuthority()
        let provenances: [TrustSource.Provenance] = [
            .file(path: "roots/ä.pem"), .fetched(url: "https://utopia.example/crl"),
            .bundle(created: Self.now),
        ]
        let sources = try zip(provenances, TrustSource.Kind.allCases.dropFirst(2)).map { provenance, kind in
            TrustSource(
                kind, name: "n", provenance: provenance, obtained: Self.now,
                bytes: try TestRevocationList(root).encoded()[...])
        }
        let snapshot = TrustSnapshot(sources + [.test(.anchor, "r", root.der)])
        let record = try put(snapshot)
        let stored = try ReaderStore(at: folder.path, for: .reading).currentTrust()
        #expect(stored.record == record)
        #expect(record.isCurrent && record.predecessor == nil && record.created == Self.now)
        #expect(stored.snapshot.id == snapshot.id)
        #expect(stored.snapshot.sources == snapshot.sources)
    }

    @Test("Bytes are kept once, whatever number of sources and snapshots have them")
    func once() throws {
        let root = try TestAuthority().der
        for count in 1...4 {
            try put(TrustSnapshot((0..<count).map { .test(.anchor, "\($0)", root) }))
        }
        let rows = try DatabaseQueue(path: folder.file).read {
            try Int.fetchAll(
                $0, sql: "SELECT count(*) FROM trust_bytes UNION ALL SELECT count(*) FROM trust_source")
        }
        #expect(rows == [1, 10])
    }

    @Test("The same snapshot again changes nothing")
    func same() throws {
        let snapshot = try Self.snapshot("a")
        let first = try put(snapshot)
        #expect(try put(snapshot, at: Self.now.advanced(bySeconds: 1)) == first)
        #expect(try store.trustHistory().count == 1)
    }

    @Test("Who read the store before another changed it changes nothing")
    func changedMeanwhile() throws {
        let first = try put(Self.snapshot("a"))
        try put(Self.snapshot("b"))
        for expected in [first.number, nil] {
            #expect(throws: ReaderStoreError.changedMeanwhile) {
                try store.replaceTrust(
                    with: Self.snapshot("c"), expecting: expected, by: .updated, at: Self.now)
            }
        }
        #expect(try store.currentTrust().snapshot.sources.map(\.name) == ["b"])
    }

    @Test("Rolled back to the predecessor, to a named one, and no further than there is")
    func rollBack() throws {
        let records = try ["a", "b", "c"].map { try put(Self.snapshot($0)) }
        #expect(records.map(\.predecessor) == [nil, records[0].number, records[1].number])
        #expect(try store.rollBackTrust().id == records[1].id)
        #expect(try store.rollBackTrust().id == records[0].id)
        #expect(throws: ReaderStoreError.noPredecessor) { try store.rollBackTrust() }
        #expect(try store.currentTrust().record.id == records[0].id)
        #expect(try store.rollBackTrust(toIDPrefix: records[2].id.description).id == records[2].id)
        #expect(throws: ReaderStoreError.snapshotUnknown) {
            try store.rollBackTrust(toIDPrefix: String(repeating: "0", count: 64))
        }
        #expect(throws: ReaderStoreError.snapshotAmbiguous) { try store.rollBackTrust(toIDPrefix: "") }
        #expect(try store.currentTrust().record.id == records[2].id)
        #expect(try store.trust(idPrefix: records[1].id.description).snapshot.sources.map(\.name) == ["b"])
    }

    @Test("After a roll back the next snapshot follows the one that was rolled back to")
    func afterRollBack() throws {
        let records = try ["a", "b"].map { try put(Self.snapshot($0)) }
        _ = try store.rollBackTrust()
        #expect(try put(Self.snapshot("c")).predecessor == records[0].number)
        #expect(try store.rollBackTrust().id == records[0].id)
    }

    @Test("The last 32 snapshots are kept, and no bytes that none of them has")
    func bounded() throws {
        let roots = try (0..<2).map { _ in try TestAuthority().der }
        for number in 0..<40 {
            try put(TrustSnapshot([.test(.anchor, "\(number)", number == 0 ? roots[0] : roots[1])]))
        }
        let history = try store.trustHistory()
        #expect(history.count == ReaderStore.keptSnapshots && history.count == 32)
        #expect(history.last?.predecessor == nil)
        #expect(history.dropLast().allSatisfy { $0.predecessor != nil })
        let bytes = try DatabaseQueue(path: folder.file).read {
            try Data.fetchAll($0, sql: "SELECT bytes FROM trust_bytes")
        }
        #expect(bytes == [Data(roots[1])])
    }

    /// Puts the snapshot of a bundle that was made so many seconds later in place of the one of this number.
    @discardableResult
    private func put(
        _ snapshot: TrustSnapshot, madeAfter seconds: Int64?, expecting number: Int64?
    ) throws(ReaderStoreError) -> TrustRecord {
        try store.replaceTrust(
            with: snapshot, expecting: number, by: .bundle, at: Self.now,
            bundle: seconds.map { Self.now.advanced(bySeconds: $0) })
    }

    @Test("The date of the newest bundle only grows, whatever is rolled back")
    func bundles() throws {
        #expect(try store.newestTrustBundle() == nil)
        let first = try put(Self.snapshot("a"), madeAfter: 0, expecting: nil)
        try put(Self.snapshot("b"), madeAfter: 100, expecting: first.number)
        let newest = Self.now.advanced(bySeconds: 100)
        #expect(try store.newestTrustBundle() == newest)
        _ = try store.rollBackTrust()
        #expect(try store.newestTrustBundle() == newest)
    }

    @Test(
        "A bundle that is older than one that arrived meanwhile is refused, even if the newer one changed nothing"
    )
    func olderThanMeanwhile() throws {
        let there = try Self.snapshot("a")
        let number = try put(there, madeAfter: 0, expecting: nil).number
        // Its contents are there, and so the number stays.
        #expect(try put(there, madeAfter: 100, expecting: number).number == number)
        for late in [there, try Self.snapshot("b")] {
            #expect(throws: ReaderStoreError.changedMeanwhile) {
                try put(late, madeAfter: 99, expecting: number)
            }
        }
        #expect(try store.newestTrustBundle() == Self.now.advanced(bySeconds: 100))
        #expect(try store.trustHistory().map(\.number) == [number])
        // One of the same time may follow, and one that comes back is none of them.
        let next = try put(Self.snapshot("b"), madeAfter: 100, expecting: number)
        #expect(next.number != number)
        #expect(try put(there, madeAfter: nil, expecting: next.number).id == there.id)
        #expect(try store.newestTrustBundle() == Self.now.advanced(bySeconds: 100))
    }

    // Damage

    @Test("A file that is cut off anywhere gives a named error, never trust")
    func truncated() throws {
        try put(TrustSnapshot((0..<40).map { .test(.anchor, "\($0)", try TestAuthority().der) }))
        let whole = try folder.contents()
        #expect(whole.count > 20_000)
        for length in stride(from: 0, to: whole.count, by: 509) {
            try folder.place(Array(whole.prefix(length)))
            let error = #expect(throws: ReaderStoreError.self, "\(length)") {
                try ReaderStore(at: folder.path, for: .reading).currentTrust()
            }
            #expect([.notAStore, .damaged, .failed(code: 522)].contains(error), "\(length)")
        }
        try folder.place(whole)
        #expect(try ReaderStore(at: folder.path, for: .reading).currentTrust().snapshot.anchors.count == 40)
    }

    @Test("A byte that was changed anywhere gives a named error, or changes nothing of what is trusted")
    func changedByte() throws {
        let snapshot = TrustSnapshot([
            .test(.anchor, "a", try TestAuthority().der), .test(.anchor, "b", try TestAuthority().der),
        ])
        try put(snapshot)
        let whole = try folder.contents()
        var refused = 0
        for place in stride(from: 0, to: whole.count, by: 41) {
            var changed = whole
            changed[place] ^= 0x15
            try folder.place(changed)
            do throws(ReaderStoreError) {
                let found = try ReaderStore(at: folder.path, for: .reading).currentTrust().snapshot
                #expect(found.id == snapshot.id)
                #expect(found.sources.map(\.sha256) == snapshot.sources.map(\.sha256))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 20)
    }

    @Test("A source that is missing, added or renamed is found by the snapshot's id")
    func changedRows() throws {
        let snapshot = try Self.snapshot("a", "b")
        try put(snapshot)
        let whole = try folder.contents()
        for change in [
            "DELETE FROM trust_source WHERE name = 'a'",
            "UPDATE trust_source SET name = 'c' WHERE name = 'a'",
            "UPDATE trust_source SET kind = 'provider' WHERE name = 'a'",
            "INSERT INTO trust_source SELECT snapshot, kind, 'c', provenance, location, obtained, sha256"
                + " FROM trust_source WHERE name = 'a'",
        ] {
            try folder.place(whole)
            try DatabaseQueue(path: folder.file).write { try $0.execute(sql: change) }
            #expect(throws: ReaderStoreError.snapshotDamaged(snapshot.id), "\(change)") {
                try ReaderStore(at: folder.path, for: .reading).currentTrust()
            }
        }
        try folder.place(whole)
        try DatabaseQueue(path: folder.file).write {
            try $0.execute(sql: "UPDATE trust_bytes SET bytes = zeroblob(9)")
        }
        #expect(throws: ReaderStoreError.damaged) {
            try ReaderStore(at: folder.path, for: .reading).currentTrust()
        }
    }

    @Test("A process that was ended in the middle of a change leaves what was there before")
    func interruptedChange() throws {
        let snapshot = try Self.snapshot("a")
        try put(snapshot)
        let writer = try DatabaseQueue(path: folder.file)
        try writer.inDatabase { database in
            // So little memory that pages go to the file before the end.
            try database.execute(sql: "PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            try database.execute(sql: "UPDATE trust_bytes SET bytes = zeroblob(300000)")
            try database.execute(sql: "DELETE FROM trust_source")
            let interrupted = try folder.contents()
            let journal = try Data(contentsOf: URL(filePath: folder.file + "-journal"))
            try database.execute(sql: "ROLLBACK")
            try folder.place(interrupted)
            try journal.write(to: URL(filePath: folder.file + "-journal"))
        }
        let found = try ReaderStore(at: folder.path, for: .reading).currentTrust()
        #expect(found.snapshot.id == snapshot.id)
        #expect(!FileManager.default.fileExists(atPath: folder.file + "-journal"))
    }

    // Several at once

    @Test(
        "Of many who change the store at once each learns whether it did, and who reads sees a whole snapshot"
    )
    func concurrent() async throws {
        try put(Self.snapshot("start"))
        let path = folder.path
        let won = try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let store = try ReaderStore(at: path, for: .changing, waiting: 60)
                    var won = 0
                    for round in 0..<20 {
                        let current = try store.currentTrust()
                        do throws(ReaderStoreError) {
                            try store.replaceTrust(
                                with: current.snapshot.replacing(
                                    .test(.anchor, "\(writer).\(round)", [UInt8(writer), UInt8(round)])),
                                expecting: current.record.number, by: .imported, at: Self.now)
                            won += 1
                        } catch .changedMeanwhile {}
                    }
                    return won
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(won >= 20)
        // No change that was told as made was lost.
        #expect(try store.currentTrust().snapshot.sources.count == 1 + won)
    }
}
