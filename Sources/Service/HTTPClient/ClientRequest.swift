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
