/// Sends HTTP/1.1 requests through libcurl and OpenSSL, within limits, several at a time.
///
/// A request carries the headers that it names and no cookie, no credential and no `Referer`. No redirect is followed, no proxy of
/// the environment is used, nothing is decompressed, and nothing is kept but connections. Cancelling the task ends its request at
/// once.
///
/// Whoever makes a client closes it: connections and their thread stay until then, or until they have been idle for their time.
package final class CurlClient: Sendable {
    private let loop: TransferLoop

    /// - Parameters:
    ///   - keepsConnections: how long an idle connection is kept for the next request, in whole seconds; nil for a connection for
    ///     each request.
    ///   - connectionsPerHost: the maximum number of connections to one host; further requests wait for one, within their own time.
    package init(
        _ trust: ClientTrust, keepsConnections: Duration? = nil, connectionsPerHost: Int = 8
    ) {
        loop = TransferLoop(
            trust, reuse: keepsConnections.map(ConnectionReuse.within) ?? .never,
            connectionsPerHost: connectionsPerHost)
    }

    deinit { loop.stop() }

    package func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        let transfer = Transfer(request, at: .now)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.completion = { continuation.resume(returning: $0) }
                loop.start(transfer)
            }
        } onCancel: {
            transfer.cancel()
            loop.wake()
        }
        return try result.get()
    }

    /// Cancels the requests on their way, and waits until no connection is left. A request after it fails as cancelled.
    package func close() async { await loop.close() }
}
