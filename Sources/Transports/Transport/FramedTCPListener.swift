internal import SystemPackage

/// A TCP listener whose connections are framed channels.
package actor FramedTCPListener {
    /// The address of the listener. If port 0 was requested, the address has the port that the system chose.
    package nonisolated let address: SocketAddress
    private let poller: SocketPoller
    private let configuration: FramedTCPConfiguration
    private var socket: Socket?
    private var isAccepting = false

    /// Listens on an address.
    ///
    /// - Throws: `connectionRefused` if the address cannot be used, `system` if no socket can be made.
    package init(
        on address: SocketAddress, configuration: FramedTCPConfiguration = FramedTCPConfiguration()
    ) throws(TransportError) {
        poller = try SocketPoller.shared
        self.configuration = configuration
        let socket = try Socket.open(for: address)
        do throws(TransportError) {
            try socket.listen(on: address)
            self.address = address.replacingPort(with: try socket.localPort())
        } catch .system(let error) {
            throw .connectionRefused(error)
        }
        self.socket = consume socket
    }

    /// Waits for the next connection, until the listener is closed or the task is cancelled.
    package func accept() async throws(TransportError) -> FramedTCPChannel {
        guard !isAccepting else { throw .alreadyWaiting }
        isAccepting = true
        defer { isAccepting = false }
        while true {
            if Task.isCancelled { throw .cancelled }
            if let channel = try acceptOnce() { return channel }
            guard let descriptor = socket?.descriptor else { throw .closed(by: .own) }
            // This wait has no deadline, so the name `connect` never appears in an error.
            try await poller.wait(for: .readable, on: descriptor, until: nil).orThrow(.connect)
        }
    }

    /// Stops listening. Accepted channels stay open.
    package func close() {
        guard let descriptor = socket?.descriptor else { return }
        poller.end(waitsOn: descriptor)
        socket = nil
    }

    /// Accepts a connection that is waiting; `nil` if no connection is waiting.
    private func acceptOnce() throws(TransportError) -> FramedTCPChannel? {
        guard socket != nil else { throw .closed(by: .own) }
        do throws(TransportError) {
            guard let accepted = try socket?.accept() else { return nil }
            return FramedTCPChannel(accepted, poller: poller, configuration: configuration)
        } catch .system(.resourceTemporarilyUnavailable) {
            return nil
        } catch .system(.connectionAbort) {
            return nil  // The peer left before its connection was accepted.
        }
    }
}
