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
