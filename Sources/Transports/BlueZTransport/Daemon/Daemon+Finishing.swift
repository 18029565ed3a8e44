/// Calls that must be finished even if the caller's task is cancelled.
///
/// The daemon makes such calls in separate tasks. Each call ends within its own limit. If bluetoothd hangs, a
/// caller waits no longer than `pingTimeout` (Q246). The calls stay in bluetoothd's queue in their order, and
/// bluetoothd handles them when it runs again.
extension Daemon {
    /// The time after which an unanswered ping shows that bluetoothd hangs.
    static let pingTimeout = Duration.seconds(1)

    /// Calls a method that undoes an earlier call, even if the task is cancelled. Ignores an error of the
    /// call. Returns early if bluetoothd hangs.
    func takeBack(
        _ path: String, _ interface: String, _ name: String, _ arguments: [BusValue] = []
    ) async {
        await finishing { _ = try? await self.call(path, interface, name, arguments) }
    }

    /// Runs `work` to its end, even if the caller's task is cancelled.
    ///
    /// - Returns: the result; `nil` if bluetoothd hangs and `work` continues without the caller.
    @discardableResult
    func finishing<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        let (results, result) = AsyncStream<Value>.makeStream()
        Task {
            result.yield(await work())
            result.finish()
        }
        let watch = Task {
            await untilHung()
            result.finish()
        }
        defer { watch.cancel() }
        // The wait is in a separate task, because in a cancelled task the iteration over the stream would end
        // immediately.
        return await Task {
            for await value in results { return value }
            return nil
        }.value
    }

    /// Waits until a ping to bluetoothd has stayed unanswered for `pingTimeout`, or the task is cancelled.
    private func untilHung() async {
        while !Task.isCancelled, !isHung {
            try? await Task.sleep(until: ping().sent + Self.pingTimeout, clock: .continuous)
        }
    }

    /// Whether a ping has stayed unanswered for `pingTimeout`.
    private var isHung: Bool { openPing.map { .now >= $0.sent + Self.pingTimeout } ?? false }

    /// Checks that bluetoothd answers now. Earlier reports of bluetoothd do not show this (Q246).
    ///
    /// - Throws: `daemonHung`.
    func checkAnswers() async throws(BlueZTransportError) {
        let answer = ping().answer
        guard !isHung, await finishing({ await answer.value }) != nil else { throw .daemonHung }
    }
}
