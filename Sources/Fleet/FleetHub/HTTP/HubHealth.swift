internal import JSON
internal import ReaderStore

/// Whether the database answers and takes changes, for `GET /healthz`. The database is asked once in two seconds at most, however
/// many ask the hub: nobody needs a certificate to do so.
actor HubHealth {
    /// How long an answer of the database counts.
    static let lifetime = Duration.seconds(2)

    private struct Answer {
        let result: Result<Void, PostgreSQLError>
        let time: ContinuousClock.Instant
    }

    private let ping: @Sendable () async throws(PostgreSQLError) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private var latest: Answer?
    /// The question to the database that is on its way; all who ask meanwhile wait for its answer.
    private var asking: Task<Answer, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ ping: @escaping @Sendable () async throws(PostgreSQLError) -> Void
    ) {
        self.now = now
        self.ping = ping
    }

    /// The last answer of the database, with its age.
    func current() async throws(HubProblem) -> JSONValue {
        let answer = await answer()
        let age = now() - answer.time
        try await HubProblem.asking { () throws(PostgreSQLError) in try answer.result.get() }
        return ["status": "ok", "ageSeconds": .integer(age.components.seconds)]
    }

    private func answer() async -> Answer {
        if let latest, now() - latest.time < Self.lifetime { return latest }
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
