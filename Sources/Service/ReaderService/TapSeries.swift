internal import ISO7816
internal import MdocSession
internal import Transport

/// The end of a tap that gave no answer.
enum TapEnd: Error {
    /// The card shows no wallet. The card is a phone that is locked or whose screen is off (Q1), or is not a
    /// phone (Q206).
    case noWallet(NFCEndReason)
    /// The tap broke off. The reader sends the same request at the next tap (Q2, Q57).
    case broken(NFCEndReason)
    /// The phone received the request and was lifted before its holder decided, as NFC v2 allows. The holder
    /// confirms and taps again.
    case requestTaken(NFCEndReason)
    /// The phone was engaged and did not connect over Bluetooth in time (Q207).
    case unconnected
    /// The presentation failed, and another tap would not help.
    case failed(PresentationFailure)
}

extension TapEnd {
    /// The end of a tap whose engagement failed. A fault of the phone is no final failure, because its next
    /// tap may succeed.
    init(engaging end: CardDriver.End) {
        switch end {
        case .stopped: self = .failed(.cancelled)
        case .readerUnavailable(let fault): self = .failed(.readerUnavailable(fault))
        case .machine(let reason):
            switch reason.fault {
            case .noWalletYet: self = .noWallet(reason)
            case .status(let word) where reason.phase == .selectApplication && word.isOfOtherCard:
                self = .noWallet(reason)
            // Another tap would offer the same carriers.
            case .noUsableCarrier: self = .failed(.noUsableRetrieval)
            default: self = .broken(reason)
            }
        }
    }

    /// The end of a tap whose data transfer failed. A phone that left may come back; every other fault is a
    /// final failure.
    init(retrieving end: CardDriver.End) {
        switch end {
        case .stopped: self = .failed(.cancelled)
        case .readerUnavailable(let fault): self = .failed(.readerUnavailable(fault))
        case .machine(let reason) where reason.fault == .cardLost: self = .broken(reason)
        case .machine(let reason):
            // The holder decides in this phase, so its deadline is the end of the time for consent.
            let isConsent = reason.fault == .deadlinePassed && reason.phase == .awaitResponse
            self = .failed(isConsent ? .consentOverdue : .transfer(reason))
        }
    }
}

/// The state of the taps of one presentation. After each tap without an answer, this value decides what to
/// report and how long to wait for the next phone.
///
/// A driver (`RunningTransaction`) carries out each `Step`: it reports the events, waits for a phone and runs
/// a tap. The driver then passes back why no phone came (`receive(_:now:)`), or how a tap without an answer
/// ended (`receive(_:stay:now:)`). Each call passes the current time, because the value reads no clock, waits
/// for nothing and reports nothing.
///
/// The series ends at its deadline. At first the deadline is the end of the time for an engagement. A tap
/// that broke off moves the deadline if less than the time for the next tap is left (Q5). The first phone
/// that receives the request and is lifted without an answer moves the deadline once more, so that the holder
/// has time to confirm.
///
/// PC/SC readers announce a phone only once while it stays on them, so the series determines when the phone
/// is tried again (Q202). The time depends on what the phone showed during its stay:
/// - **No wallet:** the phone is tried again after a moment, so that it can be unlocked. If no wallet is
///   shown for longer, the card may be no phone, and is tried less often (Q206).
/// - **A tap that broke off:** the phone is tried a few times, for a few seconds. If the phone left
///   meanwhile, its holder is asked to tap again.
/// - **All attempts failed:** the phone must be lifted. Only a card that does not answer to power-up is tried
///   again (Q203).
///
/// After two phones that were engaged and did not connect over Bluetooth, one tap offers NFC only. If this
/// tap fails as well, a QR code is offered (Q207).
struct TapSeries {
    /// The next step of the driver.
    struct Step: Equatable {
        enum Next: Equatable {
            /// Wait for a phone until an instant. After the time `again`, a phone that stayed on the reader
            /// is tried like a new one. If `again` is `nil`, the phone must be lifted first.
            case wait(until: ContinuousClock.Instant, again: Duration?)
            /// End the presentation with this failure.
            case end(PresentationFailure)
        }

        /// The events to report first.
        let events: [PresentationEvent]
        let next: Next

