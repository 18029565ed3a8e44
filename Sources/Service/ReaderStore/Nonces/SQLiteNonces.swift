internal import ErrorMapping
internal import Foundation
internal import GRDB
package import MdocModel
internal import Synchronization
package import WalletPresentation

/// The nonces of one server, in the file `nonces.sqlite` in the store's folder.
///
/// Every request writes to this file, so writes are combined: calls that arrive during a transaction wait,
/// and the next transaction makes the changes of up to 256 waiting calls. At most 4096 calls wait; further
/// calls fail with `overloaded`.
///
/// The actor holds the queue of waiting calls. A single task (`write`) executes one transaction after another
/// and resumes each call with its result. If a transaction fails, all calls in it fail.
///
/// Unlike the store's database, this file has a write-ahead log, which may keep copies of deleted rows. The
/// copies do no harm, because this file contains no personal data.
package actor SQLiteNonces: NonceStore {
    private enum Step: Sendable {
        case issue(IssuedNonce, asked: [UInt8])
        case spend(PresentationNonce, by: SessionBinding, over: PresentationChannel, at: Timestamp)
    }

    private struct Waiting {
        let step: Step
        let answer: CheckedContinuation<Result<NonceUse, NonceStoreError>, Never>
    }

    /// The maximum number of calls that wait for a transaction.
    private static let mostWaiting = 4096
    /// The maximum number of calls in one transaction.
    private static let mostTogether = 256

    private let terms: NonceTerms
    private let queue: DatabaseQueue
    private let time: MonotonicTime
    private var waiting: [Waiting] = []
    private var isWriting = false
    private var count = NonceCount()

    /// Opens the file `nonces.sqlite`.
    ///
    /// - Parameter folder: the store's folder, created if absent.
    package init(
        in folder: String, _ terms: NonceTerms = NonceTerms(), time: MonotonicTime = MonotonicTime()
    ) throws(ReaderStoreError) {
        let folder = StoreFolder(path: folder, name: "nonces.sqlite")
        try folder.create()
        self.terms = terms
        self.time = time
        queue = try mapping(Self.open(folder.file), ReaderStoreError.init(naming:))
    }

    /// Opens the file with a write-ahead log, and creates the table if it is missing.
    private static func open(_ file: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(ReaderStore.longestWait)
        configuration.label = "countersign.nonces"
        // A nonce that was reported as spent stays spent after a loss of power: FULL writes the log to the
        // disk at each commit.
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
        }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.write { try $0.execute(sql: schema) }
        return queue
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS nonce (
            nonce BLOB NOT NULL PRIMARY KEY CHECK (length(nonce) BETWEEN 1 AND 64),
            session BLOB NOT NULL CHECK (length(session) = 32),
            channel TEXT NOT NULL,
            expires INTEGER NOT NULL,
            asked BLOB NOT NULL,
            is_spent INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX IF NOT EXISTS nonce_expires ON nonce (expires);
        """

    package func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8],
        at now: Timestamp
    ) async throws(NonceStoreError) -> IssuedNonce {
        guard asked.count <= NonceTerms.longestAsked else { throw .askedTooLong }
        let now = time.time(at: now)
        let issued = IssuedNonce(
            nonce, to: session, for: channel, expires: now.advanced(bySeconds: terms.lifetime))
        if count.isSweepDue(at: now) { try await sweep(at: now) }
        try count.add(upTo: terms.capacity)
        return try await submit(.issue(issued, asked: asked)).issued
    }

    package func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) async throws(NonceStoreError) -> SpentRequest {
        let now = time.time(at: now)
        return try await submit(.spend(nonce, by: session, over: channel, at: now))
            .spent(by: session, over: channel, at: now)
    }

    /// Deletes nonces that expired a lifetime ago and nonces with an impossibly late expiry, and counts the
    /// remaining nonces.
    private func sweep(at now: Timestamp) async throws(NonceStoreError) {
        count.beginSweep(at: now)
        let last = now.advanced(bySeconds: -terms.lifetime).secondsSince1970
        let latest = NonceTerms.latestExpiry(at: now).secondsSince1970
        do throws(NonceStoreError) {
            let left = try await change { database in
                try database.execute(
                    sql: """
                        DELETE FROM nonce WHERE nonce IN
                            (SELECT nonce FROM nonce WHERE expires < ? OR expires > ?
                            ORDER BY expires LIMIT \(NonceTerms.sweepSize))
                        """, arguments: [last, latest])
                return try Int.fetchOne(database, sql: "SELECT count(*) FROM nonce") ?? 0
            }
            count.endSweep(leaving: left)
        } catch {
            count.failSweep()
            throw error
        }
    }

    // MARK: Combined writes

    /// Adds a call to the queue, starts `write` if it does not run, and waits for the call's result.
    private func submit(_ step: Step) async throws(NonceStoreError) -> NonceUse {
        guard waiting.count < Self.mostWaiting else { throw .overloaded }
        return try await withCheckedContinuation { answer in
            waiting.append(Waiting(step: step, answer: answer))
            guard !isWriting else { return }
            isWriting = true
            Task { await write() }
        }.get()
    }

    /// Makes the changes of the waiting calls, up to `mostTogether` in one transaction, until no call waits.
    private func write() async {
        while !waiting.isEmpty {
            let together = waiting.prefix(Self.mostTogether)
            waiting.removeFirst(together.count)
            let steps = together.map(\.step)
            do throws(NonceStoreError) {
                let uses = try await change { database in try steps.map { try Self.perform($0, in: database) }
                }
                for (caller, use) in zip(together, uses) { caller.answer.resume(returning: use) }
            } catch {
                for caller in together { caller.answer.resume(returning: .failure(error)) }
            }
        }
        isWriting = false
    }

    /// Runs `body` in one write transaction.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(NonceStoreError) -> Value {
        do {
            return try await queue.write(body)
        } catch let error as DatabaseError {
            throw .failed(code: "\(error.extendedResultCode.rawValue)")
        } catch {
            throw .failed(code: "row")
        }
    }

    /// Makes the change of one call in a transaction that several calls share.
    private static func perform(
        _ step: Step, in database: Database
    ) throws -> Result<NonceUse, NonceStoreError> {
        switch step {
        case .issue(let issued, let asked): try insert(issued, asked, in: database)
        case .spend(let nonce, let session, let channel, let now):
            try use(nonce, by: session, over: channel, at: now, in: database)
        }
    }

    private static func insert(
        _ issued: IssuedNonce, _ asked: [UInt8], in database: Database
    ) throws -> Result<NonceUse, NonceStoreError> {
        try database.cachedStatement(
            sql:
                "INSERT OR IGNORE INTO nonce (nonce, session, channel, expires, asked) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            Data(issued.nonce.bytes), Data(issued.session.digest), issued.channel.rawValue,
            issued.expires.secondsSince1970, Data(asked),
        ])
        guard database.changesCount == 1 else { return .failure(.refused(.issuedBefore)) }
        // `issue` reads only the member `issued`.
        return .success(NonceUse(issued: issued, asked: [], isFirstUse: false))
    }

    /// Marks a nonce as spent, if session, channel and time fit.
    private static func use(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp, in database: Database
    ) throws -> Result<NonceUse, NonceStoreError> {
        let key = Data(nonce.bytes)
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT session, channel, expires, asked FROM nonce WHERE nonce = ?"), arguments: [key])
        guard let row else { return .failure(.refused(.unknown)) }
        let issued = try IssuedNonce(nonce, row)
        // Checked before the update, so that a response from another session does not use up the nonce.
        do throws(NonceRefusal) {
            try issued.check(session: session, channel: channel, at: now)
        } catch {
            return .failure(.refused(error))
        }
        try database.cachedStatement(sql: "UPDATE nonce SET is_spent = 1 WHERE nonce = ? AND is_spent = 0")
            .execute(arguments: [key])
        return .success(
            NonceUse(
                issued: issued, asked: [UInt8](try row.decode(Data.self, forColumn: "asked")),
                isFirstUse: database.changesCount == 1))
    }
}

extension IssuedNonce {
    fileprivate init(_ nonce: PresentationNonce, _ row: Row) throws {
        guard let session = SessionBinding(stored: [UInt8](try row.decode(Data.self, forColumn: "session"))),
            let channel = PresentationChannel(rawValue: try row.decode(forColumn: "channel"))
        else { throw ReaderStoreError.damaged }
        self.init(
            nonce, to: session, for: channel,
            expires: try Timestamp(stored: row.decode(forColumn: "expires")))
    }
}

/// The table of nonces in PostgreSQL, and the statements on it.
enum NonceTables {
    static let schema = PostgreSQLSchema(
        table: "countersign_nonce",
        statements: [
            """
            CREATE TABLE IF NOT EXISTS countersign_nonce (
                nonce bytea PRIMARY KEY CHECK (octet_length(nonce) BETWEEN 1 AND 64),
                session bytea NOT NULL CHECK (octet_length(session) = 32),
                channel text NOT NULL,
                expires bigint NOT NULL,
                asked bytea NOT NULL,
                is_spent boolean NOT NULL DEFAULT false
            )
            """,
            "CREATE INDEX IF NOT EXISTS countersign_nonce_expires ON countersign_nonce (expires)",
        ])

    static let insert = """
        INSERT INTO countersign_nonce (nonce, session, channel, expires, asked)
        VALUES ($1::bytea, $2::bytea, $3::text, $4::bigint, $5::bytea) ON CONFLICT DO NOTHING RETURNING true
        """

    /// The statement that marks a nonce as spent, if session, channel and time match and the nonce is
    /// unspent. If two servers execute this statement for one nonce, only one of the servers gets a row.
    static let spend = """
        UPDATE countersign_nonce SET is_spent = true
        WHERE nonce = $1::bytea AND session = $2::bytea AND channel = $3::text
            AND expires BETWEEN $4::bigint AND $5::bigint AND NOT is_spent
        RETURNING session, channel, expires, asked
        """

    /// The statement that reads the row of a nonce that `spend` did not update. The row shows the reason.
    static let read = "SELECT session, channel, expires FROM countersign_nonce WHERE nonce = $1::bytea"

    /// The statement that deletes nonces with an expiry before `$1` or after `$2`, and returns the number of
    /// the remaining nonces. With `SKIP LOCKED`, several servers sweep at the same time without waiting for
    /// each other. Inside one statement `count(*)` still counts the deleted rows, so the statement subtracts
    /// their number.
    static let sweep = """
        WITH expired AS (
            DELETE FROM countersign_nonce WHERE nonce IN (
                SELECT nonce FROM countersign_nonce WHERE expires < $1::bigint OR expires > $2::bigint
                ORDER BY expires LIMIT \(NonceTerms.sweepSize) FOR UPDATE SKIP LOCKED)
            RETURNING 1)
        SELECT (SELECT count(*) FROM countersign_nonce) - (SELECT count(*) FROM expired)
        """
}

/// The nonces of one server in memory, which are lost when the server ends.
package final class MemoryNonces: NonceStore {
    private let ledger: Mutex<NonceLedger>
    private let time: MonotonicTime

    package init(_ terms: NonceTerms = NonceTerms(), time: MonotonicTime = MonotonicTime()) {
        self.time = time
        ledger = Mutex(NonceLedger(lifetime: terms.lifetime, capacity: terms.capacity))
    }

    package func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8],
        at now: Timestamp
    ) throws(NonceStoreError) -> IssuedNonce {
        guard asked.count <= NonceTerms.longestAsked else { throw .askedTooLong }
        let now = time.time(at: now)
        return try mapping(
            ledger.withLock { ledger throws(NonceRefusal) in
                try ledger.issue(nonce, to: session, for: channel, asked: asked, at: now)
            }, NonceStoreError.refused)
    }

    package func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) throws(NonceStoreError) -> SpentRequest {
        let now = time.time(at: now)
        return try mapping(
            ledger.withLock { ledger throws(NonceRefusal) in
                let spent = try ledger.spend(nonce, by: session, over: channel, at: now)
                return SpentRequest(spent, asked: ledger.asked(with: nonce))
            }, NonceStoreError.refused)
    }
}
