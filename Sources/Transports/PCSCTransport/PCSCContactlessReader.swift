package import Transport

/// The phones on all readers that a selector accepts, as one contactless reader.
///
/// The actor follows the events of a `ReaderMonitor` and keeps a `CardPlace` for each reader.
/// ``nextCard(again:)`` connects to the card of the best candidate that may be used, or waits for the next
/// event. Readers may come and go and pcscd may restart meanwhile; the wait continues (Q134, Q136).
///
/// - A tap during the exchange with another phone is only recorded (Q9, Q10).
/// - While a caller waits, the actor checks every 3 s whether the readers without a card answer. A reader
///   that hangs is reported once as `readerBlocked`; the next call of `nextCard(again:)` continues to wait
///   (Q212).
/// - When a command fails, the actor checks whether pcscd still lists the reader. This check distinguishes an
///   unplugged reader from a phone that left (Q209).
///
/// The actor does not know whether a phone has a wallet. It sends no command to a phone by itself, except for
/// the reset of a card that was left powered.
package actor PCSCContactlessReader: ContactlessReader {
    private let service: PCSCService
    private let selector: ReaderSelector
    private var readers: Set<String> = []
    private var places: [String: CardPlace] = [:]
    /// The number of the last stay of a card, counted over all readers.
    private var stays = 0
    /// The readers whose drivers do not answer.
    private var silent: Set<String> = []
    /// Whether a reader has stopped answering and this was not reported to a caller yet.
    private var isSilenceNew = false
    /// The error because of which pcscd does not serve this process: pcscd was lost, or refuses this user.
    /// `nil` while pcscd serves this process.
    private var refusal: PCSCTransportError?
    /// The fault of a reader that has stopped answering (`readerBlocked`) or is in use (`readerInUse`); `nil`
    /// after a connection, the removal of a card or a new answer.
    private var hindrance: PCSCTransportError?
    private var watch: Task<Void, Never>?
    /// The number of changes so far. A caller that has seen fewer changes must look for a card again.
    private var changes = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// The pause between two attempts to connect to a present phone. The phone may be waking up (Q131), or
    /// another program may hold the reader.
    private static let nextAttempt = Duration.milliseconds(250)
    /// The pause between two checks of the readers, which are made while no phone comes (Q212).
    private static let nextProbe = Duration.seconds(3)

    package init(service: PCSCService, selector: ReaderSelector) {
        self.service = service
        self.selector = selector
        // The stream begins here and keeps its events until the task reads them.
        let events = service.events()
        Task { await self.begin(events) }
    }

    deinit {
        watch?.cancel()
    }

    private func begin(_ events: AsyncStream<ReaderEvent>) {
        // A strong reference would keep the actor alive, and `deinit` would never cancel the task.
        watch = Task { [weak self] in
            for await event in events { await self?.record(event) }
        }
    }

    /// Applies an event of pcscd to the lists of readers and cards, and wakes the waiting callers.
    private func record(_ event: ReaderEvent) {
        switch event {
        case .serviceAvailable: refusal = nil
        case .serviceLost(let error):
            // A pcscd that starts again reports all readers and cards anew.
            (readers, places) = ([], [:])
            refusal = error
        case .readerArrived(let reader): readers.insert(reader)
        case .readerRemoved(let reader):
            readers.remove(reader)
            places[reader] = nil
        // A card that did not answer is recorded like any other card. The attempt to connect finds out
        // whether it answers now.
        case .cardInserted(let reader, _), .cardMute(let reader, _):
            stays += 1
            places[reader, default: CardPlace()].insert(stay: stays, now: .now)
        case .cardRemoved(let reader, _):
            places[reader]?.remove(now: .now)
            // The fault may come from an attempt to connect to this card, which has now left.
            hindrance = nil
        }
        wake()
    }

    package func beginPresentation() {
        for reader in places.keys { places[reader]?.beginPresentation() }
    }

    package func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        let begun = ContinuousClock.now
        let probing = Task { await probe() }
        defer { probing.cancel() }
        while true {
            // Waiting does not help if a permission is missing, so this error is thrown immediately.
            if case .accessDenied? = refusal, let refusal { throw .readerUnavailable(ReaderFault(refusal)) }
            if isSilenceNew {
                isSilenceNew = false
                throw .readerUnavailable(.readerBlocked)
            }
            let seen = changes
            let left = pause.map { $0 - begun.duration(to: .now) }
            let isAgain = left.map { $0 <= .zero } ?? false
            let attempt = await card(again: isAgain)
            switch attempt {
            case .connected(let card): return card
            case .mute(let stay): throw .cardMute(stay: stay)
            case .refused: await waitForChange(since: seen, within: Self.nextAttempt)
            // When the pause is over, a phone that stayed on the reader may be returned again. Afterwards
            // only an event ends the wait.
            case .none: await waitForChange(since: seen, within: isAgain ? nil : left)
            }
            // The task is cancelled when the caller's time is over. If a fault kept phones from being
            // detected, the fault is more informative than the cancellation.
            if Task.isCancelled { throw unavailability ?? .cancelled }
        }
    }

    // MARK: Readers that hang

    /// Checks every 3 s whether the readers without a card answer, until the task is cancelled. If a reader
    /// hangs while pcscd powers a phone up, pcscd reports nothing about it (Q212).
    ///
    /// The first check includes readers with the phone of an earlier presentation, because a request to the
    /// driver makes pcscd look for the card again. When pcscd ends a connection, libccid loses an event that
    /// a reader with several slots reports at that moment. By itself, pcscd would look again only after 10
    /// minutes (Q131).
    private func probe() async {
        var asksServed = true
        while (try? await Task.sleep(for: Self.nextProbe)) != nil {
            // Without pcscd no reader is checked.
            for reader in selector.candidates(among: (try? await service.readers()) ?? []) {
                let place = places[reader.name] ?? CardPlace()
                guard !place.isOccupied || (asksServed && place.isServed) else { continue }
                let answers = await service.answers(reader.name)
                if !Task.isCancelled { record(answers: answers, of: reader.name) }
            }
            asksServed = false
        }
    }

    /// Records whether a reader answers. A reader that has stopped answering is reported to the next caller.
    private func record(answers: Bool, of reader: String) {
        // Only a change is recorded: a silent reader that answers again, or a reader that has stopped
        // answering.
        guard answers == silent.contains(reader) else { return }
        silent.formSymmetricDifference([reader])
        hindrance = answers ? nil : .readerBlocked
        isSilenceNew = !answers
        wake()
    }

    // MARK: Cards

    /// The fault that keeps phones from being detected or read; `nil` if there is none.
    private var unavailability: ContactlessError? {
        let error = refusal ?? (readers.isEmpty ? .noReader : hindrance)
        return error.map { .readerUnavailable(ReaderFault($0)) }
    }

    /// The result of one search for a usable card on all readers.
    private enum Attempt {
        /// No card that may be used is present.
        case none
        /// A card is present, but connecting failed. A later attempt may succeed.
        case refused
        /// A card is present and does not answer to power-up.
        case mute(stay: Int)
        case connected(any ContactlessCard)
    }

    /// Connects to a usable card on the best candidate among the readers.
    private func card(again: Bool) async -> Attempt {
        guard places.values.contains(where: { $0.isUsable(again: again) }),
            let readers = try? await service.readers()
        else { return .none }
        var attempt = Attempt.none
        for reader in selector.candidates(among: readers) {
            guard let place = places[reader.name], place.isUsable(again: again) else { continue }
            do throws(PCSCTransportError) {
                return .connected(try await connect(to: reader, stay: place.stay))
            } catch .cardMute, .protocolMismatch {
                // No command can be sent to a card without a known protocol, so the card counts as mute.
                places[reader.name]?.recordAttempt()
                return .mute(stay: place.stay)
            } catch {
                attempt = .refused
                // No event of pcscd reports these two faults.
                if error == .readerBlocked || error == .readerInUse { hindrance = error }
            }
        }
        return attempt
    }

    /// Connects to the card on a reader, and resets a card that was left powered.
    private func connect(
        to reader: ReaderDescription, stay: Int
    ) async throws(PCSCTransportError) -> PCSCContactlessCard {
        let card = try await service.connect(to: reader)
        // A card that was left powered still has its last application selected. The reset clears this, as a
        // power-off does on other readers (Q208).
        if reader.cardAtRelease == .leave, places[reader.name]?.wasTried == true { try await card.reset() }
        places[reader.name]?.recordAttempt()
        hindrance = nil
        return PCSCContactlessCard(card: card, stay: stay, reader: reader, service: service)
    }

    // MARK: Waiting

    /// Waits for a change.
    ///
    /// - Parameter seen: the number of changes that the caller has handled. Returns immediately if more
    ///   changes have occurred.
    /// - Parameter limit: the maximum wait; `nil` means no limit.
    private func waitForChange(since seen: Int, within limit: Duration?) async {
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

    /// Counts a change and resumes all waiting callers, which look for a card again.
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
    let stay: Int
    let reader: ReaderDescription
    let service: PCSCService

    /// The time within which pcscd notices that a reader was unplugged.
    private static let unplugging = Duration.milliseconds(300)

    var limits: ContactlessLimits {
        ContactlessLimits(
            commandData: card.limits.commandData, responseData: card.limits.responseData,
            allowsExtended: card.limits.allowsExtended)
    }

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        do throws(PCSCTransportError) {
            return try await card.exchange(command)
        } catch {
            // After an error of the card, either the phone or the reader may have left.
            throw ContactlessError(error, isReaderListed: error.isOfCard ? await isReaderListed : true)
        }
    }

    /// Whether pcscd still lists the reader. A command to an unplugged reader fails in the same way as a
    /// command to a phone that left (Q209).
    private var isReaderListed: Bool {
        get async {
            let deadline = ContinuousClock.now + Self.unplugging
            while await service.isListed(reader.name) {
                guard ContinuousClock.now < deadline, !Task.isCancelled else { return true }
                try? await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
    }

    func release() async {
        await card.disconnect(reader.cardAtRelease)
    }
}

extension ContactlessError {
    /// Converts the error of a failed exchange into a fault of the phone or the reader.
    init(_ error: PCSCTransportError, isReaderListed: Bool) {
        switch error {
        case .cancelled: self = .cancelled
        case .readerBlocked, .commandLength, .readerMissing: self = .readerUnavailable(ReaderFault(error))
        // pcscd may have been lost as well, which the wait for the next card reports.
        default: self = isReaderListed ? .cardLost : .readerUnavailable(.readerMissing)
        }
    }
}

extension PCSCTransportError {
    /// Whether an exchange can end with this error when a phone leaves.
    fileprivate var isOfCard: Bool {
        switch self {
        case .cardLost, .linkLost, .noCard, .cardMute, .cardReset, .unexpected: true
        default: false
        }
    }
}
