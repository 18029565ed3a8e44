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

/// The card logic of a replay, which the reader's thread calls.
private final class ReplayCard: Sendable {
    /// How long a phone is silent that never answered in the trace.
    private static let silence = Duration.seconds(3600)

    /// The engagements of its taps, each from the moment it is complete.
    let taps = LatestEngagement()
    private let state: Mutex<ReplayState>
    private let ended: @Sendable (Int) -> Void

    /// - Parameter ended: called with the number of a tap after its last command.
    init(
        _ phone: TracedPhone, _ wallet: consuming WalletCard, ended: @escaping @Sendable (Int) -> Void
    ) {
        state = Mutex(ReplayState(wallet, phone.taps))
        self.ended = ended
    }

    /// The phone gets power. pcscd may give it twice before the first command.
    func insert() {
        state.withLock { $0.isFresh = true }
    }

    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        let (answer, over, engagement) = state.withLock { state in
            let before = state.wallet.engagement?.number
            let (answer, over) = state.answer(command, silence: Self.silence)
            let engagement = state.wallet.engagement
            return (answer, over, engagement?.number == before ? nil : engagement)
        }
        if let engagement { taps.put(engagement) }
        if let over { ended(over) }
        return answer
    }
}

/// The tap under way.
private struct ReplayState: ~Copyable {
    var wallet: WalletCard
    let taps: [TracedTap]
    var script: TapScript
    /// The tap under way, or the one that the next power begins.
    var number = 0
    /// Whether the phone has power and got no command.
    var isFresh = true
    private var hasBegun = false
    var trace = NFCTrace()

    init(_ wallet: consuming WalletCard, _ taps: [TracedTap]) {
        self.wallet = wallet
        self.taps = taps
        script = TapScript(taps[0])
    }
}

extension ReplayState {
    /// The answer, and the number of the tap that is over with it.
    fileprivate mutating func answer(
        _ command: ArraySlice<UInt8>, silence: Duration
    ) -> (CardAnswer, over: Int?) {
        if isFresh { beginTap() }
        let wasOver = script.isOver
        let exchange = script.next(trace.name(of: command))
        let answer =
            exchange.map { replay($0, after: command, silence: silence) }
            ?? answerAsWallet(command, after: .zero)
        return (answer, script.isOver && !wasOver ? number : nil)
    }

    /// The last tap is repeated.
    private mutating func beginTap() {
        isFresh = false
        if hasBegun { number = min(number + 1, taps.count - 1) }
        hasBegun = true
        script = TapScript(taps[number])
        trace = NFCTrace()
        wallet.insert()
    }

    private mutating func replay(
        _ exchange: ExchangeFacts, after command: ArraySlice<UInt8>, silence: Duration
    ) -> CardAnswer {
        let took = Duration.milliseconds(exchange.took)
        switch exchange.failure?.word {
        case .cardLost, .readerUnavailable: return .removeCardLater(after: took)
        case .cancelled: return .respondLater([], after: silence)
        case nil: break
        }
        if let status = exchange.status, !status.isSuccess { return .respondLater(status.bytes, after: took) }
        if exchange.length == 0 {
            let notReady: [UInt8] = [0, 0, 0x90, 0]
            trace.follow(command, notReady[...])
            return .respondLater(notReady, after: took)
        }
        return answerAsWallet(command, after: took)
    }

    private mutating func answerAsWallet(_ command: ArraySlice<UInt8>, after took: Duration) -> CardAnswer {
        switch wallet.answer(command, now: .now) {
        case .respond(let bytes), .respondAt(let bytes, _):
            trace.follow(command, bytes[...])
            return took == .zero ? .respond(bytes) : .respondLater(bytes, after: took)
        case .remove: return .removeCardLater(after: took)
        }
    }
}

extension TraceStatus {
    /// Whether data came with it, which the wallet has to give: 9000 and 61xx.
    fileprivate var isSuccess: Bool { rawValue == 0x9000 || rawValue >> 8 == 0x61 }

    fileprivate var bytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xff)] }
}

/// A link on which the phone leaves after so many fragments of its answer.
final class ReplayLink: BluetoothLELink {
    private let link: any BluetoothLELink
    private let leavesAfter: UInt32
    private let sent = Mutex<UInt32>(0)

    init(_ link: any BluetoothLELink, leavesAfter: UInt32) {
        self.link = link
        self.leavesAfter = leavesAfter
    }

    var kind: BluetoothLELinkKind { link.kind }

    var packetLimit: Int { get async { await link.packetLimit } }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        try await link.receive()
    }

    func interrupt() async {
        await link.interrupt()
    }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        guard sent.withLock({ $0 < leavesAfter }) else {
            await link.close()
            throw .linkLost
        }
        try await link.send(head, body)
        sent.withLock { $0 += 1 }
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        try await link.signal(state)
    }

    func close() async {
        await link.close()
    }
}
