internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

extension TrustFetchError {
    /// What an error of the client below means here.
    ///
    /// - Parameter phase: what was waited for when nothing came: the head or more of the body.
    init(_ error: any Error, in phase: FetchPhase) {
        self =
            switch error {
            case let error as TrustFetchError: error
            case let error as HTTPClientError: Self(error, in: phase)
            case let error as NIOSSLError: Self(error)
            case is NIOSSLExtraError: .tls(.hostNameWrong)
            case let error as HTTPParserError: error == .invalidEOFState ? .truncated : .malformed
            case let error as NIOConnectionError:
                error.connectionErrors.isEmpty ? .nameUnresolved : .unreachable
            case ChannelError.connectTimeout: .timedOut(.connect)
            case is CancellationError: .cancelled
            default: phase == .progress ? .truncated : .unreachable
            }
    }

    private init(_ error: HTTPClientError, in phase: FetchPhase) {
        self =
            switch error {
            case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout: .timedOut(.connect)
            case .deadlineExceeded, .readTimeout: .timedOut(phase)
            case .cancelled: .cancelled
            case .remoteConnectionClosed, .uncleanShutdown: .truncated
            default: .malformed
            }
    }

    private init(_ error: NIOSSLError) {
        switch error {
        case .uncleanShutdown: self = .truncated
        case .unableToValidateCertificate, .noCertificateToValidate: self = .tls(.certificateRefused)
        case .handshakeFailed(let cause):
            // The library distinguishes this error from others only by its text.
            let isRefusal = String(describing: cause).contains("CERTIFICATE_VERIFY_FAILED")
            self = .tls(isRefusal ? .certificateRefused : .handshakeFailed)
        default: self = .tls(.handshakeFailed)
        }
    }
}
