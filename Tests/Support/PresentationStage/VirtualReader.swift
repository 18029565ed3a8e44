internal import Deadlines
internal import Glibc
internal import MdocWallet
internal import PCSCBench
package import PCSCTransport
package import ReaderService
internal import Synchronization
internal import Testing
internal import Transport

/// One slot of the virtual reader behind the real pcscd, and the phones that are held to it.
package final class VirtualReader: Sendable {
    private let name: String
    private let card: VirtualCard
    private let holder = HeldPhone()

    /// A phone that pcscd saw away for less than a second is not the next customer's (Q208).
    private static let absence = Duration.milliseconds(1200)

    /// - Parameter name: by default the first slot's.
    package init(_ name: String? = nil) throws {
        let name = name ?? VirtualBench.first
        self.name = name
        let holder = holder
        card = VirtualCard(
            address: try VirtualBench.address(of: name),
            power: { holder.note($0) }, reset: { holder.answerToReset() },
            answering: { holder.answer($0) })
    }

    /// The phone is held to the reader, and pcscd has seen it; one that was there is exchanged for it while the
    /// power is off.
    package func hold(_ phone: Phone) async throws {
        holder.phone = phone
        if let left = holder.left { try await Task.sleep(until: left + Self.absence, clock: .continuous) }
        try await card.insert()
        let name = name
        let isSeen = await Self.seen { if case .cardInserted(name, _) = $0 { true } else { false } }
        try #require(isSeen, "pcscd does not see the card on \(name)")
    }

    /// A phone that does not answer to power-up is held to the reader, until `wake`.
    package func holdMute(_ phone: Phone) async throws {
        holder.phone = phone
        holder.reset = .mute
        try await card.insert()
        let name = name
        let isSeen = await Self.seen { if case .cardMute(name, _) = $0 { true } else { false } }
        try #require(isSeen, "pcscd does not see the card on \(name)")
    }

    /// A phone is held to the reader, and the reader hangs in powering it up, until `wake`.
    package func holdHanging(_ phone: Phone) async throws {
        holder.phone = phone
        holder.reset = .hanging
        try await card.insert()
    }

    /// Whatever keeps a phone from being powered up is over.
    package func wake() {
        holder.reset = .normal
    }

    /// The next so many commands are answered with this status word, whatever the phone would say.
    package func spoil(_ count: Int, with status: [UInt8] = [0x6f, 0x00]) {
        holder.spoil(count, status)
    }

    /// Takes a phone away that was held, and returns once pcscd has seen that: the next is then another.
    package func takeAway() async throws {
        let (name, card) = (name, card)
        let isGone = await Self.seen { event in
            if case .cardInserted(name, _) = event { card.remove() }
            return if case .cardRemoved(name, _) = event { true } else { false }
        }
        try #require(isGone, "pcscd still sees a card on \(name)")
        holder.left = .now
    }

    /// Whether an event comes that is waited for, among those of now and of the next seconds.
    private static func seen(_ isDue: @escaping @Sendable (ReaderEvent) -> Bool) async -> Bool {
        let event = try? await withDeadline("an event of pcscd", .seconds(30)) {
            await PCSCService().events().first(where: isDue)
        }
        return event != nil
    }

    package func lift() {
        card.remove()
    }

    /// The phones that come to this slot from now on.
    package func field(_ service: PCSCService = PCSCService()) -> PCSCContactlessReader {
        PCSCContactlessReader(service: service, selector: .name(containing: name))
    }

    /// One presentation with the scene's phone.
    package func present(
        _ scene: Scene, _ phone: Phone, deadlines: PresentationDeadlines = .ample
    ) async throws -> Presentation {
        try await hold(phone)
        return try await scene.transaction(deadlines: deadlines).run(at: field())
    }
}

private final class HeldPhone: Sendable {
    enum Reset {
        case normal
        /// No answer to reset that pcscd takes.
        case mute
        /// None at all for the time being.
        case hanging
    }

    private struct State {
        var phone: Phone?
        var reset = Reset.normal
        var isPowered = false
        /// When pcscd had seen that the last one was taken away.
        var left: ContinuousClock.Instant?
        var spoilt = 0
        var status: [UInt8] = []
    }

    private let state = Mutex(State())

    var phone: Phone? {
        get { state.withLock { $0.phone } }
        set { state.withLock { $0.phone = newValue } }
    }

    var reset: Reset {
        get { state.withLock { $0.reset } }
        set { state.withLock { $0.reset = newValue } }
    }

    var left: ContinuousClock.Instant? {
        get { state.withLock { $0.left } }
        set { state.withLock { $0.left = newValue } }
    }

    func spoil(_ count: Int, _ status: [UInt8]) {
        state.withLock { ($0.spoilt, $0.status) = (count, status) }
    }

    func note(_ power: CardPower) {
        state.withLock { $0.isPowered = power != .off }
        if power == .on { phone?.comeIntoField() }
    }

    /// pcscd also asks for it to see whether a card is there; a reader hangs in powering it up.
    func answerToReset() -> [UInt8] {
        while state.withLock({ $0.reset == .hanging && $0.isPowered }) { usleep(10_000) }
        return reset == .mute ? [UInt8](repeating: 0, count: 40) : VirtualCard.answerToReset
    }

    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        if let status = spoiltStatus() { return .respond(status) }
        return switch phone?.answer(command) {
        case .respond(let bytes)?: .respond(bytes)
        case .respondAt(let bytes, let instant)?:
            .respondLater(bytes, after: ContinuousClock.now.duration(to: instant))
        case .remove?, nil: .removeCard
        }
    }

    private func spoiltStatus() -> [UInt8]? {
        state.withLock { state in
            guard state.spoilt > 0 else { return nil }
            state.spoilt -= 1
            return state.status
        }
    }
}
