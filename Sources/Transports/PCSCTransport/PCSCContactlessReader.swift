package import Transport

/// The phones that come to the readers a selector picks, whichever reader it is.
///
/// Readers may be connected and removed, and pcscd may restart, while a phone is waited for; the wait continues
/// (Q134, Q136).
package actor PCSCContactlessReader: ContactlessReader {
    private let service: PCSCService
    private let selector: ReaderSelector
    private var readers: Set<String> = []
    private var cards: [String: UInt16] = [:]
    /// The insertions that were handed out.
    private var taken: [String: UInt16] = [:]
    private var refusal: PCSCTransportError?
    /// Why the last attempt at a phone that is there failed.
    private var hindrance: PCSCTransportError?
    private var watch: Task<Void, Never>?
    /// How many changes there were, and who waits for the next.
    private var changes = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Between two attempts at a phone that is there and cannot be connected to: it may be waking up (Q131), or
    /// another program may hold the reader.
    private static let nextAttempt = Duration.milliseconds(250)

    package init(service: PCSCService, selector: ReaderSelector) {
        self.service = service
        self.selector = selector
        let events = service.events()
        Task { await self.begin(events) }
    }

    deinit {
        watch?.cancel()
    }

    private func begin(_ events: AsyncStream<ReaderEvent>) {
        watch = Task { [weak self] in
            for await event in events { await self?.note(event) }
        }
    }

    private func note(_ event: ReaderEvent) {
        switch event {
        case .serviceAvailable: refusal = nil
        case .serviceLost(let error):
            // pcscd starts to count again when it comes back.
            (readers, cards, taken) = ([], [:], [:])
            refusal = error
        case .readerArrived(let reader): readers.insert(reader)
        case .readerRemoved(let reader):
            readers.remove(reader)
            (cards[reader], taken[reader]) = (nil, nil)
        case .cardInserted(let reader, let counter): cards[reader] = counter
        case .cardMute(let reader, _), .cardRemoved(let reader, _):
            cards[reader] = nil
            hindrance = nil
        }
        wake()
    }

    package func nextCard(again: Bool) async throws(ContactlessError) -> any ContactlessCard {
        while true {
            if case .accessDenied? = refusal, let refusal { throw .readerUnavailable(ReaderFault(refusal)) }
            let seen = changes
            let attempt = await card(again: again)
            if case .connected(let card) = attempt { return card }
            await change(since: seen, within: attempt.isRefused ? Self.nextAttempt : nil)
            if Task.isCancelled { throw unavailability ?? .cancelled }
        }
    }

    /// What prevents any phone from being detected or read.
    private var unavailability: ContactlessError? {
        let error = refusal ?? (readers.isEmpty ? .noReader : hindrance)
        return error.map { .readerUnavailable(ReaderFault($0)) }
    }

    private enum Attempt {
        case none
        case refused
        case connected(any ContactlessCard)

        var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    /// The card of the most promising reader that has one.
    private func card(again: Bool) async -> Attempt {
        guard !cards.isEmpty, let readers = try? await service.readers() else { return .none }
        var attempt = Attempt.none
        for reader in selector.candidates(among: readers) {
            guard let counter = cards[reader.name], again || taken[reader.name] != counter else { continue }
            do throws(PCSCTransportError) {
                let card = try await service.connect(to: reader)
                taken[reader.name] = counter
                hindrance = nil
                return .connected(PCSCContactlessCard(card: card))
            } catch {
                attempt = .refused
                if error == .readerBlocked || error == .readerInUse { hindrance = error }
            }
        }
        return attempt
    }

    // MARK: Waiting

    /// Returns at the first change after that one, after `limit`, or when the task is cancelled.
    private func change(since seen: Int, within limit: Duration?) async {
        let timer = limit.map { limit in
            Task {
                try await Task.sleep(for: limit)
                wake()
            }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if changes != seen || Task.isCancelled {
                    continuation.resume()
                } else {
                    waiters.append(continuation)
                }
            }
        } onCancel: {
            Task { await self.wake() }
        }
    }

    private func wake() {
        changes += 1
        let waiting = waiters
        waiters = []
        waiting.forEach { $0.resume() }
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
            case .readerBlocked, .commandLength: throw .readerUnavailable(ReaderFault(error))
            // pcscd or the reader may be lost too: the wait for the next card reports that.
            default: throw .cardLost
            }
        }
    }

    func release() async {
        await card.disconnect()
    }
}
