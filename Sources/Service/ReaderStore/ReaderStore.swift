internal import ErrorMapping
internal import Foundation
internal import GRDB
package import MdocModel

/// A reader's persistent data, in one SQLite file that several processes may open at the same time.
///
/// The file `countersign.sqlite` in the store's folder holds:
///
/// - the current trust snapshot, with the trusted roots and lists, and earlier snapshots for a rollback;
/// - the chain of receipts, and the receipts that wait for a decision;
/// - the presentations of the last day, without answers and element values;
/// - the outputs of these presentations: which accessory acts on an outcome, and whether it has acted;
/// - retained element values, each sealed with a key outside the store (`RetainedRecords`);
/// - the random identifier of this reader, and the first use of each reader token.
///
/// The key of the receipts and the head of their chain are separate files in the same folder. The nonces of
/// online presentations are in another database (`SQLiteNonces`), because they change with every request.
///
/// Each extension (`ReaderStore+Trust`, `+Receipts`, `+Presentations`, `+Outputs`) adds the functions for its tables. A
/// function is one transaction: either all of its changes are on the disk when the function returns, or none
/// is made. A function blocks its thread while it waits for the disk, and for up to `longestWait` while
/// another process writes. The daemon therefore writes through `RecordArchive`, which has its own thread;
/// commands call the store directly.
///
/// The initialiser refuses a folder or a file that another user may write to, and a file whose tables are of
/// a later version. The initialiser adds the tables that a store of an earlier version lacks, also with
/// `Access.reading`.
///
/// A store never holds an element value in the clear, and an error never means "nothing is trusted".
package struct ReaderStore: Sendable {
    /// The purpose for which a store is opened.
    package enum Access: Sendable {
        /// An existing store. Fails with `absent` if there is none.
        case reading
        /// A store that is created if absent.
        case changing
    }

    /// The maximum time in seconds that one process waits until another has written.
    package static let longestWait = 5.0

    /// The application id in the header of the SQLite file: the ASCII text "Csgn".
    private static let applicationID = 0x4373_676e
    /// The SQL statements that lead from each version of the tables to the next: entry 0 creates version 1. A
    /// store of an earlier version executes the entries that it lacks. Existing stores have executed these
    /// entries, so an entry is never edited: append a new entry for a new table or a change.
    private static let tables = [
        TrustTables.schema, ReceiptTables.schema + RetainedTables.schema, ReceiptTables.held,
        TokenTables.schema, RetainedTables.owners(in: "retained_owner"), PresentationTables.schema,
        PresentationTables.webhook, PresentationTables.outcome, TrustTables.sourcesOfOneName,
        PresentationTables.repeatedReference, PresentationTables.desk, OutputTables.schema,
    ]
    /// The current version of the tables.
    static var version: Int { tables.count }

    let folder: StoreFolder
    private let queue: DatabaseQueue

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - folder: the store's folder.
    ///   - access: whether the store must exist, or is created if absent.
    ///   - wait: the maximum time to wait for another process that writes, in seconds.
    /// - Throws: `absent`, `writableByOthers`, `ownedByAnother`, `notAStore` or `versionUnknown`, for
    ///   example.
    package init(
        at folder: String, for access: Access, waiting wait: Double = longestWait
    ) throws(ReaderStoreError) {
        let folder = StoreFolder(path: folder)
        if case .changing = access { try folder.create() }
        try folder.inspectAll()
        self.folder = folder
        queue = try mapping(
            Self.open(folder.file, for: access, waiting: wait), ReaderStoreError.init(naming:))
    }

    /// Opens the database file, and adds the tables that an earlier version did not have.
    private static func open(_ file: String, for access: Access, waiting wait: Double) throws -> DatabaseQueue
    {
        var configuration = Configuration()
        configuration.busyMode = .timeout(wait)
        configuration.label = "countersign.store"
        configuration.prepareDatabase(prepare)
        guard case .reading = access else {
            let queue = try DatabaseQueue(path: file, configuration: configuration)
            try queue.inDatabase(setUp)
            return queue
        }
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: file, configuration: configuration)
            if try queue.read(requireTables) == version { return queue }
            // An earlier version wrote this file. Opening it for changing, below, adds the missing tables.
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // A process was killed while it wrote and left a journal, which a read-only connection may not
            // roll back. Opening the file for changing, below, rolls the journal back.
        }
        try open(file, for: .changing, waiting: wait).close()
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        _ = try queue.read(requireTables)
        return queue
    }

    /// Sets up durability and deletion for a connection.
    ///
    /// - `synchronous = EXTRA`: a reported change survives a loss of power, because the directory entry of
    ///   the deleted rollback journal is on the disk too.
    /// - The journal mode stays `DELETE`: a write-ahead log would keep a copy of deleted rows.
    /// - `secure_delete`: SQLite overwrites deleted rows with zeros.
    /// - `temp_store = MEMORY`: no row is written to a temporary file.
    private static func prepare(_ database: Database) throws {
        try database.execute(
            sql: """
                PRAGMA synchronous = EXTRA;
                PRAGMA secure_delete = ON;
                PRAGMA temp_store = MEMORY;
                """)
    }

    /// Creates the tables, or adds the missing tables, in one transaction.
    private static func setUp(_ database: Database) throws {
        try database.inTransaction(.immediate) {
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            // A file without tables but with an application id belongs to another program: `requireTables`
            // refuses it.
            let isNew = try count == 0 && fileVersion(of: database).application == 0
            let existing = isNew ? 0 : try requireTables(database)
            guard existing < version else { return .commit }
            for schema in tables[existing...] { try database.execute(sql: schema) }
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// Returns the version of the tables. Throws if the file is not a store, or if a later version wrote it.
    private static func requireTables(_ database: Database) throws -> Int {
        let found = try fileVersion(of: database)
        guard found.application == applicationID else { throw ReaderStoreError.notAStore }
        guard (1...version).contains(found.version) else {
            throw ReaderStoreError.versionUnknown(found.version)
        }
        return found.version
    }

    /// Returns the application id and the version of the tables in the header of the file. Both are 0 in a
    /// new file.
    private static func fileVersion(of database: Database) throws -> (application: Int, version: Int) {
        (
            try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
            try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        )
    }

    /// Runs `body` in a read transaction, which sees the store as it is at one moment.
    func read<Value>(_ body: (Database) throws -> Value) throws(ReaderStoreError) -> Value {
        try mapping(queue.read(body), ReaderStoreError.init(naming:))
    }

    /// Runs `body` in a write transaction. If `body` throws, none of its changes is made.
    func change<Value>(_ body: (Database) throws -> Value) throws(ReaderStoreError) -> Value {
        try mapping(
            queue.inDatabase { database in
                var value: Value?
                try database.inTransaction(.immediate) {
                    value = try body(database)
                    return .commit
                }
                // A committed transaction has a value; the error is never thrown.
                guard let value else { throw ReaderStoreError.damaged }
                return value
            }, ReaderStoreError.init(naming:))
    }
}

extension ReaderStoreError {
    /// Translates an error of GRDB or SQLite.
    init(naming error: any Error) {
        self =
            switch error {
            case let error as ReaderStoreError: error
            case let error as DatabaseError: ReaderStoreError(error)
            // A row lacks a column of the tables, or a value has another type.
            default: .damaged
            }
    }

    private init(_ error: DatabaseError) {
        self =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_NOTADB: .notAStore
            // The statements are fixed, so a statement that fails shows that the tables or rows were changed.
            case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT: .damaged
            case .SQLITE_FULL: .noSpace
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .notPermitted
            default: .failed(code: error.extendedResultCode.rawValue)
            }
    }
}

