internal import MdocSession

/// How a tap ended that gave no answer.
enum TapEnd: Error {
    /// The phone has no wallet to show: locked, or its screen is off (Q1).
    case noWallet(NFCEndReason)
    /// It broke off; the same request waits for the next tap (Q2, Q57).
    case broken(NFCEndReason)
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
struct TapSeries {
    /// Taps that break off for ever must not hold the reader for ever.
    private static let mostTaps = 20

    /// The instant until which a phone is waited for.
    private(set) var deadline: ContinuousClock.Instant
    /// Whether the phone that was there last is locked, and is looked at again without being lifted.
    private(set) var isLocked = false
    private let nextTap: Duration
    private var brokenTaps = 0
    private var last: NFCEndReason?

    init(_ deadlines: PresentationDeadlines) {
        deadline = .now + deadlines.engagement
        nextTap = deadlines.nextTap
    }

    var isOverdue: Bool { ContinuousClock.now >= deadline }

    var failure: PresentationFailure {
        guard let last else { return .engagementOverdue(lastTap: nil) }
        return last.phase.isDataTransfer ? .linkLost : .engagementOverdue(lastTap: last)
    }

    /// Records a tap that gave no answer, and returns the events to report. Throws if it was the last.
    mutating func note(_ end: TapEnd) throws(PresentationFailure) -> [PresentationEvent] {
        switch end {
        case .failed(let failure): throw failure
        case .noWallet(let reason):
            let isNew = !isLocked
            isLocked = true
            last = last ?? reason
            return isNew ? [.phoneLocked] : []
        case .broken(let reason):
            isLocked = false
            last = reason
            brokenTaps += 1
            guard brokenTaps < Self.mostTaps else { throw failure }
            deadline = max(deadline, .now + nextTap)
            return [.tapAgain(reason)] + (brokenTaps == 2 ? [.offerQR] : [])
        }
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
