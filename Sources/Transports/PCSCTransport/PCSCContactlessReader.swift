package import Transport

/// The phones that come to the readers a selector picks, whichever of them it is.
///
/// Readers may come and go, and pcscd may restart, while a phone is waited for; the wait goes on (Q134, Q136).
package actor PCSCContactlessReader: ContactlessReader {
    private let service: PCSCService
    private let selector: ReaderSelector
    private let changes: AsyncStream<Void>
    private var cards: [String: UInt16] = [:]
    /// The insertions that were handed out.
    private var taken: [String: UInt16] = [:]
    private var refusal: PCSCTransportError?
    private var watch: Task<Void, Never>?

    package init(service: PCSCService, selector: ReaderSelector) {
        self.service = service
        self.selector = selector
        let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        let events = service.events()
        Task { await self.begin(events, signal) }
    }

    deinit {
        watch?.cancel()
    }

    private func begin(_ events: AsyncStream<ReaderEvent>, _ signal: AsyncStream<Void>.Continuation) {
        watch = Task { [weak self] in
            for await event in events {
                await self?.note(event)
                signal.yield()
            }
            signal.finish()
        }
    }

    private func note(_ event: ReaderEvent) {
        switch event {
        case .serviceAvailable: refusal = nil
        case .serviceLost(let error):
            cards = [:]
            refusal = error
        case .readerArrived: break
        case .readerRemoved(let reader): cards[reader] = nil
        case .cardInserted(let reader, let counter): cards[reader] = counter
        case .cardMute(let reader, _), .cardRemoved(let reader, _): cards[reader] = nil
        }
    }

    package func nextCard(again: Bool) async throws(ContactlessError) -> any ContactlessCard {
        var wake = changes.makeAsyncIterator()
        while true {
            if case .accessDenied? = refusal, let refusal { throw .readerUnavailable(id: refusal.id) }
            if let card = await card(again: again) { return card }
            guard await wake.next(isolation: self) != nil, !Task.isCancelled else { throw .cancelled }
        }
    }

    /// The card of the most promising reader that has one.
    private func card(again: Bool) async -> (any ContactlessCard)? {
        guard !cards.isEmpty, let readers = try? await service.readers() else { return nil }
        for reader in selector.candidates(among: readers) {
            guard let counter = cards[reader.name], again || taken[reader.name] != counter else { continue }
            guard let card = try? await service.connect(to: reader) else { continue }
            taken[reader.name] = counter
            return PCSCContactlessCard(card: card)
        }
        return nil
    }
}

/// A phone on a PC/SC reader.
private struct PCSCContactlessCard: ContactlessCard {
    let card: PCSCCard

    var limits: ContactlessLimits {
        ContactlessLimits(
            commandData: card.limits.commandData, responseData: card.limits.responseData,
            allowsExtended: card.limits.allowsExtended)
    }

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        do throws(PCSCTransportError) {
            return try await card.exchange(command)
        } catch {
            switch error {
            case .cancelled: throw .cancelled
            case .serviceLost, .serviceNotRunning, .readerMissing, .readerBlocked, .commandLength:
                throw .readerUnavailable(id: error.id)
            default: throw .cardLost
            }
        }
    }

    func release() async {
        await card.disconnect()
    }
}
