internal import HTTPClient

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
