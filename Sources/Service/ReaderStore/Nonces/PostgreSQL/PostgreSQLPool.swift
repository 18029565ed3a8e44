/// A few connections to one database, each for one statement at a time.
actor PostgreSQLPool {
    /// How many connections there are at most.
    static let size = 8
    /// How many statements wait for a connection at most.
    private static let mostWaiting = 1024
    /// How long a statement may wait for a connection.
    private static let timeout = Duration.seconds(2)

    private struct Waiting {
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<Result<PostgreSQLConnection, NonceStoreError>, Never>
    }

    private var idle: [PostgreSQLConnection]
    private var waiting: [Waiting] = []

    init(_ settings: String) {
        idle = (0..<Self.size).map { _ in PostgreSQLConnection(settings) }
    }

    func rows(_ statement: String, _ values: [[UInt8]]) async throws(NonceStoreError) -> [[[UInt8]?]] {
        let connection = try await take()
        do throws(NonceStoreError) {
            let rows = try await connection.rows(statement, values)
            give(connection)
            return rows
        } catch {
            if error == .unreachable { refuseAll() }
            give(connection)
            throw error
        }
    }

    private func take() async throws(NonceStoreError) -> PostgreSQLConnection {
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
