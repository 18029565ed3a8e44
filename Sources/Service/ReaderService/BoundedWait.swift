/// Runs `work` in a separate task that is cancelled at a deadline, and waits until the task has ended.
///
/// - Parameters:
///   - deadline: the instant at which the task is cancelled; `nil` for no deadline.
///   - grace: the time between the cancellation of the caller and the cancellation of the task, in which an
///     operation in progress can complete.
/// - Returns: the result of `work`, which has to end when its task is cancelled.
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
        // Nothing cancels this task, so it always sleeps to the end.
        Task {
            try? await Task.sleep(for: grace, clock: .continuous)
            task.cancel()
        }
    }
}

/// Returns the value of `work` or the error that it threw, so that the caller can clean up in both cases.
func catching<Value, Failure: Error>(
    _ work: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
    do throws(Failure) {
        return .success(try await work())
    } catch {
        return .failure(error)
    }
}
