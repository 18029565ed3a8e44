internal import ErrorMapping
internal import Foundation
internal import GRDB
package import MdocModel

/// What a reader keeps between its runs, in one SQLite file that several processes may have open at once.
package struct ReaderStore: Sendable {
    package enum Access: Sendable {
        /// A store that is there.
        case reading
        /// The store, created if absent.
        case changing
    }

    /// How long one process waits for another, in seconds.
    package static let longestWait = 5.0

    /// "Csgn", in the header of the file.
    private static let applicationID = 0x4373_676e
    /// The tables, by the version that introduced them: a store of an earlier version gets the later ones. These
    /// entries are in use: append a new entry for another table or for a change.
    private static let tables = [
        TrustTables.schema, ReceiptTables.schema + RetainedTables.schema, ReceiptTables.held,
        TokenTables.schema, RetainedTables.owners(in: "retained_owner"), PresentationTables.schema,
        PresentationTables.webhook, PresentationTables.outcome, TrustTables.sourcesOfOneName,
    ]
    /// The version of the tables.
    static var version: Int { tables.count }

    let folder: StoreFolder
    private let queue: DatabaseQueue

    /// - Parameter wait: how long to wait for another process that changes the store, in seconds.
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
            // An earlier version wrote it: opening it for a change, below, adds the tables that it lacks.
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // A process was ended while it wrote: opening it for a change, below, takes that back.
        }
        try open(file, for: .changing, waiting: wait).close()
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        _ = try queue.read(requireTables)
        return queue
    }

    /// A change that was reported as made survives a loss of power: with EXTRA the end of the rollback journal is on the
    /// disk too. The journal is deleted after each change; a write-ahead log would keep what was deleted. Deleted rows are
    /// overwritten, and nothing is written to temporary files.
    private static func prepare(_ database: Database) throws {
        try database.execute(
            sql: """
                PRAGMA synchronous = EXTRA;
                PRAGMA secure_delete = ON;
                PRAGMA temp_store = MEMORY;
                """)
    }

    private static func setUp(_ database: Database) throws {
        try database.inTransaction(.immediate) {
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            let isNew = try count == 0 && fileVersion(of: database).application == 0
            let found = isNew ? 0 : try requireTables(database)
            guard found < version else { return .commit }
            for schema in tables[found...] { try database.execute(sql: schema) }
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// The version of the tables; throws if the file is not a store, or a later version wrote it.
    private static func requireTables(_ database: Database) throws -> Int {
        let found = try fileVersion(of: database)
        guard found.application == applicationID else { throw ReaderStoreError.notAStore }
        guard (1...version).contains(found.version) else {
            throw ReaderStoreError.versionUnknown(found.version)
        }
        return found.version
    }

    private static func fileVersion(of database: Database) throws -> (application: Int, version: Int) {
        (
            try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
            try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        )
    }

    /// One look at the store as it is at one moment.
    func read<Value>(_ body: (Database) throws -> Value) throws(ReaderStoreError) -> Value {
        try mapping(queue.read(body), ReaderStoreError.init(naming:))
    }

    /// One change, made wholly or not at all.
    func change<Value>(_ body: (Database) throws -> Value) throws(ReaderStoreError) -> Value {
        try mapping(
            queue.inDatabase { database in
                var value: Value?
                try database.inTransaction(.immediate) {
                    value = try body(database)
                    return .commit
                }
                guard let value else { throw ReaderStoreError.damaged }
                return value
            }, ReaderStoreError.init(naming:))
    }
}

extension ReaderStoreError {
    /// Names what SQLite reports.
    init(naming error: any Error) {
        self =
            switch error {
            case let error as ReaderStoreError: error
            case let error as DatabaseError: ReaderStoreError(error)
            // A row without the columns or types of the tables.
            default: .damaged
            }
    }

    private init(_ error: DatabaseError) {
        self =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_NOTADB: .notAStore
            case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT: .damaged
            case .SQLITE_FULL: .noSpace
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .notPermitted
            default: .failed(code: error.extendedResultCode.rawValue)
            }
    }
}

extension ReaderStore {
    /// How long it is remembered that a token was used, in seconds: long after it could be used again.
    package static let firstUsesKept: Int64 = 30 * 86_400

    /// 16 bytes that name this reader: drawn at random when they are first asked for, the same ever after.
    package func readerInstanceBytes() throws(ReaderStoreError) -> [UInt8] {
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

    /// When a reader token was first used. Where it never was, `now` is kept as that, or nothing if there is no `now`.
    ///
    /// - Parameter token: the SHA-256 by which it is known.
    package func firstTokenUse(
        _ token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderStoreError) -> Timestamp? {
        try change { database in
            if let now {
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
    /// An instant as stored in a table. Throws `damaged` outside the calendar, where nothing can be computed with
    /// it.
    init(stored seconds: Int64) throws(ReaderStoreError) {
        guard let instant = Timestamp(received: seconds) else { throw .damaged }
        self = instant
    }
}
