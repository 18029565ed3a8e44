internal import ISO7816
internal import MdocSession
internal import Transport

/// How a tap ended that gave no answer.
enum TapEnd: Error {
    /// The card has no wallet to show: a phone that is locked or whose screen is off (Q1), or no phone (Q206).
    case noWallet(NFCEndReason)
    /// It broke off; the same request waits for the next tap (Q2, Q57).
    case broken(NFCEndReason)
    /// The phone left the field with the request, in the time for consent of NFC v2: its holder confirms, and taps again.
    case requestTaken(NFCEndReason)
    /// The phone was engaged and did not connect over Bluetooth in time (Q207).
    case unconnected
    /// Another tap would not help.
    case failed(PresentationFailure)
}

extension TapEnd {
    /// What ended an engagement. Whatever a phone did wrong in it, it may do right at the next tap.
    init(engaging end: CardDriver.End) {
        switch end {
        case .stopped: self = .failed(.cancelled)
        case .readerUnavailable(let fault): self = .failed(.readerUnavailable(fault))
        case .machine(let reason):
            switch reason.fault {
            case .noWalletYet: self = .noWallet(reason)
            case .status(let word) where reason.phase == .selectApplication && word.isOfOtherCard:
                self = .noWallet(reason)
            case .noUsableCarrier: self = .failed(.noUsableRetrieval)
            default: self = .broken(reason)
            }
        }
    }

    /// What ended a data transfer: a phone that left may come back, a fault in the transfer is one.
    init(retrieving end: CardDriver.End) {
        switch end {
        case .stopped: self = .failed(.cancelled)
        case .readerUnavailable(let fault): self = .failed(.readerUnavailable(fault))
        case .machine(let reason) where reason.fault == .cardLost: self = .broken(reason)
        case .machine(let reason):
            let isConsent = reason.fault == .deadlinePassed && reason.phase == .awaitResponse
            self = .failed(isConsent ? .consentOverdue : .transfer(reason))
        }
    }
}

/// The taps of one presentation, as a value that is fed with time: why each tap gave no answer, and how long the next phone is
/// waited for.
///
/// A driver (`RunningTransaction`) does what each step says. It waits for a phone and taps it, or says why no phone came
/// (`receive(_:now:)`); and it says how a tap ended that gave no answer (`receive(_:stay:now:)`). The value reads no clock, waits
/// for nothing and reports nothing.
///
/// The series ends at its deadline, which is first the time for an engagement. A tap that broke off moves it to the time for the next
/// tap at least, and a phone that left with the request moves it once to the time in which its holder may confirm.
///
/// A phone that stays on the reader after its tap is looked at again, since no reader reports it again (Q202). How soon depends on
/// what the phone showed in this stay:
/// - no wallet: after a moment, so that the phone can be unlocked. If that lasts, the card may be no phone (Q206);
/// - a tap that broke off: a few times, for a few seconds. If the phone left meanwhile, its holder is asked to tap again;
/// - the last of these tries: the phone must be lifted. Only a mute card is looked at again.
///
/// Phones that were engaged and did not connect over Bluetooth lead to a tap that offers NFC alone, and then to a QR code (Q207).
struct TapSeries {
    /// What the driver does.
    struct Step: Equatable {
        enum Next: Equatable {
            /// Wait for a phone until then. After the time `again` the phone that stayed counts again; nil if it must be lifted
            /// first.
            case wait(until: ContinuousClock.Instant, again: Duration?)
            case end(PresentationFailure)
        }

        /// The events to report first.
        let events: [PresentationEvent]
        let next: Next

        /// The wait for the next phone. Throws if the series has ended.
        var wait: (deadline: ContinuousClock.Instant, again: Duration?) {
            get throws(PresentationFailure) {
                switch next {
                case .wait(let deadline, let again): (deadline, again)
                case .end(let failure): throw failure
                }
            }
        }
    }

    /// The ways that a tap offers to its phone.
    struct Offer: Equatable {
        let bluetooth: Bool
        /// Whether the tap begins with NFC v2.
        let version2: Bool
    }

    /// The maximum number of taps that break off: the reader is not held for ever.
    static let mostTaps = 20
    /// The maximum number of tries while a phone stays on the reader.
    static let mostTries = 4

