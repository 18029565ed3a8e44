struct Overdue: Error {
    let what: String
}

/// Runs `body` with a bound: no test waits for ever.
func withDeadline<Value: Sendable>(
    _ what: String, _ limit: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Overdue(what: what)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw Overdue(what: what) }
        return value
    }
}
