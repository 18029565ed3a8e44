internal import SystemPackage

extension TransportError {
    /// What a failed read means: a reset connection is a peer that closed.
    static func receiving(_ error: Errno) -> TransportError {
        error == .connectionReset ? .closed(by: .peer) : .system(error)
    }

    /// What a failed write means.
    static func sending(_ error: Errno) -> TransportError {
        error == .brokenPipe || error == .connectionReset ? .closed(by: .peer) : .system(error)
    }

    /// Runs system calls and names their failure.
    static func wrapping<Value: ~Copyable>(
        _ body: () throws(Errno) -> Value
    ) throws(TransportError) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}

extension SocketPoller.Outcome {
    /// Returns when the socket is ready and throws otherwise, with the wait's name.
    func orThrow(_ wait: ChannelDeadline) throws(TransportError) {
        switch self {
        case .ready: return
        case .deadlinePassed: throw .deadlinePassed(wait)
        case .cancelled: throw .cancelled
        case .closed: throw .closed(by: .own)
        }
    }
}