    private let deadlines: PresentationDeadlines
    /// Whether an answer may come over NFC alone.
    private let hasNFC: Bool
    private let version2: RetrievalPlan.NFCVersion2
    /// The instant until which a phone is waited for.
    private var deadline: ContinuousClock.Instant
    /// The phone that was there last, until it has been away or another came.
    private var stay: Stay?
    private var brokenTaps = 0
    private var hasOfferedQR = false
    private var last: NFCEndReason?
    /// The instant until which taps begin with classic handover, after a phone that began NFC v2 and failed.
    private var version2Rest: ContinuousClock.Instant?
    /// The instant until which the request waits for a phone that took it.
    private var armedEnd: ContinuousClock.Instant?
    /// The number of phones that were engaged and did not connect.
    private var unconnected = 0

    /// A phone while it stays on the reader.
    private struct Stay {
        enum State {
            /// It shows no wallet; `isOther` where that has lasted so long that it may be no phone.
            case noWallet(isOther: Bool)
            case broken(tries: Int, isReported: Bool)
            /// It was tried as often as may be.
            case spent(isMute: Bool)
        }

        let number: Int
        /// The instant of its first tap that gave no answer.
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

    /// Returns what a phone that came is offered: no Bluetooth after two phones that did not connect, where NFC can do.
    func offer(now: ContinuousClock.Instant) -> Offer {
        let triesVersion2 =
            switch version2 {
            case .off: false
            case .only: true
            case .automatic: version2Rest.map { now >= $0 } ?? true
            }
        return Offer(bluetooth: offersBluetooth, version2: hasNFC && triesVersion2)
    }

    /// Takes the reason why no phone came.
    mutating func receive(_ error: ContactlessError, now: ContinuousClock.Instant) -> Step {
        if case .cardMute(let stay) = error {
            return receive(.broken(NFCEndReason(.selectApplication, .cardMute)), stay: stay, now: now)
        }
        // The end of a wait interrupts the reader, which may then name any reason.
        if now >= waitEnd, now < deadline {
            let events = recordLifted()
            return step(after: events, now)
        }
        switch error {
        // It may recover (Q212).
        case .readerUnavailable(.readerBlocked) where now < deadline: return step(after: [.readerSilent], now)
        case .readerUnavailable(let fault): return Step(events: [], next: .end(.readerUnavailable(fault)))
        case .cardLost, .cardMute, .cancelled: return step(after: [], now)
        }
    }

    /// Takes the end of a tap that gave no answer.
    ///
    /// - Parameter number: the phone's stay on the reader.
    mutating func receive(_ end: TapEnd, stay number: Int, now: ContinuousClock.Instant) -> Step {
        do throws(PresentationFailure) {
            let events = try record(end, of: number, now: now)
            return step(after: events, now)
        } catch {
            return Step(events: [], next: .end(error))
        }
    }

    private func step(after events: [PresentationEvent], _ now: ContinuousClock.Instant) -> Step {
        Step(events: events, next: now >= deadline ? .end(failure) : .wait(until: waitEnd, again: again))
    }

    // MARK: Waits

    private var offersBluetooth: Bool { !hasNFC || unconnected != 2 }

    /// The end of the wait for the next card: that of the time for tries, where the last tap was not reported.
    private var waitEnd: ContinuousClock.Instant {
        guard let stay, case .broken(_, isReported: false) = stay.state else { return deadline }
        return min(deadline, stay.began + deadlines.tries)
    }

    /// The time after which the phone that stays is looked at again; nil if it must be lifted first.
    private var again: Duration? {
        switch stay?.state {
        case nil, .spent(isMute: false)?: nil
        case .noWallet(isOther: false)?: deadlines.lockedPhone
        case .broken?: deadlines.nextTry
        case .noWallet(isOther: true)?, .spent(isMute: true)?: deadlines.otherCard
        }
    }

    private var failure: PresentationFailure {
        guard let last else {
            return unconnected > 0 ? .connectionOverdue : .engagementOverdue(lastTap: nil)
        }
        if armedEnd != nil { return .consentOverdue }
        return last.phase.isDataTransfer ? .linkLost : .engagementOverdue(lastTap: last)
    }

