internal import Dispatch
internal import Glibc
package import NDEF
internal import Synchronization
package import Transport

/// Waits until a descriptor is ready, the deadline has passed or the task is cancelled.
enum DescriptorWait {
    static func writable(_ descriptor: Int32, within limit: Duration, on queue: DispatchQueue) async {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        await wait(for: source, within: limit, on: queue)
    }

    /// Whoever waits may close the descriptor afterwards: nothing watches it any more.
    private static func wait(
        for source: any DispatchSourceProtocol, within limit: Duration, on queue: DispatchQueue
    ) async {
        let (seconds, attoseconds) = limit.components
        let time = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        nonisolated(unsafe) let source = source
        let alarm = DispatchWorkItem { unsafe source.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                unsafe source.setEventHandler { unsafe source.cancel() }
                unsafe source.setCancelHandler {
                    unsafe source.setEventHandler(handler: nil)
                    continuation.resume()
                }
                unsafe source.activate()
                queue.asyncAfter(deadline: .now() + .milliseconds(time), execute: alarm)
            }
        } onCancel: {
            unsafe source.cancel()
        }
        alarm.cancel()
    }
}

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
        let error: Int32
        if socket.beginConnecting(to: L2CAPAddress(peer), psm: psm) {
            let descriptor = socket.withDescriptor { $0 }
            let deadline = ContinuousClock.now + configuration.connection
            await DescriptorWait.writable(
                descriptor, within: configuration.connection, on: daemon.bus.queue.queue)
            error = ContinuousClock.now < deadline ? socket.connectError : ETIMEDOUT
        } else {
            error = errno
        }
        guard error == 0, !Task.isCancelled else {
            _ = consume socket
            await daemon.remove(peer.path, at: adapter)
            throw failure(error)
        }
        let link = L2CAPLink(
            socket, daemon: daemon, adapter: adapter, device: peer.path, attempts: attempts)
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
