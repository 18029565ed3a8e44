internal import ISO7816
internal import MdocSession

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

/// The taps of one presentation: how long the next may be waited for, and what became of those before.
///
/// A phone that stays on the reader after a tap that broke off is tried again, since no reader reports it again (Q202).
struct TapSeries {
    /// Taps that break off for ever must not hold the reader for ever.
    private static let mostTaps = 20
    /// How often one stay on the reader is tried.
    private static let mostTries = 4

    /// The instant until which a phone is waited for.
    private var deadline: ContinuousClock.Instant
    private let deadlines: PresentationDeadlines
    /// The phone that was there last, until it has been away or another came.
    private var stay: Stay?
    private var brokenTaps = 0
    private var hasOfferedQR = false
    private var last: NFCEndReason?
    /// Whether an answer may come over NFC alone.
    private let hasNFC: Bool
    private let version2: RetrievalPlan.NFCVersion2
    /// NFC v2 rests until then, after a phone that began it and failed.
    private var version2Rest: ContinuousClock.Instant?
    /// Until when the request waits for a phone that took it.
    private var armedEnd: ContinuousClock.Instant?
    /// How many phones were engaged and did not connect.
    private var unconnected = 0

    /// What was seen of a phone while it stays on the reader.
    private struct Stay {
        enum State {
            /// It shows no wallet; `isOther` where that has lasted so long that it may be no phone.
            case noWallet(isOther: Bool)
            case broken(tries: Int, isReported: Bool)
            /// It was tried as often as may be.
            case spent(isMute: Bool)
        }

        let number: Int
        let began = ContinuousClock.now
        var state: State
    }

    init(
        _ deadlines: PresentationDeadlines, hasNFC: Bool = true, version2: RetrievalPlan.NFCVersion2 = .off
    ) {
        self.hasNFC = hasNFC
        self.version2 = version2
        deadline = .now + deadlines.engagement
        self.deadlines = deadlines
    }

    /// Whether the next tap may settle on Bluetooth: not after two phones that did not connect, where NFC can do.
    var offersBluetooth: Bool { !hasNFC || unconnected != 2 }

    /// Whether the next tap begins with NFC v2.
    var triesVersion2: Bool {
        switch version2 {
        case .off: false
        case .only: hasNFC
        case .automatic: hasNFC && version2Rest.map { ContinuousClock.now >= $0 } ?? true
        }
    }

    var isOverdue: Bool { ContinuousClock.now >= deadline }

    /// Until when the next card is waited for: the end of the time for tries, where the last tap was not reported.
    var nextWait: ContinuousClock.Instant {
        guard let stay, case .broken(_, isReported: false) = stay.state else { return deadline }
        return min(deadline, stay.began + deadlines.tries)
    }

    /// When the phone that stays is looked at again; nil if it must be lifted first.
    var again: Duration? {
        switch stay?.state {
        case nil, .spent(isMute: false)?: nil
        case .noWallet(isOther: false)?: deadlines.lockedPhone
        case .broken?: deadlines.nextTry
        case .noWallet(isOther: true)?, .spent(isMute: true)?: deadlines.otherCard
        }
    }

    var failure: PresentationFailure {
        guard let last else {
            return unconnected > 0 ? .connectionOverdue : .engagementOverdue(lastTap: nil)
        }
        if armedEnd != nil { return .consentOverdue }
        return last.phase.isDataTransfer ? .linkLost : .engagementOverdue(lastTap: last)
    }

    /// Records a tap that gave no answer, and returns the events to report. Throws if it was the last.
    ///
    /// - Parameter number: the stay in which it was.
    mutating func note(
        _ end: TapEnd, stay number: Int
    ) throws(PresentationFailure) -> [PresentationEvent] {
        if stay?.number != number { stay = nil }
        // A phone that is in NFC v2 has no way back to classic handover in the same activation.
        if case .broken(let reason) = end, reason.isOfVersion2, reason.fault != .cardLost {
            version2Rest = .now + deadlines.version2Rest
        }
        switch end {
        case .unconnected: return try noteUnconnected()
        // NFC alone was offered, and the phone cannot do it.
        case .failed(.noUsableRetrieval) where !offersBluetooth: return try noteUnconnected()
        case .broken(let reason) where !offersBluetooth && reason.isOfEngagement:
            return try noteUnconnected()
        case .failed(let failure): throw failure
        case .noWallet(let reason):
            last = last ?? reason
            return noteNoWallet(number)
        case .requestTaken(let reason): return try noteRequestTaken(reason, number)
        case .broken(let reason):
            last = reason
            return offeringQR(try noteBroken(reason, number))
        }
    }

    /// A state and no fault: no QR code is offered for it.
    private mutating func noteRequestTaken(
        _ reason: NFCEndReason, _ number: Int
    ) throws(PresentationFailure) -> [PresentationEvent] {
        last = reason
        let end = armedEnd ?? .now + deadlines.armed
        armedEnd = end
        let events = try noteBroken(reason, number)
        deadline = max(deadline, end)
        return events.map { if case .tapAgain = $0 { .confirmThenTapAgain } else { $0 } }
    }

    /// Records that the phone of a tap that broke off did not stay, and returns the events to report.
    mutating func noteLifted() -> [PresentationEvent] {
        guard let stay, case .broken(_, isReported: false) = stay.state, let last else { return [] }
        self.stay = nil
        return offeringQR([.tapAgain(last)])
    }

    /// With what is said of the second tap that broke off, a QR code is offered (Q12).
    private mutating func offeringQR(_ events: [PresentationEvent]) -> [PresentationEvent] {
        guard !events.isEmpty, brokenTaps >= 2, !hasOfferedQR else { return events }
        hasOfferedQR = true
        return events + [.offerQR]
    }

    /// First the phone is waited for again, then NFC is offered alone, then a QR code.
    private mutating func noteUnconnected() throws(PresentationFailure) -> [PresentationEvent] {
        (stay, last) = (nil, nil)
        unconnected += 1
        guard unconnected < Self.mostTaps else { throw failure }
        deadline = max(deadline, .now + deadlines.nextTap)
        return [.armed] + (unconnected == (hasNFC ? 3 : 2) ? [.offerQR] : [])
    }

    private mutating func noteNoWallet(_ number: Int) -> [PresentationEvent] {
        guard let stay, case .noWallet(let isOther) = stay.state else {
            self.stay = Stay(number: number, state: .noWallet(isOther: false))
            return [.phoneLocked]
        }
        guard !isOther, stay.began.duration(to: .now) >= deadlines.unlocking else { return [] }
        self.stay?.state = .noWallet(isOther: true)
        return [.notAnID]
    }

    private mutating func noteBroken(
        _ reason: NFCEndReason, _ number: Int
    ) throws(PresentationFailure) -> [PresentationEvent] {
        var tries = 1
        if case .spent? = stay?.state { return [] }
        if case .broken(let earlier, _)? = stay?.state {
            tries += earlier
        } else {
            stay = Stay(number: number, state: .broken(tries: 0, isReported: false))
            brokenTaps += 1
        }
        guard brokenTaps < Self.mostTaps else { throw failure }
        deadline = max(deadline, .now + deadlines.nextTap)
        return report(reason, tries)
    }

    /// A phone that left is lifted already; one that stays has to be, once it was tried often enough.
    private mutating func report(_ reason: NFCEndReason, _ tries: Int) -> [PresentationEvent] {
        let hasLeft = reason.fault == .cardLost
        let isOverdue = stay.map { $0.began.duration(to: .now) >= deadlines.tries } ?? true
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
