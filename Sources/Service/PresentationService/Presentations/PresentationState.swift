internal import ReaderService
internal import ReaderStore
internal import Reports

/// How far a presentation has come, as the API and its events say it.
package enum PresentationState: String, CaseIterable, Sendable {
    /// Waiting for a phone.
    case armed
    case engaged
    /// The request is out; the holder decides, without a countdown.
    case awaitingConsent
    /// The answer comes, or is being checked.
    case receiving
    /// Everything was verified and answered yes: the decision of a person alone is missing.
    case awaitingDecision
    case verified
    case rejected
    /// The holder returned nothing: declined, has no such document, or the wallet does not know this reader.
    case declined
    case cancelled
    case failed

    package var isOver: Bool {
        switch self {
        case .armed, .engaged, .awaitingConsent, .receiving, .awaitingDecision: false
        case .verified, .rejected, .declined, .cancelled, .failed: true
        }
    }

    init(_ report: TransactionReport) {
        switch report.unjudged {
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        case .allow, .deny, .unclear, nil: self = report.isAccepted ? .verified : .rejected
        }
    }
}

/// What the page may say beside the state.
package enum PresentationHint: String, CaseIterable, Sendable {
    /// A phone is waited for: its holder should open the ID first.
    case openYourID
    case phoneLocked
    /// What lies on the reader is a card, or a phone without an open ID.
    case notAnID
    /// The phone has to be lifted, and then to be tapped again.
    case tapAgain
    /// The phone took the request with it: its holder confirms, and taps again.
    case confirmThenTapAgain
    case offerQR, bluetoothUnavailable
    /// The phone may leave the reader: everything else comes over Bluetooth.
    case mayLift
    /// The phone has not connected over Bluetooth yet.
    case connecting
    /// It still has not: its Bluetooth may be off.
    case checkBluetooth
    /// The phone has to stay on the reader until the end.
    case hold
    /// A person has decided or closed the result, and what was shown is wiped.
    case decided
    /// What was shown is wiped, since its time was over or the lane started another presentation.
    case wiped
}

extension PresentationEvent {
    /// What it changes; nil leaves the state as it is.
    var state: PresentationState? {
        switch self {
        case .armed: .armed
        case .engaged: .engaged
        case .awaitingConsent: .awaitingConsent
        case .receiving, .verifying: .receiving
        case .phoneLocked, .notAnID, .offerQR, .bluetoothUnavailable, .mayLift, .connecting, .checkBluetooth,
            .readerSilent, .hold, .noted:
            nil
        // An interrupted tap starts again.
        case .tapAgain, .liftAndTapAgain, .confirmThenTapAgain: .armed
        }
    }

    /// What may be said from now on, where `before` was said.
    func hint(after before: PresentationHint?) -> PresentationHint? {
        switch self {
        case .armed: .openYourID
        case .phoneLocked: .phoneLocked
        case .notAnID: .notAnID
        case .tapAgain, .liftAndTapAgain: .tapAgain
        case .confirmThenTapAgain: .confirmThenTapAgain
        case .offerQR: .offerQR
        case .bluetoothUnavailable: .bluetoothUnavailable
        case .mayLift: .mayLift
        case .connecting: .connecting
        case .checkBluetooth: .checkBluetooth
        case .readerSilent, .noted: before
        case .hold: .hold
        case .awaitingConsent, .receiving, .verifying: before == .hold ? .hold : nil
        case .engaged: nil
        }
    }
}
