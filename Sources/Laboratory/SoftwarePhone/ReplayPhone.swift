package import CommandLineInterface
internal import ErrorMapping
package import FieldTrace
internal import JSON
package import MdocWallet
internal import PCSCTransport
internal import Synchronization
package import Transport

/// The phone of a trace on a virtual reader: the software wallet gives the bytes, the trace their times and status
/// words, and the moments at which the phone is away.
package final class ReplayPhone: Sendable {
    /// The engagements of its taps.
    package let engagements: LatestEngagement
    private let card: VirtualCard
    private let taps: [TracedTap]
    /// The numbers of the taps that are over.
    private let ended: AsyncStream<Int>

    package init(_ phone: TracedPhone, _ wallet: Wallet, at address: SocketAddress) throws(CommandFailure) {
        let (ended, said) = AsyncStream<Int>.makeStream()
        let played = try mapping(WalletCard(wallet, handover: phone.handover)) { (error: WalletError) in
            CommandFailure.malformed("the phone of the trace cannot be played: \(error)")
        }
        let replay = ReplayCard(phone, played, ended: { said.yield($0) })
        self.ended = ended
        engagements = replay.taps
        taps = phone.taps
        card = VirtualCard(
            address: address,
            power: { power in if power == .on { replay.insert() } },
            answering: { replay.answer($0) })
    }

    /// Taps as often as the trace does, and stays on the reader after the last tap until the task is cancelled.
    package func run() async throws(CommandFailure) {
        try await insert()
        Terminal.note("The phone is on the reader. Press Ctrl-C to take it away.")
        for await number in ended {
            Terminal.note("tap \(number + 1) of \(taps.count) is over")
            guard number + 1 < taps.count else { continue }
            try await pass(to: taps[number])
        }
    }

    /// From one tap to the next: the phone leaves and comes back, where it did so.
    private func pass(to tap: TracedTap) async throws(CommandFailure) {
        guard tap.breaksOff || tap.left != nil else { return }
        let away: Duration = tap.breaksOff ? .zero : tap.left ?? .zero
        try? await Task.sleep(for: away, clock: .continuous)
        card.remove()
        let rest = (tap.next ?? .zero) - away
        try? await Task.sleep(for: max(rest, Duration.zero), clock: .continuous)
        guard !Task.isCancelled else { return }
        try await insert()
    }

    private func insert() async throws(CommandFailure) {
        do throws(VirtualCardError) {
            try await card.insert()
        } catch .cancelled {
        } catch {
            throw WalletPhone.noVirtualReader
        }
    }

    package func lift() {
        card.remove()
    }
}