extension ReaderStore {
    /// The time for which the store remembers that a token was used, in seconds. This time is much longer
    /// than the validity of a token.
    package static let firstUsesKept: Int64 = 30 * 86_400

    /// Returns the 16 bytes that identify this reader: drawn at random by the first call, and unchanged
    /// afterwards.
    package func readerInstanceBytes() throws(ReaderStoreError) -> [UInt8] {
        // Drawn before the transaction. If another process has stored its bytes first, those bytes are
        // returned.
        let drawn = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
        return try change { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO reader_instance (only, identifier) VALUES (1, ?)",
                arguments: [drawn])
            let kept = try Data.fetchOne(database, sql: "SELECT identifier FROM reader_instance")
            guard let kept else { throw ReaderStoreError.damaged }
            return [UInt8](kept)
        }
    }

    /// Returns the time at which a reader token was first used.
    ///
    /// - Parameters:
    ///   - token: the SHA-256 that identifies the token.
    ///   - now: the time to record if the token was not used before; `nil` to record nothing.
    /// - Returns: the recorded time of the first use, or `nil` if there is none.
    package func firstTokenUse(
        _ token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderStoreError) -> Timestamp? {
        try change { database in
            if let now {
                // OR IGNORE keeps the time of an earlier use.
                try database.execute(
                    sql: "INSERT OR IGNORE INTO token_first_use (token, at) VALUES (?, ?)",
                    arguments: [Data(token), now.secondsSince1970])
                try database.execute(
                    sql: "DELETE FROM token_first_use WHERE at < ?",
                    arguments: [now.secondsSince1970 - Self.firstUsesKept])
            }
            return try Int64.fetchOne(
                database, sql: "SELECT at FROM token_first_use WHERE token = ?", arguments: [Data(token)]
            ).map(Timestamp.init(stored:))
        }
    }
}

extension Timestamp {
    /// Creates an instant from a number in a table. Throws `damaged` if the instant is outside the calendar,
    /// where arithmetic could overflow.
    init(stored seconds: Int64) throws(ReaderStoreError) {
        guard let instant = Timestamp(received: seconds) else { throw .damaged }
        self = instant
    }
}
