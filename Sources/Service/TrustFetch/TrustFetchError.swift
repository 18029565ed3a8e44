internal import HTTPClient

/// Why a list was not obtained. None of it says anything about a document: who has no list holds the revocation for
/// undetermined (Q182).
package enum TrustFetchError: Error, Hashable, Sendable {
    /// No request was sent: the location is not allowed.
    case locationRefused(LocationFault)
    case timedOut(FetchPhase)
    /// The list is longer than this many bytes, or was announced to be.
    case tooLarge(limit: Int)
    /// The server answered with another HTTP status than the list's.
    case status(Int)
    /// The list is said to be at another host, or at another port of the same.
    case redirectedElsewhere
    /// The list is said to be there without TLS.
    case redirectedToPlaintext
    /// The server redirected once more after this many redirects.
    case redirectedTooOften(limit: Int)
    /// The body is compressed, which was not asked for.
    case contentEncoded
    case tls(TLSFault)
    case nameUnresolved
    /// No address of the host takes the connection, or it broke before an answer.
    case unreachable
    /// The connection ended before the answer did.
    case truncated
    /// The answer is not HTTP.
    case malformed
    case cancelled
    /// The PEM to verify servers by has no certificate, or one that cannot be read.
    case serverRootsUnreadable
    /// libcurl is not installed.
    case libraryMissing
}

package enum LocationFault: String, Sendable {
    /// It is not a URL, is too long, or has characters that no URL has.
    case unreadable
    /// It is neither `https:` nor, for a CRL, `http:`.
    case schemeRefused = "scheme_refused"
    /// It has a user name or a password, which are never sent.
    case credentials
    /// The root of a VICAL provider, which is pinned by hand.
    case pinned
}

/// What a server had its time for.
package enum FetchPhase: String, Sendable {
    /// The host's address, the connection and the TLS handshake.
    case connect
    /// The head of the answer.
    case headers
    /// The next bytes of the body.
    case progress
    /// The list from the first connection to its last byte.
    case whole
    /// All lists of one call.
    case batch
}

/// What about a server's TLS was not good.
package enum TLSFault: String, Sendable {
    /// Its certificate is of no known root, or outside its validity.
    case certificateRefused = "certificate_refused"
    case hostNameWrong = "host_name_wrong"
    /// There was no handshake: the server speaks no TLS, or none that is good enough.
    case handshakeFailed = "handshake_failed"
}

extension TrustFetchError {
    /// A word for machines, which stays the same.
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

    /// In plain words. None of it says that anything is revoked (Q182).
    package var explanation: String {
        switch self {
        case .locationRefused(let fault): fault.explanation
        case .timedOut(.connect): "no connection to the server was made in time"
        case .timedOut(.headers): "the server took too long to answer"
        case .timedOut(.progress): "the server stopped in the middle of its answer"
        case .timedOut(.whole): "the download of the whole list took too long"
        case .timedOut(.batch): "all lists together took too long"
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
            "the certificates that verify servers cannot be read: apt-get install ca-certificates"
        case .libraryMissing: "libcurl, which downloads lists, is not installed: apt-get install libcurl4"
        }
    }
}

extension LocationFault {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .unreadable: "it is not a URL"
        case .schemeRefused: "only https: is allowed, and http: for CRLs"
        case .credentials: "a URL with a user name or a password is not allowed"
        case .pinned:
            "a provider's root is not imported from a URL: download it, compare its fingerprint with the published one, then import the file"
        }
    }
}

extension TrustFetchError {
    /// Names an error of the client below.
    ///
    /// - Parameters:
    ///   - limits: the bytes that this list and all lists together may have.
    ///   - whole: whose time is over, if it is not that of one request.
    init(_ error: ClientError, limits: (list: Int, all: Int), whole: FetchPhase) {
        self =
            switch error {
            case .libraryMissing: .libraryMissing
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
