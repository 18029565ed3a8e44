internal import Transport

/// The value of `work`, or nil when it has not come within `limit`; what hangs is then left to itself.
package func finished<Value: Sendable>(
    within limit: Duration, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    let (values, end) = AsyncStream<Value?>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let task = Task { end.yield(await work()) }
    let timer = Task {
        try await Task.sleep(for: limit, clock: .continuous)
        end.yield(nil)
        task.cancel()
    }
    defer { timer.cancel() }
    for await value in values { return value }
    return nil
}

/// Runs a call that may block, such as one for files on a network, on a separate thread.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        WorkerThread().perform { continuation.resume(returning: body()) }
    }
}
