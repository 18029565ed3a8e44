internal import TrustFetch

extension TrustFetchError {
    /// In plain words. None of it says that anything is revoked (Q182).
    var explanation: String {
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
        }
    }
}

extension LocationFault {
    /// In plain words.
    var explanation: String {
        switch self {
        case .unreadable: "it is not a URL"
        case .schemeRefused: "only https: is allowed, and http: for CRLs"
        case .credentials: "a URL with a user name or a password is not allowed"
        case .pinned:
            "a provider's root is not imported from a URL: download it, compare its fingerprint with the published one, then import the file"
        }
    }
}
