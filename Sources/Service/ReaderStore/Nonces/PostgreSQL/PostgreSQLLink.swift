internal import CPostgreSQL
internal import Glibc

/// One connection of libpq. It never waits for the database longer than it is told, and sends what is asked with every
/// value apart from the text of the statement.
@safe struct PostgreSQLLink: ~Copyable {
    private let connection: OpaquePointer

    /// - Parameter settings: `keyword=value …` as libpq has it.
    init(_ settings: String, until deadline: ContinuousClock.Instant) throws(NonceStoreError) {
        guard let connection = unsafe PQconnectStart(settings) else { throw .unreachable }
        guard unsafe Self.isMade(connection, until: deadline) else {
            unsafe PQfinish(connection)
            throw .unreachable
        }
        unsafe self.connection = connection
    }

    private static func isMade(
        _ connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) -> Bool {
        var awaited = PGRES_POLLING_WRITING
        while awaited != PGRES_POLLING_OK {
            guard awaited != PGRES_POLLING_FAILED, unsafe PQstatus(connection) != CONNECTION_BAD else {
                return false
            }
            let event = awaited == PGRES_POLLING_READING ? POLLIN : POLLOUT
            do throws(NonceStoreError) {
                try unsafe wait(for: event, on: connection, until: deadline)
            } catch {
                return false
            }
            awaited = unsafe PQconnectPoll(connection)
        }
        return unsafe PQsetnonblocking(connection, 1) == 0
    }

    deinit { unsafe PQfinish(connection) }

    /// Whether the database is still there, as far as can be told without asking it.
    var isUsable: Bool {
        var descriptor = unsafe pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        // Unasked, it says that it ends.
        return unsafe poll(&descriptor, 1, 0) == 0 && PQstatus(connection) == CONNECTION_OK
    }

    /// The rows that a statement gives: for each column the bytes of PostgreSQL's binary form, or nil for null.
    ///
    /// - Parameter values: `$1` and so on, in the binary form of the types to which the statement casts them.
    func rows(
        _ statement: String, _ values: [[UInt8]] = [], until deadline: ContinuousClock.Instant
    ) throws(NonceStoreError) -> [[[UInt8]?]] {
        guard send(statement, values) else { throw .unreachable }
        try flush(until: deadline)
        var rows: [[[UInt8]?]] = []
        var failure: NonceStoreError?
        while true {
            while unsafe PQisBusy(connection) == 1 {
                try unsafe Self.wait(for: POLLIN, on: connection, until: deadline)
                guard unsafe PQconsumeInput(connection) == 1 else { throw .overdue }
            }
            guard let result = unsafe PQgetResult(connection) else { break }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows += unsafe Self.rows(of: result)
            case PGRES_COMMAND_OK: break
            default: failure = unsafe .failed(code: Self.code(of: result))
            }
        }
        if let failure { throw failure }
        return rows
    }

    private func send(_ statement: String, _ values: [[UInt8]]) -> Bool {
        let joined = Array(values.joined()) + [0]
        let lengths = values.map { Int32($0.count) }
        let formats = [Int32](repeating: 1, count: values.count)
        return unsafe joined.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = unsafe values.map { value -> UnsafePointer<CChar>? in
                defer { offset += value.count }
                return unsafe bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return unsafe PQsendQueryParams(
                connection, statement, Int32(values.count), nil, pointers, lengths, formats, 1) == 1
        }
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(NonceStoreError) {
        while true {
            switch unsafe PQflush(connection) {
            case 0: return
            case 1: try unsafe Self.wait(for: POLLIN | POLLOUT, on: connection, until: deadline)
            default: throw .unreachable
            }
            guard unsafe PQconsumeInput(connection) == 1 else { throw .unreachable }
        }
    }

    private static func wait(
        for events: Int32, on connection: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(NonceStoreError) {
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .overdue }
            var descriptor = unsafe pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            let milliseconds =
                left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            let count = unsafe poll(&descriptor, 1, Int32(clamping: milliseconds + 1))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw .unreachable }
        }
    }

    private static func rows(of result: OpaquePointer) -> [[[UInt8]?]] {
        unsafe (0..<PQntuples(result)).map { row in
            unsafe (0..<PQnfields(result)).map { column in
                guard unsafe PQgetisnull(result, row, column) == 0,
                    let start = unsafe PQgetvalue(result, row, column)
                else { return nil }
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: start, count: Int(PQgetlength(result, row, column)))
                return unsafe Array(bytes)
            }
        }
    }

    private static func code(of result: OpaquePointer) -> String {
        unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
            ?? "none"
    }
}
