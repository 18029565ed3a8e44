import Foundation
import GRDB
import MdocModel
import RecordBench
import Testing
import VectorFiles

@testable import ReaderStore

/// What a process that is killed at any moment leaves behind.
@Suite("After kill -9")
struct KilledWriterTests {
    /// How often; 50, or more where `COUNTERSIGN_KILLS` says so.
    private static let kills =
        ProcessInfo.processInfo.environment["COUNTERSIGN_KILLS"].flatMap { Int($0) } ?? 50
    private static let name = "Quillfeather"

    @Test(
        "No receipt is lost, the chain holds, nothing can be read without the key, nothing is there past its deadline"
    )
    func killed() throws {
        var remains = try Remains(name: Self.name)
        var numbers = SplitMix64(seed: 5)
        var interrupted = 0
        for round in 0..<Self.kills {
            let said = try KilledWriter.run(
                remains.arguments(seed: UInt64(round), name: Self.name),
                killedAfter: Int.random(in: 1...25, using: &numbers),
                andMicroseconds: UInt32.random(in: 0..<6000, using: &numbers))
            remains.take(said)
            if try remains.hasJournal() { interrupted += 1 }
            try remains.checkReceipts()
            try remains.checkRetained()
            // Sometimes the next writer finds what is due.
            remains.wait(Int64.random(in: 0..<2 * 86_400, using: &numbers))
            if Bool.random(using: &numbers) { try remains.checkPurge() }
        }
        try remains.checkPurge()
        #expect(remains.acknowledged > Self.kills)
        // Some came in the middle of a change, or this shows nothing.
        #expect(interrupted > 0)
    }
}

/// The folders of a writer that was killed, and what it had acknowledged.
private struct Remains {
    let store = try? StoreFixture()
    let keys: String
    private let name: String
    private var time = RentalDocument.now.secondsSince1970
    private var last: (sequence: Int64, digest: String)?
    /// Of each record that has to be there: until when.
    private var deadlines: [String: Int64] = [:]
    private var references: [String: Set<String>] = [:]
    private(set) var acknowledged = 0
    /// Every ciphertext that is to be gone.
    private var gone: Set<Data> = []

    init(name: String) throws {
        self.name = name
        let path = try #require(store).path
        keys = URL(filePath: path).deletingLastPathComponent().appending(path: "keys").path
    }

    private var folder: StoreFixture {
        get throws { try #require(store) }
    }

    func arguments(seed: UInt64, name: String) throws -> [String] {
        [try folder.path, keys, "\(seed)", "\(time)", name]
    }

    mutating func take(_ lines: [WriterLine]) {
        for line in lines {
            acknowledged += 1
            switch line {
            case .receipt(let sequence, let digest): last = (sequence, digest)
            case .retained(let id, let deadline, let reference):
                deadlines[id] = deadline
                references[reference, default: []].insert(id)
            case .purging(let time), .purged(let time):
                self.time = max(self.time, time)
                deadlines = deadlines.filter { $0.value > time }
            case .exporting(let reference), .exported(let reference):
                // What came after an export that failed comes again.
                for id in references[reference] ?? [] { deadlines[id] = nil }
            // Another run of the writer.
            case .output: break
            }
        }
        // A minute goes by with each step, and more steps were taken than are told of.
        wait(4 * 3600)
    }

    /// Time goes by, and whoever comes next may purge what is due.
    mutating func wait(_ seconds: Int64) {
        time += seconds
        deadlines = deadlines.filter { $0.value > time }
    }

    /// Whether a change was under way.
    func hasJournal() throws -> Bool {
        FileManager.default.fileExists(atPath: try folder.file + "-journal")
    }

    func checkReceipts() throws {
        let store = try ReaderStore(at: folder.path, for: .reading)
        guard let last else { return }
        #expect(try store.lastReceipt()?.sequence ?? 0 >= last.sequence)
        let head = try #require([UInt8](digits: last.digest))
        let verdict = try store.verifyReceipts(expecting: head).0
        guard case .intact(let count, _) = verdict, count >= last.sequence else {
            Issue.record("\(verdict), \(last.sequence) acknowledged")
            return
        }
    }

    /// What was acknowledged and is not due is there, opens with the keys, and is in no file as it was.
    func checkRetained() throws {
        let retained = try RetainedRecords(in: ReaderStore(at: folder.path, for: .changing), keysIn: keys)
        let rows = try rows()
        let there = Set(rows.map(\.record.bytes.hexadecimal))
        for id in deadlines.keys { #expect(there.contains(id)) }
        for row in rows where row.deadline.secondsSince1970 > time {
            #expect(throws: Never.self) { try row.open(with: retained.keys) }
        }
        #expect(try !files().contains { $0.range(of: Data(name.utf8)) != nil })
    }

    /// What is due is gone: from the tables, from the files, and the keys of past days with it.
    mutating func checkPurge() throws {
        for row in try rows() where row.deadline.secondsSince1970 <= time { gone.insert(Data(row.sealed)) }
        let retained = try RetainedRecords(in: ReaderStore(at: folder.path, for: .changing), keysIn: keys)
        try retained.purge(at: Timestamp(secondsSince1970: time))
        let rows = try rows()
        #expect(rows.allSatisfy { $0.deadline.secondsSince1970 > time })
        let files = try files()
        let own = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(own.filter { !$0.hasPrefix("receipt-head") }.count == 2)
        for ciphertext in gone { #expect(!files.contains { $0.range(of: ciphertext) != nil }) }
        let today = "\(Timestamp(secondsSince1970: time).dayInUTC)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: keys)) ?? []
        #expect(names.filter { $0.hasSuffix(".key") }.allSatisfy { $0 >= today })
    }

    private func rows() throws -> [RetainedField] {
        try DatabaseQueue(path: folder.file).read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM retained_field").map { try RetainedField($0) }
        }
    }

    /// The contents of the store's files: its own, and the key and the head of receipts.
    private func files() throws -> [Data] {
        let path = try folder.path
        return try FileManager.default.contentsOfDirectory(atPath: path).map {
            try Data(contentsOf: URL(filePath: "\(path)/\($0)"))
        }
    }
}

extension Array<UInt8> {
    fileprivate init?(digits: String) {
        let characters = Array<Character>(digits)
        let bytes = stride(from: 0, to: characters.count, by: 2).compactMap {
            UInt8(String(characters[$0..<Swift.min($0 + 2, characters.count)]), radix: 16)
        }
        guard bytes.count * 2 == characters.count else { return nil }
        self = bytes
    }
}
