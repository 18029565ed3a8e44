package import CommandLineInterface
internal import ErrorMapping
package import MdocWallet
internal import PCSCTransport
internal import Synchronization
package import Transport

/// The software wallet on a virtual reader: a `WalletCard` behind the socket of vsmartcard-vpcd.
package final class WalletPhone: Sendable {
    /// The engagement of the QR code that the phone shows. Nil for a handover over NFC.
    package let shown: WalletEngagement?
    /// The engagements of the taps. An engagement is recorded as soon as its handover is complete.
    package let taps = LatestEngagement()
    private let card: VirtualCard

    /// The error if a command needs a virtual reader and none answers.
    package static let noVirtualReader = CommandFailure.unavailable(
        "no virtual reader answers: run this command with Hardware/VirtualBench/with-pcscd, or start pcscd with vsmartcard-vpcd"
    )

    /// Creates a phone for the virtual reader that accepts cards at `address`.
    package init(_ wallet: Wallet, handover: HandoverKind, at address: SocketAddress) throws(CommandFailure) {
        let made = try mapping(WalletCard(wallet, handover: handover)) { (error: WalletError) in
            CommandFailure.usage("this wallet does not support this handover: \(error)")
        }
        let logic = Mutex(made)
        // No tap has happened yet, so the card has an engagement only if the phone shows a QR code.
        shown = logic.withLock { $0.engagement }
        let box = CardBox(logic, taps)
        card = VirtualCard(
            address: address,
            power: { power in
                if power == .on { box.insert() }
            },
            answering: { box.answer($0) })
    }

    /// Puts the phone on the reader.
    package func tap() async throws(CommandFailure) {
        do throws(VirtualCardError) {
            try await card.insert()
        } catch {
            throw Self.noVirtualReader
        }
    }

    /// Takes the phone off the reader.
    package func lift() {
        card.remove()
    }
}

/// The card logic, which the thread of the virtual reader calls.
private final class CardBox: Sendable {
    private let card: Mutex<WalletCard>
    private let taps: LatestEngagement

    init(_ card: consuming Mutex<WalletCard>, _ taps: LatestEngagement) {
        self.card = card
        self.taps = taps
    }

    func insert() {
        card.withLock { card in card.insert() }
    }

    /// Returns the answer to a command, and records a new engagement.
    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        let now = ContinuousClock.now
        let (answer, engagement) = card.withLock { card in
            // The card keeps its engagement for the whole tap, so only a new number is a new engagement.
            let before = card.engagement?.number
            let answer = card.answer(command, now: now)
            return (answer, card.engagement?.number == before ? nil : card.engagement)
        }
        if let engagement { taps.record(engagement) }
        switch answer {
        case .respond(let bytes): return .respond(bytes)
        case .respondAt(let bytes, let instant): return .respondLater(bytes, after: now.duration(to: instant))
        case .remove: return .removeCard
        }
    }
}

/// The engagement of the latest tap, for the one link that will carry its session. The next tap replaces it.
package final class LatestEngagement: Sendable {
    private struct State {
        var engagement: WalletEngagement?
        /// The continuation of the call of `next()` that waits for a tap.
        var waiting: CheckedContinuation<WalletEngagement?, Never>?
    }

    private let state = Mutex(State())

    /// Records an engagement. It replaces an earlier engagement that `next()` has not returned yet.
    func record(_ engagement: WalletEngagement) {
        let waiting = state.withLock { state in
            let waiting = state.waiting.take()
            if waiting == nil { state.engagement = engagement }
            return waiting
        }
        waiting?.resume(returning: engagement)
    }

    /// Returns the engagement of the latest tap if no call has returned it yet, or waits for the next tap.
    /// Returns nil if the task is cancelled. Only one call may wait at a time.
    func next() async -> WalletEngagement? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The outer nil means: wait for a tap. The inner nil means: the task is cancelled, so return
                // nil immediately.
                let ready: WalletEngagement?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if let engagement = state.engagement.take() { return engagement }
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume(returning: nil)
        }
    }
}
