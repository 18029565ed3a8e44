/// Runs `body` with a bound: no test waits for ever. The bound ends a hang; a slow or busy computer never reaches it.
package func withDeadline<Value: Sendable>(
    _ what: String, _ limit: Duration = .seconds(120), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Overdue(what)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw Overdue(what) }
        return value
    }
}

/// Looks every 10 ms whether `condition` holds, with a bound.
package func until(
    _ what: String, within limit: Duration = .seconds(120),
    _ condition: @escaping @Sendable () async throws -> Bool
) async throws {
    try await withDeadline(what, limit) {
        while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }
}