        /// The wait for the next phone.
        ///
        /// - Throws: the failure with which the series ended.
        var wait: (deadline: ContinuousClock.Instant, again: Duration?) {
            get throws(PresentationFailure) {
                switch next {
                case .wait(let deadline, let again): (deadline, again)
                case .end(let failure): throw failure
                }
            }
        }
    }

    /// The transports and the handover that a tap offers to its phone.
    struct Offer: Equatable {
        let bluetooth: Bool
        /// Whether the tap begins with NFC v2.
        let version2: Bool
    }

    /// The maximum number of taps that break off, so that nobody occupies the reader for ever.
    static let mostTaps = 20
    /// The maximum number of attempts while a phone stays on the reader (Q202).
    static let mostTries = 4

    private let deadlines: PresentationDeadlines
    /// Whether an answer may come over NFC alone.
    private let hasNFC: Bool
    private let version2: RetrievalPlan.NFCVersion2
    /// The instant at which the series ends.
    private var deadline: ContinuousClock.Instant
    /// The phone that was on the reader last, until it was lifted or another came.
    private var stay: Stay?
    private var brokenTaps = 0
    private var hasOfferedQR = false
    /// The reason why the last tap broke off or, if no tap has broken off, the reason for the first card
    /// without a wallet.
    private var last: NFCEndReason?
    /// The end of the time in which taps begin with classic handover; `nil` before any NFC v2 engagement has
    /// failed.
    private var version2Rest: ContinuousClock.Instant?
    /// The end of the wait for a phone that received the request and was lifted without an answer; `nil` if
    /// no phone did so.
    private var armedEnd: ContinuousClock.Instant?
    /// The number of taps whose phone was engaged and did not connect over Bluetooth.
    private var unconnected = 0

    /// A phone while it stays on the reader.
    private struct Stay {
        enum State {
            /// The phone shows no wallet. `isOther` is true if no wallet was shown for so long that the card
            /// may be no phone.
            case noWallet(isOther: Bool)
            /// The tap broke off `tries` times. `isReported` is true if the holder was asked to tap again.
            case broken(tries: Int, isReported: Bool)
            /// All attempts broke off. `isMute` is true if the card did not answer to power-up.
            case spent(isMute: Bool)
        }

        let number: Int
        /// The instant of the first tap without an answer since the phone came to the reader.
        let began: ContinuousClock.Instant
        var state: State
    }

    init(
        _ deadlines: PresentationDeadlines, hasNFC: Bool = true,
        version2: RetrievalPlan.NFCVersion2 = .off, now: ContinuousClock.Instant
    ) {
        self.deadlines = deadlines
        self.hasNFC = hasNFC
        self.version2 = version2
        deadline = now + deadlines.engagement
    }

    // MARK: Steps

    /// The first step.
    var start: Step { Step(events: [.armed], next: .wait(until: waitEnd, again: again)) }

    /// Returns the ways that a tap offers now. After two phones that did not connect, one tap offers no
    /// Bluetooth, if NFC can be used (Q207).
    func offer(now: ContinuousClock.Instant) -> Offer {
        let triesVersion2 =
            switch version2 {
            case .off: false
            case .only: true
            // Before any NFC v2 engagement has failed, every tap begins with NFC v2.
            case .automatic: version2Rest.map { now >= $0 } ?? true
            }
        return Offer(bluetooth: offersBluetooth, version2: hasNFC && triesVersion2)
    }

    /// Accepts the reason why no phone came, and returns the next step.
    mutating func receive(_ error: ContactlessError, now: ContinuousClock.Instant) -> Step {
        // A card that does not answer to power-up counts as a tap that broke off at its first command (Q203).
        if case .cardMute(let stay) = error {
            return receive(.broken(NFCEndReason(.selectApplication, .cardMute)), stay: stay, now: now)
        }
        // The driver interrupts the reader at the end of a wait, so the error says nothing about the reader.
        // A wait that ends before the deadline follows a tap that broke off (`waitEnd`). If that phone had
        // stayed on the reader, it would have been tried again. So the phone was lifted.
        if now >= waitEnd, now < deadline {
            let events = recordLifted()
            return step(after: events, now)
        }
        switch error {
        // A blocked reader may recover (Q212).
        case .readerUnavailable(.readerBlocked) where now < deadline: return step(after: [.readerSilent], now)
        case .readerUnavailable(let fault): return Step(events: [], next: .end(.readerUnavailable(fault)))
        case .cardLost, .cardMute, .cancelled: return step(after: [], now)
        }
    }

