package import CommandLineInterface
internal import ErrorMapping
package import FieldTrace
internal import JSON
package import MdocWallet
internal import PCSCTransport
internal import Synchronization
package import Transport

/// The phone that a field trace recorded, on a virtual reader.
///
/// A field trace does not contain the bytes of the phone's messages. The software wallet therefore makes the
/// bytes, and the rest comes from the trace: the time of each answer, the status words, and the times at
/// which the phone leaves and comes back.
///
/// - For each tap of the trace, the virtual card is put on the reader once. After the last tap the card stays
///   on the reader until the task is cancelled. If the reader powers the card up again, the card answers as
///   in the last tap.
/// - If the traced phone left during a command, the phone leaves at the same command.
/// - A command that is not in the trace is answered by the wallet alone, without a delay.
///
/// ``run()`` and ``lift()`` are called by `countersign-lab replay`. The card logic runs on the thread of the
/// virtual reader and is guarded by a mutex. A replay never reads or changes the trace file.
package final class ReplayPhone: Sendable {
    /// The engagements of the phone's taps.
    package let engagements: LatestEngagement
    private let card: VirtualCard
    private let taps: [TracedTap]
    /// The numbers of the taps whose last command was answered.
    private let ended: AsyncStream<Int>

    package init(_ phone: TracedPhone, _ wallet: Wallet, at address: SocketAddress) throws(CommandFailure) {
        let (ended, continuation) = AsyncStream<Int>.makeStream()
        let played = try mapping(WalletCard(wallet, handover: phone.handover)) { (error: WalletError) in
            CommandFailure.malformed("the phone that the field trace recorded cannot be replayed: \(error)")
        }
        let replay = ReplayCard(phone, played, ended: { continuation.yield($0) })
        self.ended = ended
        engagements = replay.taps
        taps = phone.taps
        card = VirtualCard(
            address: address,
            power: { power in if power == .on { replay.insert() } },
            answering: { replay.answer($0) })
    }

    /// Performs the taps of the trace. After the last tap, the phone stays on the reader until the task is
    /// cancelled.
    package func run() async throws(CommandFailure) {
        try await insert()
        Terminal.message("The phone is on the reader. Press Ctrl-C to take it away.")
        for await number in ended {
            Terminal.message("tap \(number + 1) of \(taps.count) is over")
            // After the last tap the virtual card stays on the reader. If the reader powers the card up
            // again, the replay of the last tap begins again.
            guard number + 1 < taps.count else { continue }
            try await moveOn(from: taps[number])
        }
    }

    /// Takes the phone off the reader and puts it back, after the times that the trace records between two
    /// taps. Does nothing if the traced phone stayed on the reader.
    private func moveOn(from tap: TracedTap) async throws(CommandFailure) {
        guard tap.breaksOff || tap.left != nil else { return }
        // A phone that left during a command has already left when the tap is over, so there is no wait
        // before its removal.
        let away: Duration = tap.breaksOff ? .zero : tap.left ?? .zero
        try? await Task.sleep(for: away, clock: .continuous)
        card.remove()
        // `left` and `next` are the times from the last exchange to the phone's departure and to its return.
        // The wait above has already covered the time until the departure.
        let rest = (tap.next ?? .zero) - away
        try? await Task.sleep(for: max(rest, Duration.zero), clock: .continuous)
        // If the task is cancelled, the sleep ends early. The phone must then stay away.
        guard !Task.isCancelled else { return }
        try await insert()
    }

    /// Puts the phone on the reader.
    private func insert() async throws(CommandFailure) {
        do throws(VirtualCardError) {
            try await card.insert()
        } catch .cancelled {
            // The user ended the replay, so no error is thrown.
        } catch {
            throw WalletPhone.noVirtualReader
        }
    }

    /// Takes the phone off the reader.
    package func lift() {
        card.remove()
    }
}

/// The card logic of a replay, which the thread of the virtual reader calls.
private final class ReplayCard: Sendable {
    /// The delay of an answer that never came in the trace. It is longer than a reader waits by default.
    private static let silence = Duration.seconds(3600)

