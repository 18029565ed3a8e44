internal import Dispatch

/// One connection of the pool. It is made when it is first needed, and again when it is lost. It waits for the
/// database on its own queue, so that it blocks nobody else.
final class PostgreSQLConnection: @unchecked Sendable {  // `link` is touched on the queue alone
    /// For how long the database may let itself be connected to.
    static let connectTimeout = Duration.seconds(3)
    /// How long one statement may take.
    static let statementTimeout = Duration.seconds(2)

    private let settings: String
    private let queue = DispatchQueue(label: "countersign.nonces.postgresql")
    private var link: PostgreSQLLink?

    init(_ settings: String) {
        self.settings = settings
    }

    func rows(
        _ statement: String, _ values: [[UInt8]]
    ) async throws(NonceStoreError) -> [[[UInt8]?]] {
        try await withCheckedContinuation { answer in
            queue.async { answer.resume(returning: self.answer(statement, values)) }
        }.get()
    }

    private func answer(
        _ statement: String, _ values: [[UInt8]]
    ) -> Result<[[[UInt8]?]], NonceStoreError> {
        do throws(NonceStoreError) {
            let link = try usableLink()
            let rows = try link.rows(statement, values, until: .now + Self.statementTimeout)
            self.link = consume link
            return .success(rows)
        } catch {
            // Whatever went wrong, what may still come over this connection is not for the next statement.
            return .failure(error)
        }
    }

    /// The current connection, or a new one. Nobody else has it while it is in use.
    private func usableLink() throws(NonceStoreError) -> PostgreSQLLink {
        if let link = link.take(), link.isUsable { return link }
        let deadline = ContinuousClock.now + Self.connectTimeout
        let link = try PostgreSQLLink(settings, until: deadline)
        for statement in PostgreSQLTables.session { _ = try link.rows(statement, until: deadline) }
        guard try link.rows(PostgreSQLTables.isThere, until: deadline).first?.first == [1] else {
            for statement in PostgreSQLTables.setUp { _ = try link.rows(statement, until: deadline) }
            return link
        }
        return link
    }
}
