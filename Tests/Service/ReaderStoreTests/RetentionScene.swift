import Foundation
import GRDB
import MdocModel
import RecordBench
import RequestPlanner
import Testing
import VectorFiles

@testable import ReaderStore

/// A store, a folder of keys beside it, and what can be found in their files.
struct RetentionScene {
    let store: StoreFixture
    let keys: String
    let retained: RetainedRecords
    private let rental: RentalDocument

    init() throws {
        store = try StoreFixture()
        keys = URL(filePath: store.path).deletingLastPathComponent().appending(path: "keys").path
        retained = try RetainedRecords(in: ReaderStore(at: store.path, for: .changing), keysIn: keys)
        rental = try RentalDocument(name: "Quillfeather")
    }

    @discardableResult
    func retain(
        _ profile: String, _ consent: HolderConsent = .notGiven, for reference: String,
        _ other: RentalDocument? = nil, at now: Timestamp = RentalDocument.now
    ) throws -> RetentionOutcome {
        let profile = try #require(RetentionProfile(profile))
        let rental = other ?? rental
        // The same document, as it would have been asked for under this profile.
        let plan = try RequestPlan(rental.plan.intent, keeping: profile.choice)
        return try retained.retain(
            rental.document, answering: plan, under: profile, consent: consent,
            for: RetainedReference(reference), at: now)
    }

    func export(_ reference: String, at now: Timestamp = RentalDocument.now) throws -> RetainedExport {
        try retained.beginExport(of: RetainedReference(reference), at: now)
    }

    func database<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try DatabaseQueue(path: store.file).write(body)
    }

    /// Another one after the table of what is retained was written anew.
    func tableVersion() throws -> Int {
        try database { try Int.fetchOne($0, sql: "PRAGMA schema_version") ?? 0 }
    }

    /// What the fields of which this is true are sealed as.
    func ciphertexts(_ condition: String) throws -> [Data] {
        try database {
            try Data.fetchAll($0, sql: "SELECT sealed FROM retained_field WHERE \(condition)")
        }
    }

    /// Lets rows come and go as in months of work, and counts those that should be gone and can still be found.
    func traces(_ seed: UInt64, removing remove: (Timestamp) throws -> Void) throws -> Int {
        var numbers = SplitMix64(seed: seed)
        var rows: [(deadline: Int64, sealed: Data)] = []
        for round in 1...6 {
            var added: [(deadline: Int64, sealed: Data)] = []
            for step in 0..<36 {
                let count = [19, 46, 716, 1416].randomElement(using: &numbers) ?? 19
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
                let days = [1, 2, 3, 4].randomElement(using: &numbers) ?? 1
                added.append((Int64(36 * round + step + 36 * days), Data(bytes)))
            }
            try retained.store.change { database in
                for row in added {
                    try database.execute(
                        sql: """
                            INSERT INTO retained_field VALUES (NULL, zeroblob(16), zeroblob(32), 'd', 'days(1)',
                                'given', 0, NULL, 'n', 'i', ?, zeroblob(12), ?)
                            """, arguments: [row.deadline, row.sealed])
                }
            }
            rows += added
            try remove(Timestamp(secondsSince1970: Int64(36 * (round + 1))))
        }
        let gone = rows.filter { $0.deadline <= 36 * 7 }.map(\.sealed)
        return gone.count { folderHolds($0.prefix(12)) || folderHolds($0.suffix(12)) }
    }

    func keyNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: keys).sorted()
    }

    /// Whether these bytes stand anywhere in a file of the store's folder.
    func folderHolds(_ bytes: Data) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: store.path)) ?? []
        return names.contains { name in
            (try? Data(contentsOf: URL(filePath: "\(store.path)/\(name)")))?.range(of: bytes) != nil
        }
    }

    func folderHolds(_ text: String) -> Bool { folderHolds(Data(text.utf8)) }
}
