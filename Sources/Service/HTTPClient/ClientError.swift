internal import CCurl

/// Why there is no response.
package enum ClientError: Error, Hashable, Sendable {
    /// libcurl is not installed, or is older than the options that are set.
    case libraryMissing
    /// The certificates that verify servers cannot be read.
    case rootsUnreadable
    /// The client's own certificate and key cannot be read, or do not belong together.
    case credentialsUnreadable
    case nameUnresolved
    /// No address of the host takes the connection.
    case unreachable
    case tls(ClientTLSFault)
    case timedOut(ClientPhase)
    /// The body is longer than the limit, or was announced to be.
    case tooLarge
    /// The request's `hasRoom` refused a piece of the body.
    case noRoom
    /// The connection ended before the response did.
    case truncated
    /// The response is not HTTP, or its head is too long.
    case malformed
    /// The body is compressed for its transfer, which no request asks for.
    case encoded
    /// The task was cancelled, or the client closed.
    case cancelled
}

/// The part of a response that a server had its time for.
package enum ClientPhase: Hashable, Sendable {
    /// The host's address, the connection and the TLS handshake.
    case connect
    case head
    /// The next bytes of the body.
    case progress
    /// The response from the connection to its last byte.
    case whole
}

/// What about a server's TLS was not good.
package enum ClientTLSFault: Hashable, Sendable {
    /// Its certificate is of no known root, or outside its validity.
    case certificateRefused
    case hostNameWrong
    /// There was no handshake: the server speaks no TLS, or none that is good enough.
    case handshakeFailed
}

extension ClientError {
    /// Names libcurl's error for a transfer.
    ///
    /// - Parameters:
    ///   - verification: OpenSSL's result of verifying the server's certificate.
    ///   - phase: what was waited for.
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
            // libcurl compares the name before it takes over OpenSSL's result, which is 1 (unspecified) until then.
            case CURLE_PEER_FAILED_VERIFICATION:
                .tls(verification > 1 ? .certificateRefused : .hostNameWrong)
            case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .truncated
            // libcurl distinguishes this error from others only by its text.
            case CURLE_RECV_ERROR where words.contains("chunked-encoding"): .malformed
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR: phase == .connect ? .unreachable : .truncated
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY,
                CURLE_BAD_CONTENT_ENCODING:
                .malformed
            // A line of the head that is too long for libcurl; from 8.6 on the code is 100.
            case CURLE_OUT_OF_MEMORY where phase == .head, CURLcode(rawValue: 100): .malformed
            default: phase == .connect ? .unreachable : .truncated
            }
    }
}
