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

    /// - Parameter name: by default the first slot's.
    package init(_ name: String? = nil) throws {
        let name = name ?? VirtualBench.first
        self.name = name
        let holder = holder
        card = VirtualCard(
            address: try VirtualBench.address(of: name),
            power: { if $0 == .on { holder.phone?.comeIntoField() } },
            answering: { holder.answer($0) })
    }

    /// The phone is held to the reader, and pcscd has seen it; one that was there is exchanged for it while the
    /// power is off. One that is mute is seen, and cannot be powered up.
    package func hold(_ phone: Phone, isMute: Bool = false) async throws {
        holder.phone = phone
        try await card.insert()
        let name = name
        let isSeen = await Self.seen { event in
            switch event {
            case .cardInserted(name, _): !isMute
            case .cardMute(name, _): isMute
            default: false
            }
        }
        try #require(isSeen, "pcscd does not see the card on \(name)")
    }

    /// Takes a phone away that was held, and returns once pcscd has seen that: the next is then another.
    package func takeAway() async throws {
        let (name, card) = (name, card)
        let isGone = await Self.seen { event in
            if case .cardInserted(name, _) = event { card.remove() }
            return if case .cardRemoved(name, _) = event { true } else { false }
        }
        try #require(isGone, "pcscd still sees a card on \(name)")
    }

    /// Whether an event comes that is waited for, among those of now and of the next seconds.
    private static func seen(_ isDue: @escaping @Sendable (ReaderEvent) -> Bool) async -> Bool {
        let seen = Task { await PCSCService().events().first(where: isDue) != nil }
        let timer = Task {
            try await Task.sleep(for: .seconds(10))
            seen.cancel()
        }
        defer { timer.cancel() }
        return await seen.value
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
    private let held = Mutex<Phone?>(nil)

    var phone: Phone? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }

    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        switch phone?.answer(command) {
        case .respond(let bytes)?: .respond(bytes)
        case .respondAt(let bytes, let instant)?:
            .respondLater(bytes, after: ContinuousClock.now.duration(to: instant))
        case .remove?, nil: .removeCard
        }
    }
}
