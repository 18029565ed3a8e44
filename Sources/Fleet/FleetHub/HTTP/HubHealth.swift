internal import JSON
internal import ReaderStore

/// The answer to `GET /healthz`: whether the database answers and accepts changes. Anyone can send this
/// request, even without a certificate, so the database is asked at most once in two seconds.
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
    /// The present question to the database. All callers wait for its answer.
    private var asking: Task<Answer, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ ping: @escaping @Sendable () async throws(PostgreSQLError) -> Void
    ) {
        self.now = now
        self.ping = ping
    }

    /// Returns the state of the database with the age of its answer.
    func current() async throws(HubProblem) -> JSONValue {
        let answer = await answer()
        let age = now() - answer.time
        try await HubProblem.asking { () throws(PostgreSQLError) in try answer.result.get() }
        return ["status": "ok", "ageSeconds": .integer(age.components.seconds)]
    }

    /// Returns the latest answer if it is recent, or asks the database. Callers at the same time share one
    /// question.
    private func answer() async -> Answer {
        if let latest, now() - latest.time < Self.lifetime { return latest }
        // While the actor waits for an answer below, further callers come here.
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
