internal import Glibc
package import NDEF
package import Transport

extension BlueZRadio {
    package func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let connecting = try await beginConnecting()
        defer { endConnecting() }
        return try await connecting.link(to: uuid) { peer, number throws(ConnectFailure) in
            try await connecting.channel(to: peer, psm: psm, attempts: number)
        }
    }
}

extension PeerConnecting {
    /// Makes one attempt to open a channel. The kernel connects to the peer if it is not connected (Q63).
    fileprivate func channel(
        to peer: Peer, psm: UInt16, attempts: Int
    ) async throws(ConnectFailure) -> L2CAPLink {
        await daemon.beginTransaction(with: peer.path)
        do throws(ConnectFailure) {
            let socket = try await L2CAPSocket.connected(
                to: L2CAPAddress(peer), psm: psm, from: adapter, in: daemon, within: configuration.connection)
            let link = L2CAPLink(
                socket, daemon: daemon, adapter: adapter, device: peer.path, attempts: attempts,
                lossReportDelay: configuration.lossReportDelay)
            await link.start()
            return link
        } catch {
            await daemon.remove(peer.path, at: adapter)
            throw error
        }
    }
}

extension L2CAPSocket {
    /// Opens a channel to a peer. If the peer is not connected, the kernel connects to it.
    static func connected(
        to peer: L2CAPAddress, psm: UInt16, from adapter: String, in daemon: Daemon, within limit: Duration
    ) async throws(ConnectFailure) -> L2CAPSocket {
        let own = await daemon.properties(adapter, "org.bluez.Adapter1")
        guard let own = L2CAPAddress(own), let socket = L2CAPSocket.bound(to: own) else { throw .noSocket }
        var error = socket.beginConnecting(to: peer, psm: psm)
        if error == 0 {
            let deadline = ContinuousClock.now + limit
            await daemon.bus.queue.untilWritable(socket.withDescriptor { $0 }, within: limit)
            error = ContinuousClock.now < deadline ? socket.connectError : ETIMEDOUT
        }
        if Task.isCancelled { throw .radio(.cancelled) }
        if let failure = ConnectFailure(connecting: error) { throw failure }
        return socket
    }
}

extension ConnectFailure {
    /// Converts the error number of a failed connection; `nil` for zero.
    fileprivate init?(connecting error: Int32) {
        switch error {
        case 0: return nil
        case ECONNREFUSED: self = .channelRefused
        case ETIMEDOUT: self = .overdue
        case ECONNABORTED, EINTR, EAGAIN, EBUSY: self = .aborted()
        case ENETDOWN, ENODEV: self = .radio(.adapterOff())
        case EHOSTDOWN, EHOSTUNREACH: self = .peerLeft
        default: self = .refused()
        }
    }
}
