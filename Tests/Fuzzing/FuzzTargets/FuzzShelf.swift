internal import CBOR
internal import FoundationEssentials
internal import GRDB
internal import Glibc
internal import MdocModel
internal import ReaderIdentityStore
internal import ReaderStore
internal import RecordBench
internal import RequestPlanner
internal import Synchronization

/// A store in which one document is retained, and a second way into its file that no check guards.
final class FuzzShelf: Sendable {
    static let standard: FuzzShelf = {
        do { return try FuzzShelf() } catch { fatalError("the fuzz targets have no store: \(error)") }
    }()

    struct Field: Hashable {
        let name: ElementName
        let value: [UInt8]
        let deadline: Timestamp

        init(_ field: RetainedRecord.Field) {
            (name, value, deadline) = (field.name, Array(field.value.encoded), field.deadline)
        }
    }

    /// A value of a row as a damaged file may have it.
    struct Change {
        let column: StaticString
        /// Counted from 0, where the table has more rows than one.
        let row: Int
        let value: DatabaseValue
    }

    enum Table: String, CaseIterable {
        case field = "retained_field"
        case state = "retained_state"
    }

    static let now = RentalDocument.now

    let records: RetainedRecords
    let reference: RetainedReference
    /// What was retained.
    let fields: Set<Field>
    private let file: DatabaseQueue
    private let keys: [String: [UInt8]]
    private let lock = Mutex(())

    private init() throws {
        let folder = Self.folder
        _ = atexit { try? FileManager.default.removeItem(atPath: FuzzShelf.folder) }
        let rental = try RentalDocument(name: "Fuzz")
        let plan = try RequestPlan(rental.plan.intent, keeping: RetentionProfile.consented.choice)
        records = try RetainedRecords(
            in: ReaderStore(at: "\(folder)/store", for: .changing), keysIn: "\(folder)/keys")
        reference = try RetainedReference("fuzz")
        _ = try records.retain(
            rental.document, answering: plan, under: .consented, consent: .given, for: reference, at: Self.now
        )
        fields = Set(
            try records.beginExport(of: reference, at: Self.now).records.flatMap(\.fields).map(Field.init))
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/keys")
        keys = try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let path = "\(folder)/keys/\(name)"
                return (path, try PrivateFile.read(path))
            })
        file = try DatabaseQueue(path: "\(folder)/store/countersign.sqlite")
        try file.inDatabase { database in
            try database.execute(
                sql:
                    "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA ignore_check_constraints = ON"
            )
            for table in Table.allCases.map(\.rawValue) {
                try database.execute(sql: "CREATE TEMPORARY TABLE first_\(table) AS SELECT * FROM \(table)")
            }
        }
    }

    /// A folder of this process alone, in memory where the system has one.
    private static var folder: String {
        let place = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        return "\(place)/countersign-fuzz-\(getpid())"
    }

    /// Calls `body` with the store as it was at first but for these changes.
    func withChanges(_ changes: [Table: [Change]], _ body: () -> Void) {
        lock.withLock { _ in
            do {
                try restore(changes)
            } catch {
                fatalError("the fuzz targets' store cannot be changed: \(error)")
            }
            body()
        }
    }

    private func restore(_ changes: [Table: [Change]]) throws {
        for (path, key) in keys where !FileManager.default.fileExists(atPath: path) {
            try PrivateFile.create(path, key[...])
        }
        try file.inTransaction { database in
            for table in Table.allCases {
                let name = table.rawValue
                try database.execute(
                    sql: "DELETE FROM \(name); INSERT INTO \(name) SELECT * FROM first_\(name)")
                for change in changes[table] ?? [] {
                    try database.execute(
                        sql: """
                            UPDATE OR IGNORE \(name) SET \(change.column) = ?
                            WHERE rowid = (SELECT rowid FROM \(name) ORDER BY rowid LIMIT 1 OFFSET ?)
                            """, arguments: [change.value, change.row])
                }
            }
            return .commit
        }
    }
}
