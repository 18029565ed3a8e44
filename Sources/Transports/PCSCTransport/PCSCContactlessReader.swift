package import Transport

/// The phones that come to the readers a selector picks, whichever reader it is.
///
/// Readers may be connected and removed, and pcscd may restart, while a phone is waited for; the wait continues
/// (Q134, Q136).
package actor PCSCContactlessReader: ContactlessReader {
    private let service: PCSCService
    private let selector: ReaderSelector
    private var readers: Set<String> = []
    private var places: [String: CardPlace] = [:]
    private var stays = 0
    /// The readers that do not answer, and whether that was not reported yet.
    private var silent: Set<String> = []
    private var isSilenceNew = false
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
    /// While nothing comes, the readers are asked this often whether they answer at all (Q212).
    private static let nextProbe = Duration.seconds(3)

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
            // pcscd reports all cards again when it comes back.
            (readers, places) = ([], [:])
            refusal = error
        case .readerArrived(let reader): readers.insert(reader)
        case .readerRemoved(let reader):
            readers.remove(reader)
            places[reader] = nil
        case .cardInserted(let reader, _), .cardMute(let reader, _):
            stays += 1
            places[reader, default: CardPlace()].insert(stay: stays, now: .now)
        case .cardRemoved(let reader, _):
            places[reader]?.remove(now: .now)
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
            case .refused: await change(since: seen, within: Self.nextAttempt)
            case .none: await change(since: seen, within: isAgain ? nil : left)
            }
            if Task.isCancelled { throw unavailability ?? .cancelled }
        }
    }

    // MARK: Readers that hang

    /// Asks readers without a card whether they answer, until cancelled: one that hangs while pcscd powers a phone up
    /// is silent, and so is pcscd about it (Q212).
    ///
    /// The first time also readers on which the phone of an earlier presentation lies, since pcscd looks for a card
    /// when it is asked. libccid loses what a reader with several slots reports at the moment in which pcscd ends a
    /// connection; without a question pcscd would look again after 10 minutes (Q131).
    private func probe() async {
        var asksServed = true
        while (try? await Task.sleep(for: Self.nextProbe)) != nil {
            for reader in selector.candidates(among: (try? await service.readers()) ?? []) {
                let place = places[reader.name] ?? CardPlace()
                guard !place.isOccupied || (asksServed && place.isServed) else { continue }
                let answers = await service.answers(reader.name)
                if !Task.isCancelled { note(answers, reader.name) }
            }
            asksServed = false
        }
    }

    private func note(_ answers: Bool, _ reader: String) {
        guard answers == silent.contains(reader) else { return }
        silent.formSymmetricDifference([reader])
        hindrance = answers ? nil : .readerBlocked
        isSilenceNew = !answers
        wake()
    }

    // MARK: Cards

    /// What prevents any phone from being detected or read.
    private var unavailability: ContactlessError? {
        let error = refusal ?? (readers.isEmpty ? .noReader : hindrance)
        return error.map { .readerUnavailable(ReaderFault($0)) }
    }

    private enum Attempt {
        case none
        case refused
        case mute(stay: Int)
        case connected(any ContactlessCard)
    }

    /// The card of the most promising reader that has one that counts.
    private func card(again: Bool) async -> Attempt {
        guard places.values.contains(where: { $0.counts(again: again) }),
            let readers = try? await service.readers()
        else { return .none }
        var attempt = Attempt.none
        for reader in selector.candidates(among: readers) {
            guard let place = places[reader.name], place.counts(again: again) else { continue }
            do throws(PCSCTransportError) {
                return .connected(try await connect(to: reader, stay: place.stay))
            } catch .cardMute, .protocolMismatch {
                places[reader.name]?.noteTried()
                return .mute(stay: place.stay)
            } catch {
                attempt = .refused
                if error == .readerBlocked || error == .readerInUse { hindrance = error }
            }
        }
        return attempt
    }

    private func connect(
        to reader: ReaderDescription, stay: Int
    ) async throws(PCSCTransportError) -> PCSCContactlessCard {
        let card = try await service.connect(to: reader)
        if reader.cardAtRelease == .leave, places[reader.name]?.wasTried == true { try await card.reset() }
        places[reader.name]?.noteTried()
        hindrance = nil
        return PCSCContactlessCard(card: card, stay: stay, reader: reader, service: service)
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
    let stay: Int
    let reader: ReaderDescription
    let service: PCSCService

    /// How long pcscd may need to notice that a reader was unplugged.
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
            throw ContactlessError(error, isReaderListed: error.isOfCard ? await isReaderListed : true)
        }
    }

    /// A command to a reader that was unplugged ends like one to a phone that left (Q209).
    private var isReaderListed: Bool {
        get async {
            let deadline = ContinuousClock.now + Self.unplugging
            while await service.lists(reader.name) {
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
    /// What an exchange that failed says of the phone or the reader.
    init(_ error: PCSCTransportError, isReaderListed: Bool) {
        switch error {
        case .cancelled: self = .cancelled
        case .readerBlocked, .commandLength, .readerMissing: self = .readerUnavailable(ReaderFault(error))
        // pcscd may be lost too: the wait for the next card reports that.
        default: self = isReaderListed ? .cardLost : .readerUnavailable(.readerMissing)
        }
    }
}

extension PCSCTransportError {
    /// Whether an exchange ends so when a phone leaves.
    fileprivate var isOfCard: Bool {
        switch self {
        case .cardLost, .linkLost, .noCard, .cardMute, .cardReset, .unexpected: true
        default: false
        }
    }
}
