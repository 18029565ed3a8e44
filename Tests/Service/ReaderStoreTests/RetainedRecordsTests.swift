import CBOR
import Foundation
import GRDB
import MdocModel
import ReaderIdentityStore
import RecordBench
import RequestPlanner
import Synchronization
import TestCredentials
import Testing

@testable import ReaderStore

/// Data that is kept: sealed, until its deadline, and then gone.
@Suite("Retained data")
struct RetainedRecordsTests {
    let scene: RetentionScene
    var retained: RetainedRecords { scene.retained }
    static let now = RentalDocument.now
    static let day = TestAuthority.day

    init() throws {
        scene = try RetentionScene()
    }

    private func later(_ days: Double) -> Timestamp {
        Self.now.advanced(bySeconds: Int64(days * Double(Self.day)))
    }

    // What is written

    @Test("The requested data except the portrait is retained, and none of it is readable in the folder")
    func sealed() throws {
        try scene.retain("days(7)", for: "booking-4711")
        let export = try scene.export("booking-4711")
        let record = try #require(export.records.first)
        #expect(export.records.count == 1 && export.earlier == nil)
        #expect(record.docType == TestDocument.mDL && record.retained == Self.now)
        #expect(record.profile.name == "days(7)" && record.consent == .notGiven)
        #expect(
            record.fields.map(\.name.identifier)
                == ["age_over_21", "family_name", "given_name", "document_number"])
        #expect(try record.fields[1].value.text() == "Quillfeather")
        #expect(record.fields.allSatisfy { $0.deadline == later(7) })
        for text in ["Quillfeather", "booking-4711"] {
            #expect(!scene.folderHolds(text))
            #expect(!"\(record) \(record.fields) \(export.records)".contains(text))
        }
        // The twin: what is not sealed is found.
        #expect(scene.folderHolds("family_name"))
    }

    @Test(
        "A profile that keeps nothing writes nothing, and one that needs consent nothing without it",
        arguments: [
            ("none", .given, false), ("receipt", .given, false), ("consented", .notGiven, false),
            ("consented", .given, true), ("days(1)", .notGiven, true), ("age+id-number", .notGiven, true),
        ] as [(String, HolderConsent, Bool)])
    func profiles(_ name: String, _ consent: HolderConsent, isKept: Bool) throws {
        let outcome = try scene.retain(name, consent, for: "r")
        #expect((outcome != .nothing) == isKept)
        #expect(try retained.counts().records == (isKept ? 1 : 0))
        #expect(try retained.nextDue() != nil || !isKept)
        #expect(FileManager.default.fileExists(atPath: scene.keys) == isKept)
    }

    @Test("The data that is retained must be the data that the request announced to the holder")
    func otherPlan() throws {
        let profile = try #require(RetentionProfile("days(7)"))
        let told = try RentalDocument(name: "Quillfeather", keeping: .ageAndIDNumber)
        #expect(throws: ReaderStoreError.retentionDiffers) {
            try retained.retain(
                told.document, answering: told.plan, under: profile, consent: .given,
                for: RetainedReference("r"), at: Self.now)
        }
        #expect(try retained.counts().records == 0)
    }

    @Test("The record keys must be outside the store, and a reference must not be empty or too long")
    func places() throws {
        for folder in [scene.store.path, scene.store.path + "/keys", scene.store.path + "/../store/"] {
            #expect(throws: ReaderStoreError.keysInsideStore, "\(folder)") {
                try RetainedRecords(in: retained.store, keysIn: folder)
            }
        }
        for text in ["", String(repeating: "a", count: 129)] {
            #expect(throws: ReaderStoreError.tooLong) { try RetainedReference(text) }
        }
    }

    @Test("A value longer than any that is kept keeps the whole record out")
    func long() throws {
        let long = try RentalDocument(name: String(repeating: "Q", count: 4093))
        #expect(throws: ReaderStoreError.tooLong) { try scene.retain("days(7)", for: "r", long) }
        #expect(try retained.counts().fields == 0)
    }

    @Test("The keys are their owner's alone, and a folder that others may write to is refused")
    func permissions() throws {
        try scene.retain("days(7)", for: "r")
        #expect(try scene.store.mode(of: scene.keys) == 0o700)
        #expect(try scene.keyNames() == ["2026-11-08.key", "reference.key"])
        for name in try scene.keyNames() {
            #expect(try scene.store.mode(of: "\(scene.keys)/\(name)") == 0o600)
        }
        try scene.store.setMode(0o770, of: scene.keys)
        #expect(throws: ReaderStoreError.keyFile(.exposed(path: scene.keys, mode: 0o770))) {
            try scene.retain("days(8)", for: "r")
        }
    }

    // The seal

    @Test(
        "A field opens as nothing but itself",
        arguments: [
            "UPDATE retained_field SET deadline = deadline + 1",
            "UPDATE retained_field SET identifier = 'given_name'",
            "UPDATE retained_field SET name_space = 'x'",
            "UPDATE retained_field SET record = zeroblob(16)",
            "UPDATE retained_field SET nonce = zeroblob(12)",
            "UPDATE retained_field SET sealed = zeroblob(length(sealed))",
            "UPDATE retained_field SET sealed = x''",
        ])
    func changed(_ change: String) throws {
        try scene.retain("days(7)", for: "r")
        try scene.database { try $0.execute(sql: change) }
        #expect(throws: ReaderStoreError.sealBroken) { try scene.export("r") }
        // It goes all the same.
        try retained.purge(at: later(8))
        #expect(try retained.counts().fields == 0)
    }

    @Test("A record cannot be opened without its key, with another key or after the key was lost")
    func otherKey() throws {
        try scene.retain("days(7)", for: "r")
        let other = try RetentionScene()
        try other.retain("days(7)", for: "r")
        let path = "\(scene.keys)/2026-11-08.key"
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: ReaderStoreError.sealBroken) { try scene.export("r") }
        try FileManager.default.copyItem(atPath: "\(other.keys)/2026-11-08.key", toPath: path)
        #expect(throws: ReaderStoreError.sealBroken) { try scene.export("r") }
        try FileManager.default.removeItem(atPath: "\(scene.keys)/reference.key")
        #expect(throws: ReaderStoreError.sealBroken) { try scene.export("r") }
    }

    // The deadline

    @Test("Kept to the second before its deadline, gone at it")
    func deadline() throws {
        try scene.retain("days(7)", for: "r")
        #expect(try retained.nextDue() == later(7))
        #expect(try retained.purge(at: later(7).advanced(bySeconds: -1)) == 0)
        #expect(try retained.counts().records == 1)
        #expect(try retained.purge(at: later(7)) == 1)
        #expect(try retained.counts() == .init(records: 0, fields: 0, purged: 1, exported: 0))
        #expect(try retained.nextDue() == nil)
        #expect(try scene.export("r").records.isEmpty)
    }

    @Test(
        "What falls due in an hour goes with one writing of the table, and nothing stays longer than was said"
    )
    func hours() throws {
        for minute in Int64(0)..<120 {
            let now = Self.now.advanced(bySeconds: 60 * minute)
            guard case .retained(_, let deadline) = try scene.retain("days(1)", for: "r", at: now) else {
                Issue.record("nothing was retained")
                return
            }
            let end = now.advanced(bySeconds: Self.day)
            #expect(deadline <= end && end < deadline.advanced(bySeconds: 3600))
        }
        var purged: [Int64] = []
        let unchanged = try scene.tableVersion()
        #expect(try retained.purge(at: later(1).advanced(bySeconds: -1)) == 0)
        #expect(try scene.tableVersion() == unchanged)
        while let due = try retained.nextDue() {
            let before = try scene.tableVersion()
            purged.append(try retained.purge(at: due))
            #expect(try scene.tableVersion() > before)
        }
        #expect(purged == [60, 60])
    }

    @Test("What is overdue is not handed out, also where nobody purged")
    func overdue() throws {
        try scene.retain("days(1)", for: "r")
        try scene.retain("days(3)", for: "r")
        #expect(try scene.export("r", at: later(2)).records.map(\.profile.name) == ["days(3)"])
    }

    @Test("No file in the folder contains a purged record, its key is gone, and the other records stay")
    func gone() throws {
        for number in 0..<60 {
            try scene.retain("days(\(1 + number % 3))", for: "reference-\(number % 7)")
        }
        let due = try scene.ciphertexts("deadline <= \(later(1).secondsSince1970)")
        let kept = try scene.ciphertexts("deadline > \(later(1).secondsSince1970)")
        #expect(due.count == 80 && kept.count == 160)
        #expect(due.allSatisfy(scene.folderHolds))
        #expect(try retained.purge(at: later(1)) == 20)
        #expect(!due.contains(where: scene.folderHolds))
        #expect(kept.allSatisfy(scene.folderHolds))
        // The key of a day goes when the day is over.
        #expect(
            try scene.keyNames() == ["2026-11-02.key", "2026-11-03.key", "2026-11-04.key", "reference.key"])
        #expect(try retained.purge(at: later(2.6)) == 20)
        #expect(try scene.keyNames() == ["2026-11-04.key", "reference.key"])
        for number in 0..<7 {
            #expect(!(try scene.export("reference-\(number)", at: later(2.6)).records.isEmpty))
        }
        try retained.purge(at: later(30))
        #expect(try scene.keyNames() == ["reference.key"])
        #expect(!kept.contains(where: scene.folderHolds))
        #expect(try retained.counts() == .init(records: 0, fields: 0, purged: 60, exported: 0))
    }

    @Test(
        "Rows that move from page to page leave traces where they are deleted, and none where they are purged"
    )
    func traces() throws {
        var left = 0
        for seed in 1...UInt64(20) {
            let (deleting, purging) = (try RetentionScene(), try RetentionScene())
            left += try deleting.traces(seed) { now in
                try deleting.retained.store.change { database in
                    try database.execute(
                        sql: "DELETE FROM retained_field WHERE deadline <= \(now.secondsSince1970)")
                }
            }
            #expect(try purging.traces(seed) { try purging.retained.purge(at: $0) } == 0)
        }
        // The twin: that is why the table is written anew.
        #expect(left > 0)
    }

    @Test("A clock that is set back puts no deadline off, and lets nothing in that would be overdue")
    func setBack() throws {
        try scene.retain("days(7)", for: "r")
        try retained.purge(at: later(6.9))
        // Another record lives on, so the store goes on knowing what time it was.
        try scene.retain("days(7)", for: "other", at: later(6.9))
        try retained.purge(at: later(7))
        #expect(try retained.purge(at: later(-300)) == 0)
        #expect(throws: ReaderStoreError.deadlinePassed) {
            try scene.retain("days(1)", for: "late", at: later(-300))
        }
        #expect(try retained.counts().records == 1)
        // Seven days after the latest time that was seen, whatever the clock says.
        try retained.purge(at: later(14))
        #expect(try retained.counts() == .init(records: 0, fields: 0, purged: 2, exported: 0))
    }

    @Test("Retention deadlines use a clock that nobody can set, however far the wall clock is set back")
    func setBackForLong() throws {
        let passed = Mutex(Duration.zero)
        let begin = ContinuousClock.now
        let time = MonotonicTime { begin + passed.withLock { $0 } }
        try scene.retain("days(7)", for: "r")
        let records = try RetainedRecords(in: retained.store, keysIn: scene.keys, time: time)
        #expect(try records.purge(at: later(6)) == 0)
        passed.withLock { $0 = .seconds(Self.day - 1) }
        #expect(try records.purge(at: Self.now) == 0)
        #expect(try records.time(at: Self.now) == later(7).advanced(bySeconds: -1))
        passed.withLock { $0 += .seconds(1) }
        #expect(try records.time(at: Self.now) == later(7))
        #expect(try records.purge(at: Self.now) == 1)
        #expect(try records.time(at: Self.now) == Self.now)
    }

    @Test("What was due while the clock ran ahead is gone, also after it was set back")
    func ranAhead() throws {
        try scene.retain("days(7)", for: "r")
        try scene.retain("days(3650)", for: "s")
        try retained.purge(at: later(8))
        #expect(try retained.purge(at: Self.now) == 0)
        #expect(try retained.counts().records == 1)
    }

    @Test("Once nothing is retained the clock is believed anew")
    func anew() throws {
        try scene.retain("days(7)", for: "r")
        try retained.purge(at: later(5000))
        #expect(try scene.retain("days(7)", for: "r") != .nothing)
        #expect(try retained.purge(at: Self.now) == 0)
        #expect(try scene.export("r").records.count == 1)
    }

    @Test("The data goes also where its key does not, and that is reported")
    func stubbornKey() throws {
        try scene.retain("days(1)", for: "r")
        // A folder in place of the file cannot be written over.
        let path = "\(scene.keys)/2026-11-02.key"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: ReaderStoreError.keyFile(.fileRefused(path: path, errno: EISDIR))) {
            try retained.purge(at: later(3))
        }
        #expect(try retained.counts() == .init(records: 0, fields: 0, purged: 1, exported: 0))
    }

    // Export

    @Test("Several drivers of one reference come together, once, and are gone then; others stay")
    func drivers() throws {
        for name in ["Quillfeather", "Mustermann", "Placeholder"] {
            try scene.retain("days(7)", for: "r", RentalDocument(name: name))
        }
        try scene.retain("days(7)", for: "s")
        let ciphertexts = try scene.ciphertexts("number <= 12")
        let export = try scene.export("r")
        let names = try export.records.map { try $0.fields[1].value.text() }
        #expect(names == ["Quillfeather", "Mustermann", "Placeholder"])
        // One that came meanwhile was not handed out, and stays.
        try scene.retain("days(7)", for: "r")
        try retained.finish(export.records.map(\.id))
        #expect(!ciphertexts.contains(where: scene.folderHolds))
        #expect(try retained.counts() == .init(records: 2, fields: 8, purged: 0, exported: 3))
        let rest = try scene.export("r")
        #expect(rest.records.count == 1 && rest.earlier == nil)
        try retained.finish(rest.records.map(\.id))
        #expect(try scene.export("r").records.isEmpty)
        #expect(try scene.export("s").records.count == 1)
    }

    @Test("An export that was not finished is told by the next one")
    func unfinished() throws {
        try scene.retain("days(7)", for: "r")
        _ = try scene.export("r", at: later(1))
        let again = try scene.export("r", at: later(2))
        #expect(again.records.count == 1 && again.earlier == later(1))
        try retained.finish(again.records.map(\.id))
        #expect(try retained.counts().records == 0)
    }

    @Test("What is finished twice, or was purged meanwhile, takes nothing else along")
    func finishedTwice() throws {
        try scene.retain("days(7)", for: "r")
        let export = try scene.export("r")
        try retained.finish(export.records.map(\.id))
        try scene.retain("days(7)", for: "r")
        try retained.finish(export.records.map(\.id))
        #expect(try retained.counts() == .init(records: 1, fields: 4, purged: 0, exported: 1))
    }
}
