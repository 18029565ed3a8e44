internal import HTTPClient

/// The reason why a list was not obtained. The reason says nothing about any document: without the list,
/// revocation is undetermined (Q182).
package enum TrustFetchError: Error, Hashable, Sendable {
    /// The location is not allowed. No request was sent.
    case locationRefused(LocationFault)
    /// The time limit for this part of the download was exceeded.
    case timedOut(FetchPhase)
    /// The list, or its announced length, exceeds `limit` bytes.
    case tooLarge(limit: Int)
    /// The server answered with an HTTP status other than 200.
    case status(Int)
    /// The server redirects to another host, or to another port of the same host.
    case redirectedElsewhere
    /// The server redirects to a location without TLS.
    case redirectedToPlaintext
    /// The server redirects more than `limit` times.
    case redirectedTooOften(limit: Int)
    /// The body has a content coding, such as compression, although none was requested.
    case contentEncoded
    /// TLS with the server failed.
    case tls(TLSFault)
    /// The host's name has no address.
    case nameUnresolved
    /// No address of the host accepts the connection, or the connection broke before a response.
    case unreachable
    /// The connection ended before the response was complete.
    case truncated
    /// The response is not HTTP.
    case malformed
    /// The task was cancelled.
    case cancelled
    /// The PEM with the roots for verifying servers has no certificate, or a certificate that cannot be read.
    case serverRootsUnreadable
    /// libcurl is not installed.
    case libraryMissing
}

/// The reason why a location is not requested.
package enum LocationFault: String, Sendable {
    /// The location is not a URL, is too long, or contains characters that are not allowed in a URL.
    case unreadable
    /// The location is neither `https:` nor, for a CRL, `http:`.
    case schemeRefused = "scheme_refused"
    /// The location has a user name or a password, which are never sent.
    case credentials
    /// The list is a root of a VICAL provider. Such roots are pinned by hand and never fetched.
    case pinned
}

/// The part of a download that took too long.
package enum FetchPhase: String, Sendable {
    /// Resolving the host's name, connecting, and the TLS handshake.
    case connect
    /// The head of the response.
    case headers
    /// The next bytes of the body.
    case progress
    /// The whole download of one list, redirects included.
    case whole
    /// All lists of one `fetch` call.
    case batch
}

/// The fault of a server's TLS.
package enum TLSFault: String, Sendable {
    /// The server's certificate was not issued under a known root, or is not valid now.
    case certificateRefused = "certificate_refused"
    /// The server's certificate is for another host.
    case hostNameWrong = "host_name_wrong"
    /// The handshake failed: the server does not support TLS, or only in a form that is not secure enough.
    case handshakeFailed = "handshake_failed"
}

extension TrustFetchError {
    /// The stable id of the error, for programs.
    package var id: String {
        switch self {
        case .locationRefused(let fault): "location_\(fault.rawValue)"
        case .timedOut(let phase): "timed_out_\(phase.rawValue)"
        case .tooLarge: "too_large"
        case .status(let code): "status_\(code)"
        case .redirectedElsewhere: "redirected_elsewhere"
        case .redirectedToPlaintext: "redirected_to_plaintext"
        case .redirectedTooOften: "redirected_too_often"
        case .contentEncoded: "content_encoded"
        case .tls(let fault): "tls_\(fault.rawValue)"
        case .nameUnresolved: "name_unresolved"
        case .unreachable: "unreachable"
        case .truncated: "truncated"
        case .malformed: "malformed"
        case .cancelled: "cancelled"
        case .serverRootsUnreadable: "server_roots_unreadable"
        case .libraryMissing: "library_missing"
        }
    }

    /// A description of the error for a person. No description says that a document or certificate is revoked
    /// (Q182).
    package var explanation: String {
        switch self {
        case .locationRefused(let fault): fault.explanation
        case .timedOut(.connect): "no connection to the server was made in time"
        case .timedOut(.headers): "the server took too long to answer"
        case .timedOut(.progress): "the server stopped in the middle of its answer"
        case .timedOut(.whole): "the download of the whole list took too long"
        case .timedOut(.batch): "the downloads of all lists together took too long"
        case .tooLarge(let limit): "the list is longer than \(limit) bytes"
        case .status(let code): "the server answers with status \(code)"
        case .redirectedElsewhere: "the server redirects to another host, which is not allowed"
        case .redirectedToPlaintext: "the server redirects to a location without TLS, which is not allowed"
        case .redirectedTooOften(let limit): "the server redirects more than \(limit) times"
        case .contentEncoded: "the answer is compressed, although that was not requested"
        case .tls(.certificateRefused):
            "the server's certificate was not issued by a known root, or is not valid now"
        case .tls(.hostNameWrong): "the server's certificate is for another host"
        case .tls(.handshakeFailed): "the TLS handshake with the server failed"
        case .nameUnresolved: "the host's name cannot be resolved: check the network connection"
        case .unreachable: "the host cannot be reached: check the network connection"
        case .truncated: "the answer was cut off"
        case .malformed: "the answer is not HTTP"
        case .cancelled: "the download was interrupted"
        case .serverRootsUnreadable:
            "the certificates that verify servers cannot be read: check the PEM file or, for the system's certificates, run apt-get install ca-certificates"
        case .libraryMissing: "libcurl, which downloads lists, is not installed: run apt-get install libcurl4"
        }
    }
}

extension LocationFault {
    /// A description of the fault for a person.
    package var explanation: String {
        switch self {
        case .unreadable: "the location is not a URL"
        case .schemeRefused: "the URL must begin with https:; for a CRL, http: is allowed too"
        case .credentials: "a URL with a user name or a password is not allowed"
        case .pinned:
            "a provider's root is not imported from a URL: download it, compare its fingerprint with the published one, then import the file"
        }
    }
}

extension TrustFetchError {
    /// Translates an error of the HTTP client.
    ///
    /// - Parameters:
    ///   - limits: the maximum size of this list, and of all lists of the call together, in bytes.
    ///   - whole: the limit that determined the request's maximum time: `whole` for the time limit of one
    ///     list, `batch` for the time limit of all lists.
    init(_ error: ClientError, limits: (list: Int, all: Int), whole: FetchPhase) {
        self =
            switch error {
            case .libraryMissing: .libraryMissing
            // A fetcher has no credentials, so only the roots can be unreadable.
            case .rootsUnreadable, .credentialsUnreadable: .serverRootsUnreadable
            case .nameUnresolved: .nameUnresolved
            case .unreachable: .unreachable
            case .tls(.certificateRefused): .tls(.certificateRefused)
            case .tls(.hostNameWrong): .tls(.hostNameWrong)
            case .tls(.handshakeFailed): .tls(.handshakeFailed)
            case .timedOut(.connect): .timedOut(.connect)
            case .timedOut(.head): .timedOut(.headers)
            case .timedOut(.progress): .timedOut(.progress)
            case .timedOut(.whole): .timedOut(whole)
            case .tooLarge: .tooLarge(limit: limits.list)
            case .noRoom: .tooLarge(limit: limits.all)
            case .truncated: .truncated
            case .malformed: .malformed
            case .encoded: .contentEncoded
            case .cancelled: .cancelled
            }
    }
}
