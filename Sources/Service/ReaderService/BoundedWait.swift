/// Runs `work` in a separate task. That task is cancelled at `deadline`, or when `grace` is over after the caller
/// was cancelled: an operation in progress then has time to complete.
func bounded<Value: Sendable, Failure: Error>(
    by deadline: ContinuousClock.Instant?, grace: Duration = .zero,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
    let task = Task { () async -> Result<Value, Failure> in
        do throws(Failure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
    let timer = deadline.map { deadline in
        Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            task.cancel()
        }
    }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        guard grace > .zero else { return task.cancel() }
        Task {
            try? await Task.sleep(for: grace, clock: .continuous)
            task.cancel()
        }
    }
}

/// The result of what may fail, so that something can be done in both cases.
func ended<Value, Failure: Error>(
    _ work: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
    do throws(Failure) {
        return .success(try await work())
    } catch {
        return .failure(error)
    }
}
