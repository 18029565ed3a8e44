package import OpenSSLCrypto

/// An HTTP/1.1 client on libcurl and OpenSSL, for several requests at a time. Each response has limits of
/// size and time.
///
/// Such a client downloads lists of issuers, sends webhooks, and carries a kiosk's calls to its hub.
/// `send(_:)` may be called from any task. All transfers of a client are made by one thread (`TransferLoop`),
/// which runs while there are transfers or connections.
///
/// - A request is sent with the headers of its `headers`, but without cookies, credentials and `Referer`.
/// - A redirect is not followed, but returned as a response.
/// - No proxy of the environment is used, and nothing is decompressed.
/// - TLS is 1.2 or newer, and the server's certificate and name are always verified.
/// - Nothing is stored. Only idle connections are kept, for as long as `keepsConnections` says.
///
/// Cancelling the task of a request ends the request immediately. The owner of a client has to close it.
/// Releasing it without `close()` ends its thread too, but does not wait until the connections are closed.
package final class CurlClient: Sendable {
    private let loop: TransferLoop

    /// Creates a client, which connects only when a request is sent.
    ///
    /// - Parameters:
    ///   - keepsConnections: the time for which an idle connection is kept for the next request, in whole
    ///     seconds; `nil` if each request has a separate connection.
    ///   - connectionsPerHost: the maximum number of connections to one host. Other requests wait for a
    ///     connection, and this wait counts towards their time limits.
    package init(
        _ trust: ClientTrust, keepsConnections: Duration? = nil, connectionsPerHost: Int = 8
    ) {
        loop = TransferLoop(
            trust, reuse: keepsConnections.map(ConnectionReuse.within) ?? .never,
            connectionsPerHost: connectionsPerHost)
    }

    // A client that was not closed must not leave its thread running.
    deinit { loop.stop() }

    /// Sends a request and returns its response. Any status is a response.
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

    /// Cancels the requests in progress, and waits until no connection is left. Later requests fail as
    /// cancelled.
    package func close() async { await loop.close() }
}

/// An HTTP request, and the limits of its response.
package struct ClientRequest: Sendable {
    /// The URL, with `http:` or `https:`.
    package var url: String
    /// The headers, which are sent as they are. Only `Host` and `Content-Length` are added.
    package var headers: [(name: String, value: String)]
    /// The body of a POST; `nil` for a GET.
    package var body: [UInt8]?
    package var limits: ClientLimits
    /// A function that decides from the head of the response whether the body is read. If the function
    /// returns `false`, the response ends with its head and has no body.
    package var wantsBody: @Sendable (ClientResponse) -> Bool = { _ in true }
    /// A function that decides whether this many more bytes of the body are accepted. Called before each
    /// piece of the body is stored.
    package var hasRoom: @Sendable (Int) -> Bool = { _ in true }

    package init(
        _ url: String, headers: [(name: String, value: String)], body: [UInt8]? = nil, limits: ClientLimits
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.limits = limits
    }
}

/// The limits of a response: times and size. Each time except `progress` is measured from the start of the
/// request.
package struct ClientLimits: Sendable {
    /// The maximum time for the lookup of the host's address, the connection and the TLS handshake.
    package var connect: Duration
    /// The maximum time to the end of the response's head, connection included; `nil` if only `whole` limits
    /// this time.
    package var head: Duration?
    /// The maximum time from the sent request to the response's head, and between two pieces of the body;
    /// `nil` if only `whole` limits these times.
    package var progress: Duration?
    /// The maximum time of the whole response.
    package var whole: Duration
    /// The maximum size of the body in bytes.
    package var bodySize: Int

    /// The maximum size of the head in bytes, including interim responses and trailers.
    static let headSize = 80 * 1024

    package init(
        connect: Duration, head: Duration? = nil, progress: Duration? = nil, whole: Duration, bodySize: Int
    ) {
        self.connect = connect
        self.head = head
        self.progress = progress
        self.whole = whole
        self.bodySize = bodySize
    }
}

/// An HTTP response.
package struct ClientResponse: Sendable {
    package internal(set) var status: Int
    package internal(set) var headers: [(name: String, value: String)] = []
    package internal(set) var body: [UInt8] = []

    /// Returns the values of a header in the order in which they came. The name may have any case.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// The root certificates for the verification of servers, and the client's own credentials.
///
/// TLS is 1.2 or newer. Every server certificate is verified, and compared with the host's name.
package struct ClientTrust: Sendable {
    package enum Roots: Sendable {
        /// The roots of the operating system (ca-certificates).
        case system
        /// These certificates, in PEM, and no others.
        case pem([UInt8])
    }

    let roots: Roots
    let credentials: ClientCredentials?

    package init(_ roots: Roots, showing credentials: ClientCredentials? = nil) {
        self.roots = roots
        self.credentials = credentials
    }
}

/// A client's certificate and key in PEM. `certificates` begins with the client's certificate, followed by
/// the certificates above it.
package final class ClientCredentials: Sendable {
    let certificates: [UInt8]
    let key: SecretBytes

    package init(certificates: [UInt8], key: consuming SecretBytes) {
        self.certificates = certificates
        self.key = key
    }
}
