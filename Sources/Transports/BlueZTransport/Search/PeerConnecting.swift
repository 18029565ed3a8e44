internal import NDEF
internal import Transport

/// A search for a peer with repeated attempts to connect to it (Q63, Q82, Q97, Q108). The caller limits the
/// time by cancelling the task.
struct PeerConnecting: Sendable {
    let daemon: Daemon
    let adapter: String
    let configuration: BlueZConfiguration

    /// The maximum number of attempts with peers whose service is missing or incomplete. Some peers show no
    /// service at first (Q82).
    private static let unusableAttempts = 3

    /// Searches for a peer and calls `attempt` until it succeeds. Throws the error of the radio if the radio
    /// was lost. Otherwise throws the failure of the last attempt, even if the task was cancelled, because
    /// that failure tells the user more than `cancelled`.
    ///
    /// - Parameter attempt: makes one attempt to connect, and leaves nothing registered if it fails. Gets the
    ///   peer and the number of the attempt, from 1.
    func link<Link: Sendable>(
        to uuid: BluetoothUUID, _ attempt: (Peer, Int) async throws(ConnectFailure) -> Link
    ) async throws(BluetoothLEError) -> Link {
        let search = PeerSearch(for: uuid, daemon: daemon, adapter: adapter, configuration: configuration)
        var last: ConnectFailure?
        var unusable = 0
        do throws(BlueZTransportError) {
            for number in 1...max(configuration.attempts, 1) {
                if number > 1 { await search.wait(configuration.backOff) }
                // After the first attempt the search has a limit, because a peer that was found once and does
                // not return has left.
                let deadline = number > 1 ? ContinuousClock.now + configuration.reappearance : nil
                guard let peer = try await search.peer(until: deadline) else { break }
                // bluetoothd may forget a peer when discovery stops. Then the next attempt connects while
                // discovery continues (Q97).
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
                // The peer has no channel with this PSM, and will not have one at the next attempt.
                if last == .channelRefused { break }
                unusable += last?.isServiceMissing == true ? 1 : 0
                if unusable == Self.unusableAttempts { break }
            }
        } catch {
            await search.end(keeping: nil)
            if error == .cancelled, let last { throw last.error }
            throw BluetoothLEError(error)
        }
        await search.end(keeping: nil)
        // If no attempt was made, every peer that was found had stopped advertising before it could be tried.
        throw (last ?? .refused()).error
    }
}
