package import OpenSSLCrypto

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

/// An HTTP request, and the limits of its response.
package struct ClientRequest: Sendable {
    /// `http:` or `https:`. A redirect is not followed: it is a response as any other.
    package var url: String
    /// Sent as they are, and no others but `Host` and `Content-Length`.
    package var headers: [(name: String, value: String)]
    /// The body of a POST; nil for a GET.
    package var body: [UInt8]?
    package var limits: ClientLimits
    /// Whether the body is read after this head. If it is not, the response ends with its head and has no body.
    package var wantsBody: @Sendable (ClientResponse) -> Bool = { _ in true }
    /// Whether there is room for so many bytes more of the body. Asked before each piece.
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

/// How long a server has, and how much it may send. Each time begins with the request but that of `progress`.
package struct ClientLimits: Sendable {
    /// For the host's address, the connection and the TLS handshake.
    package var connect: Duration
    /// For the whole head of the response, connection included; nil for as long as `whole`.
    package var head: Duration?
    /// From the request to the head, and between two pieces of the body; nil for as long as `whole`.
    package var progress: Duration?
    /// For the whole response.
    package var whole: Duration
    /// The longest body in bytes.
    package var bodySize: Int

    /// The longest head in bytes, those of interim responses and trailers included.
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

    /// The values of a header, whose name has any case, in the order in which they came.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// The roots that verify servers, and what the client shows for itself. TLS is 1.2 or newer, and every certificate is verified with
/// the host's name.
package struct ClientTrust: Sendable {
    package enum Roots: Sendable {
        /// The roots of the operating system (ca-certificates).
        case system
        /// These certificates (PEM) and no others.
        case pem([UInt8])
    }

    let roots: Roots
    let credentials: ClientCredentials?

    package init(_ roots: Roots, showing credentials: ClientCredentials? = nil) {
        self.roots = roots
        self.credentials = credentials
    }
}

/// A client's certificate with those above it, and its key, in PEM.
package final class ClientCredentials: Sendable {
    let certificates: [UInt8]
    let key: SecretBytes

    package init(certificates: [UInt8], key: consuming SecretBytes) {
        self.certificates = certificates
        self.key = key
    }
}
