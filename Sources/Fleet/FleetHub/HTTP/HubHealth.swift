internal import JSON
internal import ReaderStore

/// The answer to `GET /healthz`: whether the database answers and accepts changes. Anyone can send this
/// request, even without a certificate, so the database is checked at most once in two seconds.
actor HubHealth {
    /// The time for which an answer of the database is reused.
    static let lifetime = Duration.seconds(2)

    private struct Answer {
        let result: Result<Void, PostgreSQLError>
        let time: ContinuousClock.Instant
    }

    private let ping: @Sendable () async throws(PostgreSQLError) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private var latest: Answer?
    /// The running check of the database, for whose result all callers wait.
    private var asking: Task<Answer, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ ping: @escaping @Sendable () async throws(PostgreSQLError) -> Void
    ) {
        self.now = now
        self.ping = ping
    }

    /// Returns the body of the answer to `GET /healthz`, with the age of the latest check. Throws if the
    /// check failed.
    func current() async throws(HubProblem) -> JSONValue {
        let answer = await answer()
        let age = now() - answer.time
        try await HubProblem.asking { () throws(PostgreSQLError) in try answer.result.get() }
        return ["status": "ok", "ageSeconds": .integer(age.components.seconds)]
    }

    /// Returns the result of the latest check if it is recent, or checks the database again. Concurrent
    /// callers share one check.
    private func answer() async -> Answer {
        if let latest, now() - latest.time < Self.lifetime { return latest }
        // A check is already running: the actor admits further callers while it waits for the database below.
        if let asking { return await asking.value }
        let question = Task { [ping, now] in
            do throws(PostgreSQLError) {
                try await ping()
                return Answer(result: .success(()), time: now())
            } catch {
                return Answer(result: .failure(error), time: now())
            }
        }
        asking = question
        let answer = await question.value
        latest = answer
        asking = nil
        return answer
    }
}