    /// The engagement of the latest tap. It is replaced as soon as the handover of the next tap is complete.
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

    /// Gives power to the phone. pcscd may power the card up twice before the first command, so the tap
    /// begins with the first command.
    func insert() {
        state.withLock { $0.isFresh = true }
    }

    /// Returns the answer to a command. Records a new engagement, and reports the end of a tap.
    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        let (answer, over, engagement) = state.withLock { state in
            let before = state.wallet.engagement?.number
            let (answer, over) = state.answer(command, silence: Self.silence)
            // The wallet keeps its engagement for the whole tap, so only a new number is a new engagement.
            let engagement = state.wallet.engagement
            return (answer, over, engagement?.number == before ? nil : engagement)
        }
        if let engagement { taps.record(engagement) }
        if let over { ended(over) }
        return answer
    }
}

/// The state of a replay: the wallet, and the position in the trace.
private struct ReplayState: ~Copyable {
    var wallet: WalletCard
    let taps: [TracedTap]
    var script: TapScript
    /// The number of the current tap, from 0.
    var number = 0
    /// Whether the phone got power and has not received a command since.
    var isFresh = true
    /// Whether a tap has begun. Until then the next tap is tap 0.
    private var hasBegun = false
    /// A record of the selected file, on which the name of a command in a field trace depends.
    var trace = NFCTrace()

    init(_ wallet: consuming WalletCard, _ taps: [TracedTap]) {
        self.wallet = wallet
        self.taps = taps
        // `countersign-lab replay` refuses a trace without taps.
        script = TapScript(taps[0])
    }
}

extension ReplayState {
    /// Returns the answer to a command, and the number of the tap if this was its last command.
    fileprivate mutating func answer(
        _ command: ArraySlice<UInt8>, silence: Duration
    ) -> (CardAnswer, over: Int?) {
        if isFresh { beginTap() }
        // The reader may send more commands after the last one of the script. The end of the tap is reported
        // only once.
        let wasOver = script.isOver
        let exchange = script.next(trace.name(of: command))
        let answer =
            exchange.map { replay($0, after: command, silence: silence) }
            ?? answerAsWallet(command, after: .zero)
        return (answer, script.isOver && !wasOver ? number : nil)
    }

    /// Begins the next tap of the trace, or repeats the last tap.
    private mutating func beginTap() {
        isFresh = false
        if hasBegun { number = min(number + 1, taps.count - 1) }
        hasBegun = true
        script = TapScript(taps[number])
        trace = NFCTrace()
        wallet.insert()
    }

    /// Answers a command as the traced phone did: after the same time, with the same status word, removal or
    /// silence. The wallet makes the bytes of a successful answer.
    private mutating func replay(
        _ exchange: ExchangeFacts, after command: ArraySlice<UInt8>, silence: Duration
    ) -> CardAnswer {
        let took = Duration.milliseconds(exchange.took)
        switch exchange.failure?.word {
        // The phone loses the field when it leaves, and also when the reader is unplugged. Both are replayed
        // as a removal of the card.
        case .cardLost, .readerUnavailable: return .removeCardLater(after: took)
        // The traced reader gave up because no answer came.
        case .cancelled: return .respondLater([], after: silence)
        case nil: break
        }
        if let status = exchange.status, !status.isSuccess { return .respondLater(status.bytes, after: took) }
        // NLEN was 0, because the traced phone was still preparing its message (Q13).
        if exchange.length == 0 {
            // The two bytes of NLEN, and the status word 9000.
            let notReady: [UInt8] = [0, 0, 0x90, 0]
            trace.follow(command, notReady[...])
            return .respondLater(notReady, after: took)
        }
        return answerAsWallet(command, after: took)
    }

    /// Answers a command as the wallet does, but after the traced time instead of the wallet's own.
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
    /// Whether data came with this status word (9000 or 61XX), so that the wallet has to make the answer.
    fileprivate var isSuccess: Bool { rawValue == 0x9000 || rawValue >> 8 == 0x61 }

    fileprivate var bytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xff)] }
}

/// A Bluetooth link that the phone closes after `leavesAfter` fragments of its answer.
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
        // The traced phone left before this fragment.
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
