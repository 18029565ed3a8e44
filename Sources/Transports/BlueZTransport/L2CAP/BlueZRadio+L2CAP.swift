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
    /// Tries once; the kernel makes the connection for the channel (Q63).
    fileprivate func channel(
        to peer: Peer, psm: UInt16, attempts: Int
    ) async throws(ConnectFailure) -> L2CAPLink {
        let own = await daemon.properties(adapter, "org.bluez.Adapter1")
        guard let own = L2CAPAddress(own), let socket = L2CAPSocket.bound(to: own) else { throw .noSocket }
        await daemon.take(peer.path)
        var error = socket.beginConnecting(to: L2CAPAddress(peer), psm: psm)
        if error == 0 {
            let deadline = ContinuousClock.now + configuration.connection
            await DescriptorWait.writable(
                socket.withDescriptor { $0 }, within: configuration.connection, on: daemon.bus.queue.queue)
            error = ContinuousClock.now < deadline ? socket.connectError : ETIMEDOUT
        }
        guard error == 0, !Task.isCancelled else {
            _ = consume socket
            await daemon.remove(peer.path, at: adapter)
            throw failure(error)
        }
        let link = L2CAPLink(
            socket, daemon: daemon, adapter: adapter, device: peer.path, attempts: attempts,
            verdict: configuration.verdict)
        await link.start()
        return link
    }

    private func failure(_ error: Int32) -> ConnectFailure {
        if Task.isCancelled { return .radio(.cancelled) }
        switch error {
        case ETIMEDOUT: return .overdue
        case ECONNABORTED, EINTR, EAGAIN, EBUSY: return .aborted
        case ENETDOWN, ENODEV: return .radio(.adapterOff)
        case EHOSTDOWN, EHOSTUNREACH: return .peerLeft
        default: return .refused
        }
    }
}
