internal import ErrorMapping
internal import MdocWallet
internal import PCSCTransport
internal import Synchronization
internal import Transport

/// The software wallet on a virtual reader: its card logic behind vpcd's socket.
final class WalletPhone: Sendable {
    /// The engagement of the QR code, where it engages by one.
    let shown: WalletEngagement?
    /// The engagements of its taps, each from the moment it is complete.
    let taps = LatestEngagement()
    private let card: VirtualCard

    /// A phone for the virtual reader whose card port is `address`.
    init(_ wallet: Wallet, handover: HandoverKind, at address: SocketAddress) throws(CommandFailure) {
        let made = try mapping(WalletCard(wallet, handover: handover)) { (error: WalletError) in
            CommandFailure.usage("this wallet cannot engage in this way: \(error)")
        }
        let logic = Mutex(made)
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
    func tap() async throws(CommandFailure) {
        do throws(VirtualCardError) {
            try await card.insert()
        } catch {
            throw .unavailable(
                "no virtual reader: run this in Hardware/VirtualBench/with-pcscd, or start pcscd with vsmartcard-vpcd"
            )
        }
    }

    /// Takes the phone away.
    func lift() {
        card.remove()
    }
}

/// The card logic, which the reader's thread calls.
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

    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        let now = ContinuousClock.now
        let (answer, engagement) = card.withLock { card in
            let before = card.engagement?.number
            let answer = card.answer(command, now: now)
            return (answer, card.engagement?.number == before ? nil : card.engagement)
        }
        if let engagement { taps.put(engagement) }
        switch answer {
        case .respond(let bytes): return .respond(bytes)
        case .respondAt(let bytes, let instant): return .respondLater(bytes, after: now.duration(to: instant))
        case .remove: return .removeCard
        }
    }
}
