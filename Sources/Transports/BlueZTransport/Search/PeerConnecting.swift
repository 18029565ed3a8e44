internal import NDEF
internal import Transport

/// Looks for a peer and tries to reach it, again and again, inside the caller's time (Q63, Q82, Q97, Q108).
struct PeerConnecting: Sendable {
    let daemon: Daemon
    let adapter: String
    let configuration: BlueZConfiguration

    /// How often is tried where the service is not the one looked for: some show none at first (Q82).
    private static let unusableAttempts = 3

    /// Where the caller's time is over after an attempt has failed, that failure says more than that it is over.
    ///
    /// - Parameter attempt: tries once to reach a peer, and leaves nothing behind when it fails. Gets the number of the
    ///   attempt, from 1.
    func link<Link: Sendable>(
        to uuid: BluetoothUUID, _ attempt: (Peer, Int) async throws(ConnectFailure) -> Link
    ) async throws(BluetoothLEError) -> Link {
        let search = PeerSearch(for: uuid, daemon: daemon, adapter: adapter, configuration: configuration)
        var last: ConnectFailure?
        var unusable = 0
        do throws(BlueZTransportError) {
            for number in 1...max(configuration.attempts, 1) {
                if number > 1 { await search.wait(configuration.backOff) }
                // Who was reached once and comes no more has left.
                let deadline = number > 1 ? ContinuousClock.now + configuration.reappearance : nil
                guard let peer = try await search.peer(until: deadline) else { break }
                // If stopping makes bluetoothd forget the peer, discovery has to continue.
                if last?.isForgotten != true { await search.stop() }
                await search.wait(configuration.pause)
                do throws(ConnectFailure) {
                    let link = try await attempt(peer, number)
                    await search.end(keeping: peer)
                    return link
                } catch .radio(let error) {
                    throw error
                } catch {
                    last = error
                }
                await search.failed(peer)
                if last == .channelRefused { break }
                unusable += last?.isOfService == true ? 1 : 0
                if unusable == Self.unusableAttempts { break }
            }
        } catch {
            await search.end(keeping: nil)
            if error == .cancelled, let last { throw last.error }
            throw BluetoothLEError(error)
        }
        await search.end(keeping: nil)
        throw (last ?? .refused()).error
    }
}
