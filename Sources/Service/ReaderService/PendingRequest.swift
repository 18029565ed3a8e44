internal import Transport

/// A request that is written and signed while other work continues: some keys take a large part of a second, and block
/// their thread meanwhile.
struct PendingRequest: Sendable {
    private typealias Written = Result<SessionRequest, PresentationFailure>

    private let results: AsyncStream<Written>
    private let said: AsyncStream<Written>.Continuation
    /// Who signs.
    private let identity: String?

    init(
        signedBy identity: String?,
        _ write: @escaping @Sendable () throws(PresentationFailure) -> SessionRequest
    ) {
        self.identity = identity
        (results, said) = AsyncStream.makeStream()
        let work = { @Sendable [said] in
            do throws(PresentationFailure) {
                said.yield(.success(try write()))
            } catch {
                said.yield(.failure(error))
            }
        }
        if identity == nil { work() } else { WorkerThread().perform(work) }
    }

    /// The request. A key that does not answer by the deadline does not sign, and is not waited for.
    func value(by deadline: ContinuousClock.Instant) async throws(PresentationFailure) -> SessionRequest {
        let timer = Task { [said] in
            try await Task.sleep(until: deadline, clock: .continuous)
            said.finish()
        }
        defer { timer.cancel() }
        for await result in results { return try result.get() }
        throw Task.isCancelled ? .cancelled : .requestNotSigned(identity: identity ?? "")
    }
}
