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

/// Looks again and again whether `condition` holds, with a bound.
package func until(
    _ what: String, within limit: Duration = .seconds(120), every pause: Duration = .milliseconds(10),
    _ condition: @escaping @Sendable () async throws -> Bool
) async throws {
    _ = try await awaited(what, within: limit, every: pause) { try await condition() ? true : nil }
}

/// Looks again and again for a value, with a bound.
package func awaited<Value: Sendable>(
    _ what: String, within limit: Duration = .seconds(120), every pause: Duration = .milliseconds(10),
    _ look: @escaping @Sendable () async throws -> Value?
) async throws -> Value {
    try await withDeadline(what, limit) {
        while true {
            if let value = try await look() { return value }
            try await Task.sleep(for: pause)
        }
    }
}

/// Waits until the task is cancelled: for what never comes by itself.
package func untilCancelled() async {
    let (never, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    withExtendedLifetime(end) {}
}
