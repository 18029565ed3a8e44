internal import CCurl
internal import Synchronization

/// A request in progress. A task waits for its result; the thread of the `TransferLoop` does everything
/// else.
///
/// The task uses this object before the transfer is started, and the thread uses it afterwards. Only
/// `cancel()` may be called at any time.
@safe final class Transfer: @unchecked Sendable {  // touched by one thread at a time
    private let request: ClientRequest
    /// Passes the result to the task that waits. Set before the transfer is started.
    var completion: (@Sendable (Result<ClientResponse, ClientError>) -> Void)?
    private let isCancelled = Atomic(false)
    private var reader: ResponseReader
    /// The error with which a callback ended the transfer.
    private var failure: ClientError?
    private var easy: EasyHandle?

    init(_ request: ClientRequest, at now: ContinuousClock.Instant) {
        self.request = request
        reader = ResponseReader(request, at: now)
    }

    /// Makes the loop end the transfer as soon as its thread runs again. Call `TransferLoop.wake()`
    /// afterwards.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    var deadline: ContinuousClock.Instant { reader.deadline.instant }

    /// libcurl's handle; `nil` before `prepare` and after `end`.
    var handle: LibCurl.Handle? { unsafe easy?.pointer }

    /// Makes libcurl's handle. The handle's callbacks use this object until `end`.
    func prepare(_ curl: LibCurl, trusting trust: ClientTrust, reuse: ConnectionReuse) throws(ClientError) {
        let easy = try EasyHandle(curl)
        try easy.set(request)
        try easy.set(trust)
        try easy.set(reuse)
        try unsafe easy.receive(
            // Not retained, because the loop keeps this object until `end` has freed the handle.
            into: Unmanaged.passUnretained(self).toOpaque(),
            connected: { context, _, _, _, _ in
                unsafe Transfer.from(context)?.reader.connect(at: .now)
                return CURL_PREREQFUNC_OK
            },
            line: { bytes, _, count, context in
                unsafe Transfer.from(context)?.receive(bytes, count: count) {
                    reader, line throws(ClientError) in try unsafe reader.receive(line: line, at: .now)
                } ?? 0
            },
            piece: { bytes, _, count, context in
                // A complete response accepts no further bytes. Returning a number other than `count` ends
                // the transfer.
                guard let transfer = unsafe Transfer.from(context), !transfer.reader.isComplete else {
                    return count == 0 ? 1 : 0
                }
                return unsafe transfer.receive(bytes, count: count) {
                    reader, piece throws(ClientError) in try unsafe reader.receive(piece: piece, at: .now)
                }
            })
        self.easy = consume easy
    }

    /// The transfer that libcurl passes to its callbacks.
    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Passes bytes to the reader.
    ///
    /// - Returns: the number of bytes that were accepted. Any number but `count` ends the transfer.
    private func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, count: Int,
        body: (inout ResponseReader, UnsafeRawBufferPointer) throws(ClientError) -> Void
    ) -> Int {
        do throws(ClientError) {
            try unsafe body(&reader, UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        } catch {
            failure = error
            return count == 0 ? 1 : 0
        }
    }

    /// Returns the result of a transfer that has to end before libcurl ends it, because the transfer was
    /// cancelled, has failed, is complete, or is overdue. `nil` if the transfer continues.
    func earlyResult(at now: ContinuousClock.Instant) -> Result<ClientResponse, ClientError>? {
        if isCancelled.load(ordering: .relaxed) { return .failure(.cancelled) }
        if let failure { return .failure(failure) }
        if reader.isComplete { return result() }
        let deadline = reader.deadline
        return deadline.instant <= now ? .failure(.timedOut(deadline.phase)) : nil
    }

    /// Returns the result of a transfer that libcurl has ended with a code.
    func result(_ code: CURLcode = CURLE_OK) -> Result<ClientResponse, ClientError> {
        if let failure { return .failure(failure) }
        // After a complete response `piece` refuses further bytes, which libcurl reports as an error.
        guard code == CURLE_OK || reader.isComplete else {
            return .failure(easy?.error(code, in: reader.phase) ?? .libraryMissing)
        }
        // Without TLS there is no closing alert, so the end of the connection counts as the end of the body.
        let isSecured = request.url.prefix(6).lowercased() == "https:"
        let wasCut = isSecured && easy?.hasClosureAlert != true
        return Result { () throws(ClientError) in try reader.finish(wasCut: wasCut) }
    }

    /// Frees libcurl's handle and passes the result to the task.
    func end(_ result: Result<ClientResponse, ClientError>) {
        easy = nil
        completion?(result)
    }
}
