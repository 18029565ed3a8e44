/// Calls that must not be cut off half-way.
///
/// The daemon runs them in separate tasks, so that the end of the caller's task does not end them. Each call ends within
/// its own limit. A bluetoothd that hangs holds no caller up for longer than `pingTimeout` (Q246): the calls stay in its
/// queue in their order, and it handles them when it runs again.
extension Daemon {
    /// The time within which a bluetoothd that runs answers a ping.
    static let pingTimeout = Duration.seconds(1)

    /// Calls a method that undoes an earlier call, even if the task is cancelled. Returns early if bluetoothd hangs.
    func takeBack(
        _ path: String, _ interface: String, _ name: String, _ arguments: [BusValue] = []
    ) async {
        await finishing { _ = try? await self.call(path, interface, name, arguments) }
    }

    /// Runs `work` to its end, even if the task is cancelled.
    ///
    /// - Returns: the result; nil if bluetoothd hangs and `work` continues without the caller.
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
        // A separate task: the stream would end at once for a caller that is cancelled.
        return await Task {
            for await value in results { return value }
            return nil
        }.value
    }

    /// Returns when bluetoothd has not answered a ping for as long as `pingTimeout`, or the task is cancelled.
    private func untilHung() async {
        while !Task.isCancelled, !isHung {
            try? await Task.sleep(until: ping().sent + Self.pingTimeout, clock: .continuous)
        }
    }

    private var isHung: Bool { openPing.map { .now >= $0.sent + Self.pingTimeout } ?? false }

    /// Checks that bluetoothd runs now, whatever it has reported before.
    ///
    /// - Throws: `daemonHung`.
    func checkAnswers() async throws(BlueZTransportError) {
        let answer = ping().answer
        guard !isHung, await finishing({ await answer.value }) != nil else { throw .daemonHung }
    }
}