    /// Accepts the end of a tap that gave no answer, and returns the next step.
    ///
    /// - Parameter number: the number of the phone's stay on the reader. A phone that left and came back has
    ///   a new number.
    mutating func receive(_ end: TapEnd, stay number: Int, now: ContinuousClock.Instant) -> Step {
        do throws(PresentationFailure) {
            let events = try record(end, of: number, now: now)
            return step(after: events, now)
        } catch {
            return Step(events: [], next: .end(error))
        }
    }

    /// Returns the step that reports these events and waits again, or ends the series after its deadline.
    private func step(after events: [PresentationEvent], _ now: ContinuousClock.Instant) -> Step {
        Step(events: events, next: now >= deadline ? .end(failure) : .wait(until: waitEnd, again: again))
    }

    // MARK: Waits

    /// Whether the next tap offers Bluetooth. After two phones that did not connect, one tap offers NFC only.
    /// If that tap fails as well, Bluetooth is offered again beside a QR code (Q207).
    private var offersBluetooth: Bool { !hasNFC || unconnected != 2 }

    /// The end of the wait for the next phone. After a tap that broke off without being reported, the wait
    /// ends when the time for attempts is over, so that the holder can be asked to tap again.
    private var waitEnd: ContinuousClock.Instant {
        guard let stay, case .broken(_, isReported: false) = stay.state else { return deadline }
        return min(deadline, stay.began + deadlines.tries)
    }

    /// The time after which a phone that stays is tried again; `nil` if it must be lifted first.
    private var again: Duration? {
        switch stay?.state {
        case nil, .spent(isMute: false)?: nil
        case .noWallet(isOther: false)?: deadlines.lockedPhone
        case .broken?: deadlines.nextTry
        case .noWallet(isOther: true)?, .spent(isMute: true)?: deadlines.otherCard
        }
    }

    /// The failure of a series that has ended without an answer.
    private var failure: PresentationFailure {
        guard let last else {
            return unconnected > 0 ? .connectionOverdue : .engagementOverdue(lastTap: nil)
        }
        // A phone has received the request and was lifted, so its holder had the time to confirm.
        if armedEnd != nil { return .consentOverdue }
        return last.phase.isDataTransfer ? .linkLost : .engagementOverdue(lastTap: last)
    }

    // MARK: Records

    /// Records a tap that gave no answer, and returns the events to report.
    ///
    /// - Throws: the failure, if this tap was the last.
    private mutating func record(
        _ end: TapEnd, of number: Int, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        // Another number means that the phone of the previous stay was lifted.
        if stay?.number != number { stay = nil }
        // A phone that began NFC v2 cannot return to classic handover in the same activation, so the next
        // taps begin with classic handover.
        if case .broken(let reason) = end, reason.isOfVersion2, reason.fault != .cardLost {
            version2Rest = now + deadlines.version2Rest
        }
        switch end {
        case .unconnected: return try recordUnconnected(now)
        // Only NFC was offered, which this phone does not support.
        case .failed(.noUsableRetrieval) where !offersBluetooth: return try recordUnconnected(now)
        // The engagement of a phone that supports only Bluetooth may also break off.
        case .broken(let reason) where !offersBluetooth && reason.isOfEngagement:
            return try recordUnconnected(now)
        case .failed(let failure): throw failure
        case .noWallet(let reason):
            last = last ?? reason
            return recordNoWallet(number, now)
        case .requestTaken(let reason): return try recordRequestTaken(reason, of: number, now: now)
        case .broken(let reason):
            last = reason
            return offeringQR(try recordBroken(reason, of: number, now: now))
        }
    }

    /// Records a phone that received the request and was lifted without an answer. NFC v2 allows this, so no
    /// QR code is offered after such a tap.
    private mutating func recordRequestTaken(
        _ reason: NFCEndReason, of number: Int, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        last = reason
        // Set once, so that repeated taps do not make the reader wait for ever.
        let end = armedEnd ?? now + deadlines.armed
        armedEnd = end
        let events = try recordBroken(reason, of: number, now: now)
        deadline = max(deadline, end)
        return events.map { if case .tapAgain = $0 { .confirmThenTapAgain } else { $0 } }
    }

    /// Records that the phone was lifted after a tap that broke off, and returns the events to report.
    private mutating func recordLifted() -> [PresentationEvent] {
        guard let stay, case .broken(_, isReported: false) = stay.state, let last else { return [] }
        self.stay = nil
        return offeringQR([.tapAgain(last)])
    }

