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
    /// power is off.
    package func hold(_ phone: Phone) async throws {
        holder.phone = phone
        try await card.insert()
        let name = name
        let seen = Task {
            for await event in PCSCService().events() {
                if case .cardInserted(name, _) = event { return true }
            }
            return false
        }
        let timer = Task {
            try await Task.sleep(for: .seconds(10))
            seen.cancel()
        }
        try #require(await seen.value, "pcscd does not see the card on \(name)")
        timer.cancel()
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
