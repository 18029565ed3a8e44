internal import CPostgreSQL
internal import Dispatch
internal import Glibc

/// A pool of eight connections to one PostgreSQL database.
///
/// A connection serves one statement or transaction at a time, on its own dispatch queue, so that waiting for
/// the database blocks no other task. Up to 1024 callers wait for a free connection; a further caller fails
/// with `overloaded`. A caller that has waited for more than two seconds when a connection becomes free also
/// fails with `overloaded`.
///
/// A connection is made when it is first needed, and then creates or updates the tables. After any error the
/// connection is closed: a late result of the failed statement must not be read as the result of the next. If
/// the database cannot be reached, all waiting callers fail immediately.
///
/// The pool does not repeat a statement, because after `overdue` the statement may have been executed.
package actor PostgreSQLPool {
    /// The number of connections.
    static let size = 8
    /// The maximum number of callers that wait for a connection.
    private static let mostWaiting = 1024
    /// The maximum time for which a caller waits for a connection.
    private static let timeout = Duration.seconds(2)

    private struct Waiting {
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<Result<PostgreSQLConnection, PostgreSQLError>, Never>
    }

    private var idle: [PostgreSQLConnection]
    private var waiting: [Waiting] = []

    /// Creates the pool without connecting.
    ///
    /// - Parameters:
    ///   - settings: the connection string of libpq, such as `host=/run/postgresql dbname=shop`.
    ///   - schema: the tables that each new connection creates or updates.
    package init(_ settings: String, _ schema: PostgreSQLSchema) {
        idle = (0..<Self.size).map { _ in PostgreSQLConnection(settings, schema) }
    }

    /// Returns the rows of one statement, as `PostgreSQLLink.rows(_:_:until:)` does.
    package func rows(
        _ statement: String, _ values: [[UInt8]] = []
    ) async throws(PostgreSQLError) -> [[[UInt8]?]] {
        try await using { link, deadline throws(PostgreSQLError) in
            try link.rows(statement, values, until: deadline)
        }
    }

    /// Runs `body` in one transaction. When this function returns, the changes are on the disk. If the
    /// function throws `overdue` or `unreachable`, the changes may be on the disk or not.
    package func transaction<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                borrowing PostgreSQLLink, ContinuousClock.Instant
            ) throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        try await using { link, deadline throws(PostgreSQLError) in
            try link.transaction(until: deadline, body)
        }
    }

    /// Runs `body` with one connection of the pool, which is given back even if `body` throws.
    private func using<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                borrowing PostgreSQLLink, ContinuousClock.Instant
            ) throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        let connection = try await acquire()
        do throws(PostgreSQLError) {
            let value = try await connection.using(body)
            release(connection)
            return value
        } catch {
            // Without this call the waiting callers would fail one by one, each after a separate connection
            // timeout.
            if error == .unreachable { refuseAll() }
            release(connection)
            throw error
        }
    }

    /// Returns an idle connection, or waits until `release` hands a connection over.
    private func acquire() async throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection = idle.popLast() { return connection }
        guard waiting.count < Self.mostWaiting else { throw .overloaded }
        return try await withCheckedContinuation { answer in
            waiting.append(Waiting(deadline: .now + Self.timeout, answer: answer))
        }.get()
    }

    /// Gives a connection to the first waiting caller whose deadline has not passed. Waiting callers whose
    /// deadline has passed fail here with `overloaded`. No timer ends their wait: each statement has a
    /// timeout, and a connection is therefore given back soon.
    private func release(_ connection: PostgreSQLConnection) {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            guard next.deadline > .now else {
                next.answer.resume(returning: .failure(.overloaded))
                continue
            }
            return next.answer.resume(returning: .success(connection))
        }
        idle.append(connection)
    }

    /// Fails all waiting callers, because the database cannot be reached.
    private func refuseAll() {
        for caller in waiting { caller.answer.resume(returning: .failure(.unreachable)) }
        waiting = []
    }
}

/// A connection of the pool, made when first needed and again after it was lost. All calls of libpq happen on
/// `queue`, so that waiting for the database blocks no other task.
private final class PostgreSQLConnection: @unchecked Sendable {  // `link` is used only on `queue`
    /// The maximum time to connect to the database and to prepare the tables.
    private static let connectTimeout = Duration.seconds(3)
    /// The maximum time for one statement or transaction.
    private static let statementTimeout = Duration.seconds(2)