    /// Returns the events, followed by the offer of a QR code at the second tap that broke off (Q12).
    private mutating func offeringQR(_ events: [PresentationEvent]) -> [PresentationEvent] {
        guard !events.isEmpty, brokenTaps >= 2, !hasOfferedQR else { return events }
        hasOfferedQR = true
        return events + [.offerQR]
    }

    /// Records a phone that was engaged and did not connect. After the first such tap, the reader waits for
    /// the phone again. After the second, the next tap offers NFC only. After the third, a QR code is offered
    /// too (Q207). If NFC cannot be used, the QR code is offered after the second tap.
    private mutating func recordUnconnected(
        _ now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        // `last` is cleared, because `failure` returns `connectionOverdue` only if `last` is `nil`.
        (stay, last) = (nil, nil)
        unconnected += 1
        guard unconnected < Self.mostTaps else { throw failure }
        deadline = max(deadline, now + deadlines.nextTap)
        return [.armed] + (unconnected == (hasNFC ? 3 : 2) ? [.offerQR] : [])
    }

    /// Records a card without a wallet. Reports a locked phone first and, if the card stays for longer than
    /// `unlocking`, a card that is no ID; each is reported once.
    private mutating func recordNoWallet(_ number: Int, _ now: ContinuousClock.Instant) -> [PresentationEvent]
    {
        guard let stay, case .noWallet(let isOther) = stay.state else {
            self.stay = Stay(number: number, began: now, state: .noWallet(isOther: false))
            return [.phoneLocked]
        }
        guard !isOther, now >= stay.began + deadlines.unlocking else { return [] }
        self.stay?.state = .noWallet(isOther: true)
        return [.notAnID]
    }

    /// Records an attempt that broke off. Attempts during one stay of the phone count as one tap.
    private mutating func recordBroken(
        _ reason: NFCEndReason, of number: Int, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        var tries = 1
        // The holder was already asked to lift this phone.
        if case .spent? = stay?.state { return [] }
        if case .broken(let earlier, _)? = stay?.state {
            tries += earlier
        } else {
            // The attempt itself is counted at the end of this function.
            stay = Stay(number: number, began: now, state: .broken(tries: 0, isReported: false))
            brokenTaps += 1
        }
        guard brokenTaps < Self.mostTaps else { throw failure }
        deadline = max(deadline, now + deadlines.nextTap)
        return recordTry(reason, tries: tries, now: now)
    }

    /// Records the number of attempts. Returns `liftAndTapAgain` if the attempts or the time for them are
    /// used up, `tapAgain` if the phone has left, and no event otherwise.
    private mutating func recordTry(
        _ reason: NFCEndReason, tries: Int, now: ContinuousClock.Instant
    ) -> [PresentationEvent] {
        let hasLeft = reason.fault == .cardLost
        let isOverdue = stay.map { now >= $0.began + deadlines.tries } ?? true
        // A phone that has left needs no request to lift it, even if the time for attempts is over.
        guard tries >= Self.mostTries || (isOverdue && !hasLeft) else {
            stay?.state = .broken(tries: tries, isReported: hasLeft)
            return hasLeft ? [.tapAgain(reason)] : []
        }
        stay?.state = .spent(isMute: reason.fault == .cardMute)
        return [.liftAndTapAgain(reason)]
    }
}

extension StatusWord {
    /// Whether cards that are no phones give this status word to the SELECT of an application that they do
    /// not know (Q206).
    fileprivate var isOfOtherCard: Bool {
        [.functionNotSupported, .incorrectParameters, .instructionNotSupported, .classNotSupported]
            .contains(self)
    }
}

extension NFCEndReason {
    /// Whether the tap ended during an NFC v2 engagement.
    fileprivate var isOfVersion2: Bool { phase == .handoverVersion2 || phase == .selectVersion2 }

    /// Whether a fault of the phone ended the tap before the data transfer.
    fileprivate var isOfEngagement: Bool {
        !phase.isDataTransfer && fault != .cardLost && fault != .cardMute
    }
}

extension NFCPhase {
    fileprivate var isDataTransfer: Bool {
        switch self {
        case .selectDataTransfer, .idle, .sendMessage, .awaitResponse, .receiveMessage: true
        default: false
        }
    }
}
