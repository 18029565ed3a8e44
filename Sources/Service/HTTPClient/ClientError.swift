internal import CCurl

/// The reason why a request has no response.
package enum ClientError: Error, Hashable, Sendable {
    /// libcurl is not installed, or is too old for an option that is needed.
    case libraryMissing
    /// The root certificates for the verification of servers cannot be read.
    case rootsUnreadable
    /// The client's own certificate and key cannot be read, or do not belong together.
    case credentialsUnreadable
    /// The host's name has no address.
    case nameUnresolved
    /// No address of the host accepts the connection.
    case unreachable
    /// TLS with the server failed.
    case tls(ClientTLSFault)
    /// The time limit of this part of the exchange has passed.
    case timedOut(ClientPhase)
    /// The body, or its announced length, exceeds the limit.
    case tooLarge
    /// The request's `hasRoom` refused a piece of the body.
    case noRoom
    /// The connection ended before the response was complete.
    case truncated
    /// The response is not HTTP, or its head is too long.
    case malformed
    /// The response has a transfer coding other than `chunked` and `identity`, such as compression. The
    /// client never requests such a coding.
    case encoded
    /// The task was cancelled, or the client closed.
    case cancelled
}

/// A part of an exchange with a server. Each part has a separate time limit.
package enum ClientPhase: Hashable, Sendable {
    /// The lookup of the host's address, the connection and the TLS handshake.
    case connect
    /// The head of the response.
    case head
    /// The next bytes of the body.
    case progress
    /// The whole exchange, from the connection to the last byte of the response.
    case whole
}

/// The reason why TLS with a server failed.
package enum ClientTLSFault: Hashable, Sendable {
    /// The server's certificate was not issued under a known root, or is not valid now.
    case certificateRefused
    /// The server's certificate is for another host.
    case hostNameWrong
    /// The handshake failed: the server does not support TLS, or only in a form that is not secure enough.
    case handshakeFailed
}

extension ClientError {
    /// Translates libcurl's error of a transfer.
    ///
    /// - Parameters:
    ///   - verification: OpenSSL's result of verifying the server's certificate.
    ///   - phase: the part of the exchange in which the error occurred.
    ///   - words: libcurl's text of the error.
    init(_ code: CURLcode, verification: Int, in phase: ClientPhase, words: String) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .nameUnresolved
            case CURLE_COULDNT_CONNECT: .unreachable
            case CURLE_OPERATION_TIMEDOUT: .timedOut(phase)
            case CURLE_SSL_CACERT_BADFILE: .rootsUnreadable
            case CURLE_SSL_CERTPROBLEM: .credentialsUnreadable
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .tls(.handshakeFailed)
            // libcurl compares the host's name before it stores OpenSSL's result. If the name is wrong,
            // `verification` is 1 (unspecified). A value above 1 means that OpenSSL refused the certificate.
            case CURLE_PEER_FAILED_VERIFICATION:
                .tls(verification > 1 ? .certificateRefused : .hostNameWrong)
            case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .truncated
            // libcurl distinguishes this error from others only by its text.
            case CURLE_RECV_ERROR where words.contains("chunked-encoding"): .malformed
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR: phase == .connect ? .unreachable : .truncated
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY,
                CURLE_BAD_CONTENT_ENCODING:
                .malformed
            // A line of the head is too long for libcurl. Since 8.6 the code for this is 100
            // (CURLE_TOO_LARGE), which older headers do not have.
            case CURLE_OUT_OF_MEMORY where phase == .head, CURLcode(rawValue: 100): .malformed
            // After the request was sent, an unknown error does not mean that the host is unreachable.
            default: phase == .connect ? .unreachable : .truncated
            }
    }
}
