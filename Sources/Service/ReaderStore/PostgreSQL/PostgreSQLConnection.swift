internal import Dispatch

/// One connection of the pool. It is made when it is first needed, and again when it is lost. It waits for the
/// database on its own queue, so that it blocks nobody else.
final class PostgreSQLConnection: @unchecked Sendable {  // `link` is touched on the queue alone
    /// For how long the database may let itself be connected to.
    static let connectTimeout = Duration.seconds(3)
    /// How long one statement may take.
    static let statementTimeout = Duration.seconds(2)

    private let settings: String
    private let schema: PostgreSQLSchema
    private let queue = DispatchQueue(label: "countersign.postgresql")
    private var link: PostgreSQLLink?

    init(_ settings: String, _ schema: PostgreSQLSchema) {
        self.settings = settings
        self.schema = schema
    }

    /// Lends the link until the deadline of one statement.
    func using<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                borrowing PostgreSQLLink, ContinuousClock.Instant
            ) throws(PostgreSQLError) -> Value
    ) async throws(PostgreSQLError) -> Value {
        try await withCheckedContinuation {
            (answer: CheckedContinuation<Result<Value, PostgreSQLError>, Never>) in
            queue.async { answer.resume(returning: self.answer(body)) }
        }.get()
    }

    private func answer<Value>(
        _ body: (borrowing PostgreSQLLink, ContinuousClock.Instant) throws(PostgreSQLError) -> Value
    ) -> Result<Value, PostgreSQLError> {
        do throws(PostgreSQLError) {
            let link = try usableLink()
            let value = try body(link, .now + Self.statementTimeout)
            self.link = consume link
            return .success(value)
        } catch {
            // Whatever went wrong, what may still come over this connection is not for the next statement.
            return .failure(error)
        }
    }

    /// The current connection, or a new one. Nobody else has it while it is in use.
    private func usableLink() throws(PostgreSQLError) -> PostgreSQLLink {
        if let link = link.take(), link.isUsable { return link }
        let deadline = ContinuousClock.now + Self.connectTimeout
        let link = try PostgreSQLLink(settings, until: deadline)
        for statement in PostgreSQLSchema.session { _ = try link.rows(statement, until: deadline) }
        try schema.prepare(link, until: deadline)
        return link
    }
}
