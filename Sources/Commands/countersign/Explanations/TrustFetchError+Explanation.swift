internal import TrustFetch

extension TrustFetchError {
    /// In plain words. None of it says that anything is revoked (Q182).
    var explanation: String {
        switch self {
        case .locationRefused(let fault): fault.explanation
        case .timedOut(.connect): "no connection in time"
        case .timedOut(.headers): "the server took too long to answer"
        case .timedOut(.progress): "the server stopped in the middle of its answer"
        case .timedOut(.whole): "the list took too long as a whole"
        case .timedOut(.batch): "all lists together took too long"
        case .tooLarge(let limit): "the list is longer than \(limit) bytes"
        case .status(let code): "the server answers with status \(code)"
        case .redirectedElsewhere: "the server sends us to another host, which is not asked"
        case .redirectedToPlaintext: "the server sends us to where there is no TLS, which is not asked"
        case .redirectedTooOften(let limit): "the server sends us on more than \(limit) times"
        case .contentEncoded: "the answer is compressed, which was not asked for"
        case .tls(.certificateRefused): "the server's certificate is of no known root, or not valid now"
        case .tls(.hostNameWrong): "the server's certificate is for another host"
        case .tls(.handshakeFailed): "there is no TLS with this server"
        case .nameUnresolved: "the host's name has no address: is there internet?"
        case .unreachable: "the host cannot be reached: is there internet?"
        case .truncated: "the answer was cut off"
        case .malformed: "the answer is not HTTP"
        case .cancelled: "it was interrupted"
        case .serverRootsUnreadable: "the roots to verify servers by cannot be read"
        }
    }
}

extension LocationFault {
    /// In plain words.
    var explanation: String {
        switch self {
        case .unreadable: "it is no URL"
        case .schemeRefused: "only https: is asked, for CRLs also http:"
        case .credentials: "a URL with a user's name or a password is not asked"
        case .pinned: "a provider's root is pinned by hand: fetch it, look at it, and import the file"
        }
    }
}
