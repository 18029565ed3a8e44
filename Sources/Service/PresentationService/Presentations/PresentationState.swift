internal import ReaderService
internal import ReaderStore
internal import Reports

/// The progress of a presentation. The raw values are the names in the HTTP API and its events.
package enum PresentationState: String, CaseIterable, Sendable {
    /// The lane waits for a phone.
    case armed
    /// A phone has begun the exchange: it has sent its device engagement.
    case engaged
    /// The request was sent, and the holder decides until `PresentationRecord.deadline`.
    case awaitingConsent
    /// The response is arriving or being verified.
    case receiving
    /// The response was verified and every answer is yes; only a person's decision is missing.
    case awaitingDecision
    /// The response was verified. Answers to the questions of the request may nevertheless be no.
    case verified
    /// The response failed a check.
    case rejected
    /// The phone returned no document: the holder declined, has no such document, or the wallet does not know
    /// this reader.
    case declined
    /// The presentation was cancelled before it ended.
    case cancelled
    /// No response came, or it could not be read.
    case failed

    package var isOver: Bool {
        switch self {
        case .armed, .engaged, .awaitingConsent, .receiving, .awaitingDecision: false
        case .verified, .rejected, .declined, .cancelled, .failed: true
        }
    }

    /// The final state of a presentation with this report.
    init(_ report: TransactionReport) {
        switch report.unjudged {
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        // `unjudged` is `nil` if a response was judged. `unjudged` is never `allow`, `deny` or `unclear`,
        // since these outcomes need a judged response.
        case .allow, .deny, .unclear, nil: self = report.isAccepted ? .verified : .rejected
        }
    }
}

/// The instruction or remark that a page shows beside the state.
package enum PresentationHint: String, CaseIterable, Sendable {
    /// The holder should open the ID in the wallet before the tap.
    case openYourID
    /// The phone is locked.
    case phoneLocked
    /// A card, or a phone without an open ID, is on the reader.
    case notAnID
    /// The holder should lift the phone and tap again.
    case tapAgain
    /// The phone has the request: the holder should confirm on the phone and tap again.
    case confirmThenTapAgain
    /// A scanned code is no ID, such as the address of a web page.
    case codeNotAnID
    /// A scanned code is that of a reader, which the phone should scan.
    case codeOfReader
    /// A scanned code cannot be used: the holder should open the ID and its code again.
    case codeUnreadable
    /// `offerQR`: the page may offer to scan a QR code. `bluetoothUnavailable`: Bluetooth cannot be used.
    case offerQR, bluetoothUnavailable
    /// The phone may leave the reader, since the rest of the exchange takes place over Bluetooth.
    case mayLift
    /// The phone has not connected over Bluetooth yet.
    case connecting
    /// The phone has not connected for a while: its Bluetooth may be switched off.
    case checkBluetooth
    /// The phone must stay on the reader until the end.
    case hold
    /// A person decided or closed the result, and the name and portrait were wiped.
    case decided
    /// The name and portrait were wiped, because their deadline has passed or the lane began another
    /// presentation.
    case wiped
}

extension PresentationHint {
    /// Whether the hint is about a code that was scanned.
    var isOfCode: Bool {
        switch self {
        case .codeNotAnID, .codeOfReader, .codeUnreadable: true
        case .openYourID, .phoneLocked, .notAnID, .tapAgain, .confirmThenTapAgain, .offerQR,
            .bluetoothUnavailable, .mayLift, .connecting, .checkBluetooth, .hold, .decided, .wiped:
            false
        }
    }
}

extension PresentationEvent {
    /// Whether the phone has established a session when this event comes.
    var hasSession: Bool {
        switch self {
        case .awaitingConsent, .receiving, .verifying: true
        default: false
        }
    }

    /// The state that follows from the event, or `nil` if the state does not change.
    var state: PresentationState? {
        switch self {
        case .armed: .armed
        case .engaged: .engaged
        case .awaitingConsent: .awaitingConsent
        case .receiving, .verifying: .receiving
        case .phoneLocked, .notAnID, .offerQR, .bluetoothUnavailable, .mayLift, .connecting, .checkBluetooth,
            .readerSilent, .hold, .noted:
            nil
        // After an interrupted tap the lane waits for the next tap.
        case .tapAgain, .liftAndTapAgain, .confirmThenTapAgain: .armed
        }
    }

    /// The hint after the event.
    ///
    /// - Parameter before: the hint before the event.
    func hint(after before: PresentationHint?) -> PresentationHint? {
        switch self {
        // A lane with a standing order waits again and again, and no phone is the cause.
        case .armed: before?.isOfCode == true ? before : .openYourID
        case .phoneLocked: .phoneLocked
        case .notAnID: .notAnID
        case .tapAgain, .liftAndTapAgain: .tapAgain
        case .confirmThenTapAgain: .confirmThenTapAgain
        case .offerQR: .offerQR
        case .bluetoothUnavailable: .bluetoothUnavailable
        case .mayLift: .mayLift
        case .connecting: .connecting
        case .checkBluetooth: .checkBluetooth
        // These events mean nothing to the person with the phone, so the hint does not change.
        case .readerSilent, .noted: before
        case .hold: .hold
        // Over NFC the phone has to stay on the reader until the end. The hint `hold` therefore does not
        // change.
        case .awaitingConsent, .receiving, .verifying: before == .hold ? .hold : nil
        case .engaged: nil
        }
    }
}