    private let settings: String
    private let schema: PostgreSQLSchema
    private let queue = DispatchQueue(label: "countersign.postgresql")
    private var link: PostgreSQLLink?

    init(_ settings: String, _ schema: PostgreSQLSchema) {
        self.settings = settings
        self.schema = schema
    }

    /// Runs `body` on `queue` with the link and the deadline of one statement.
    func using<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                borrowing PostgreSQLLink, ContinuousClock.Instant
            ) throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        try await withCheckedContinuation {
            (answer: CheckedContinuation<Result<Value, PostgreSQLError>, Never>) in
            queue.async { answer.resume(returning: self.answer(body)) }
        }.get()
    }

    /// Runs `body` with a usable link. Called on `queue`. After a success, keeps the link in the property
    /// `link` for the next call.
    private func answer<Value>(
        _ body: (borrowing PostgreSQLLink, ContinuousClock.Instant) throws(PostgreSQLError) -> Value
    ) -> Result<Value, PostgreSQLError> {
        do throws(PostgreSQLError) {
            let link = try usableLink()
            let value = try body(link, .now + Self.statementTimeout)
            self.link = consume link
            return .success(value)
        } catch {
            // The connection is closed after any error: a late result of this statement must not be read as
            // the result of the next.
            return .failure(error)
        }
    }

    /// Returns the link in the property `link` if it is still open, or a new link. Sets the property to
    /// `nil`; the caller has to store the link in it again.
    private func usableLink() throws(PostgreSQLError) -> PostgreSQLLink {
        if let link = link.take(), link.isUsable { return link }
        let deadline = ContinuousClock.now + Self.connectTimeout
        let link = try PostgreSQLLink(settings, until: deadline)
        for statement in PostgreSQLSchema.session { _ = try link.rows(statement, until: deadline) }
        try schema.prepare(link, until: deadline)
        return link
    }
}

