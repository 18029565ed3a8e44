/// A few connections to one database, each for one statement at a time.
package actor PostgreSQLPool {
    /// How many connections there are at most.
    static let size = 8
    /// How many statements wait for a connection at most.
    private static let mostWaiting = 1024
    /// How long a statement may wait for a connection.
    private static let timeout = Duration.seconds(2)

    private struct Waiting {
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<Result<PostgreSQLConnection, PostgreSQLError>, Never>
    }

    private var idle: [PostgreSQLConnection]
    private var waiting: [Waiting] = []

    /// - Parameters:
    ///   - settings: where the database is, in the form of libpq: `host=/run/postgresql dbname=shop`.
    ///   - schema: the tables, made where they are not there.
    package init(_ settings: String, _ schema: PostgreSQLSchema) {
        idle = (0..<Self.size).map { _ in PostgreSQLConnection(settings, schema) }
    }

    /// The rows that one statement gives, as `PostgreSQLLink.rows(_:_:until:)` does.
    package func rows(
        _ statement: String, _ values: [[UInt8]] = []
    ) async throws(PostgreSQLError) -> [[[UInt8]?]] {
        try await using { link, deadline throws(PostgreSQLError) in
            try link.rows(statement, values, until: deadline)
        }
    }

    /// What `body` does in one transaction, which is on the disk when this returns, or nothing of it.
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

    private func using<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                borrowing PostgreSQLLink, ContinuousClock.Instant
            ) throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        let connection = try await take()
        do throws(PostgreSQLError) {
            let value = try await connection.using(body)
            give(connection)
            return value
        } catch {
            if error == .unreachable { refuseAll() }
            give(connection)
            throw error
        }
    }

    private func take() async throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection = idle.popLast() { return connection }
        guard waiting.count < Self.mostWaiting else { throw .overloaded }
        return try await withCheckedContinuation { answer in
            waiting.append(Waiting(deadline: .now + Self.timeout, answer: answer))
        }.get()
    }

    /// To the first who still waits. No connection is held for longer than its timeout, so that nobody waits much longer
    /// than theirs.
    private func give(_ connection: PostgreSQLConnection) {
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

    /// Fails all waiting callers: the database cannot be reached.
    private func refuseAll() {
        for one in waiting { one.answer.resume(returning: .failure(.unreachable)) }
        waiting = []
    }
}
