package import JSON

/// Why the daemon gave no answer that can be used.
package enum DaemonClientError: Error, Equatable, Sendable {
    /// Nobody listens at the socket, or the connection broke.
    case unreachable(path: String, errno: Int32)
    /// What listens there does not speak HTTP/1.1.
    case notAnAnswer(path: String)
    /// The daemon refuses; what it says of why (RFC 9457).
    case refused(String)
    case malformed(JSONFault)
}