/// A connection of libpq. Every function returns by its deadline. Values are sent separately from the text of
/// the statement, so they cannot change its meaning.
@safe package struct PostgreSQLLink: ~Copyable {
    private let libpq: LibPQ
    private let connection: LibPQ.Connection

    /// Connects to the database.
    ///
    /// - Parameter settings: the connection string of libpq, in the form `keyword=value …`.
    init(_ settings: String, until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        guard let libpq = LibPQ.installed else { throw .libraryMissing }
        guard let connection = unsafe libpq.connectStart(settings) else { throw .unreachable }
        guard unsafe Self.isMade(connection, by: libpq, until: deadline) else {
            unsafe libpq.finish(connection)
            throw .unreachable
        }
        self.libpq = libpq
        unsafe self.connection = connection
    }

    /// Waits until libpq has made the connection. Returns `false` if libpq fails, or if the deadline passes.
    /// At each step libpq returns whether the next wait is for reading or for writing.
    private static func isMade(
        _ connection: LibPQ.Connection, by libpq: LibPQ, until deadline: ContinuousClock.Instant
    ) -> Bool {
        // libpq demands that the first wait is until the socket can be written.
        var awaited = PGRES_POLLING_WRITING
        while awaited != PGRES_POLLING_OK {
            guard awaited != PGRES_POLLING_FAILED, unsafe libpq.status(connection) != CONNECTION_BAD else {
                return false
            }
            let event = awaited == PGRES_POLLING_READING ? POLLIN : POLLOUT
            do throws(PostgreSQLError) {
                try unsafe wait(for: event, on: libpq.socket(connection), until: deadline)
            } catch {
                return false
            }
            awaited = unsafe libpq.connectPoll(connection)
        }
        return unsafe libpq.setnonblocking(connection, 1) == 0
    }

    deinit { unsafe libpq.finish(connection) }

    /// Whether the connection is still open, as far as can be known without a query.
    var isUsable: Bool {
        var descriptor = unsafe pollfd(fd: libpq.socket(connection), events: Int16(POLLIN), revents: 0)
        // Data that arrives without a request is the server's notice that it closes the connection.
        return unsafe poll(&descriptor, 1, 0) == 0 && libpq.status(connection) == CONNECTION_OK
    }

    /// Executes a statement and returns its rows: for each column the bytes of PostgreSQL's binary form, or
    /// `nil` for null.
    ///
    /// - Parameters:
    ///   - values: the values of `$1` and so on, in the binary form of the types to which the statement casts
    ///     them.
    ///   - deadline: the time at which the function throws `overdue`.
    package func rows(
        _ statement: String, _ values: [[UInt8]] = [], until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [[[UInt8]?]] {
        guard send(statement, values) else { throw .unreachable }
        try flush(until: deadline)
        var rows: [[[UInt8]?]] = []
        var failure: PostgreSQLError?
        while true {
            while unsafe libpq.isBusy(connection) == 1 {
                try unsafe Self.wait(for: POLLIN, on: libpq.socket(connection), until: deadline)
                // The connection broke after the statement was sent, so it is unknown whether the statement
                // was executed.
                guard unsafe libpq.consumeInput(connection) == 1 else { throw .overdue }
            }
            guard let result = unsafe libpq.getResult(connection) else { break }
            defer { unsafe libpq.clear(result) }
            switch unsafe libpq.resultStatus(result) {
            case PGRES_TUPLES_OK: rows += unsafe table(of: result)
            case PGRES_COMMAND_OK: break
            default: failure = unsafe .failed(code: code(of: result))
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// Runs `body` between `BEGIN` and `COMMIT`.
    func transaction<Value>(
        until deadline: ContinuousClock.Instant,
        _ body: (borrowing PostgreSQLLink, ContinuousClock.Instant) throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        _ = try rows("BEGIN", until: deadline)
        // An error ends the connection, and with it the transaction.
        let value = try body(self, deadline)
        _ = try rows("COMMIT", until: deadline)
        return value
    }

    /// Sends a statement with its values, and asks for rows in the binary form. Returns `false` if libpq
    /// refuses the statement.
    private func send(_ statement: String, _ values: [[UInt8]]) -> Bool {
        // One buffer for all values, with an extra byte, so that the buffer is never empty: an empty buffer
        // may have a null pointer, which libpq reads as SQL null.
        let joined = Array(values.joined()) + [0]
        let lengths = values.map { Int32($0.count) }
        // The format code 1 selects the binary form. `formats` contains the code of each value, and the last
        // argument below is the code for the rows. The types of the values are `nil`, because the statement
        // casts each value.
        let formats = [Int32](repeating: 1, count: values.count)
        return unsafe joined.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = unsafe values.map { value -> UnsafePointer<CChar>? in
                defer { offset += value.count }
                return unsafe bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return unsafe libpq.sendQueryParams(
                connection, statement, Int32(values.count), nil, pointers, lengths, formats, 1) == 1
        }
    }

    /// Writes what libpq has not written to the socket yet.
    private func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        while true {
            // Input is read while output is written. Otherwise a server that waits until its own output is
            // read would accept no more input.
            switch unsafe libpq.flush(connection) {
            case 0: return
            case 1: try unsafe Self.wait(for: POLLIN | POLLOUT, on: libpq.socket(connection), until: deadline)
            default: throw .unreachable
            }
            guard unsafe libpq.consumeInput(connection) == 1 else { throw .unreachable }
        }
    }

    /// Waits until the socket can be read or written. Throws `overdue` at the deadline.
    private static func wait(
        for events: Int32, on socket: Int32, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .overdue }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let milliseconds =
                left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            // Rounded up. In the last millisecond, a timeout of 0 would let `poll` return immediately, and
            // the loop would not wait.
            let count = unsafe poll(&descriptor, 1, Int32(clamping: milliseconds + 1))
            if count > 0 { return }
            // A signal interrupts the wait, which then continues.
            guard count == 0 || errno == EINTR else { throw .unreachable }
        }
    }

    /// Returns the rows of a result, each as the bytes of its columns; `nil` for null.
    private func table(of result: LibPQ.Rows) -> [[[UInt8]?]] {
        unsafe (0..<libpq.ntuples(result)).map { row in
            unsafe (0..<libpq.nfields(result)).map { column in
                guard unsafe libpq.getisnull(result, row, column) == 0,
                    let start = unsafe libpq.getvalue(result, row, column)
                else { return nil }
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: start, count: Int(libpq.getlength(result, row, column)))
                return unsafe Array(bytes)
            }
        }
    }

    /// Returns the SQLSTATE of an error, which libpq stores in the field `C` of the result.
    private func code(of result: LibPQ.Rows) -> String {
        unsafe libpq.resultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
            ?? "none"
    }
}