    // MARK: Records

    /// Records a tap that gave no answer, and returns the events to report. Throws if it was the last.
    private mutating func record(
        _ end: TapEnd, of number: Int, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        if stay?.number != number { stay = nil }
        // A phone that is in NFC v2 has no way back to classic handover in the same activation.
        if case .broken(let reason) = end, reason.isOfVersion2, reason.fault != .cardLost {
            version2Rest = now + deadlines.version2Rest
        }
        switch end {
        case .unconnected: return try recordUnconnected(now)
        // NFC alone was offered, and the phone cannot do it.
        case .failed(.noUsableRetrieval) where !offersBluetooth: return try recordUnconnected(now)
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

    /// A state and no fault: no QR code is offered for it.
    private mutating func recordRequestTaken(
        _ reason: NFCEndReason, of number: Int, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        last = reason
        let end = armedEnd ?? now + deadlines.armed
        armedEnd = end
        let events = try recordBroken(reason, of: number, now: now)
        deadline = max(deadline, end)
        return events.map { if case .tapAgain = $0 { .confirmThenTapAgain } else { $0 } }
    }

    /// Records that the phone of a tap that broke off did not stay, and returns the events to report.
    private mutating func recordLifted() -> [PresentationEvent] {
        guard let stay, case .broken(_, isReported: false) = stay.state, let last else { return [] }
        self.stay = nil
        return offeringQR([.tapAgain(last)])
    }

    /// Returns the events, with the offer of a QR code at the second tap that broke off (Q12).
    private mutating func offeringQR(_ events: [PresentationEvent]) -> [PresentationEvent] {
        guard !events.isEmpty, brokenTaps >= 2, !hasOfferedQR else { return events }
        hasOfferedQR = true
        return events + [.offerQR]
    }

    /// First the phone is waited for again, then NFC is offered alone, then a QR code.
    private mutating func recordUnconnected(
        _ now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        (stay, last) = (nil, nil)
        unconnected += 1
        guard unconnected < Self.mostTaps else { throw failure }
        deadline = max(deadline, now + deadlines.nextTap)
        return [.armed] + (unconnected == (hasNFC ? 3 : 2) ? [.offerQR] : [])
    }

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

    private mutating func recordBroken(
        _ reason: NFCEndReason, of number: Int, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> [PresentationEvent] {
        var tries = 1
        if case .spent? = stay?.state { return [] }
        if case .broken(let earlier, _)? = stay?.state {
            tries += earlier
        } else {
            stay = Stay(number: number, began: now, state: .broken(tries: 0, isReported: false))
            brokenTaps += 1
        }
        guard brokenTaps < Self.mostTaps else { throw failure }
        deadline = max(deadline, now + deadlines.nextTap)
        return report(reason, tries: tries, now: now)
    }

    /// A phone that left is lifted already; one that stays has to be, once it was tried often enough.
    private mutating func report(
        _ reason: NFCEndReason, tries: Int, now: ContinuousClock.Instant
    ) -> [PresentationEvent] {
        let hasLeft = reason.fault == .cardLost
        let isOverdue = stay.map { now >= $0.began + deadlines.tries } ?? true
        guard tries >= Self.mostTries || (isOverdue && !hasLeft) else {
            stay?.state = .broken(tries: tries, isReported: hasLeft)
            return hasLeft ? [.tapAgain(reason)] : []
        }
        stay?.state = .spent(isMute: reason.fault == .cardMute)
        return [.liftAndTapAgain(reason)]
    }
}

extension StatusWord {
    /// Whether cards of other kinds answer this to a SELECT that they do not know (Q206).
    fileprivate var isOfOtherCard: Bool {
        [.functionNotSupported, .incorrectParameters, .instructionNotSupported, .classNotSupported]
            .contains(self)
    }
}

extension NFCEndReason {
    /// Whether it broke off in an NFC v2 engagement.
    fileprivate var isOfVersion2: Bool { phase == .handoverVersion2 || phase == .selectVersion2 }

    /// Whether the phone did something wrong before the data transfer.
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
