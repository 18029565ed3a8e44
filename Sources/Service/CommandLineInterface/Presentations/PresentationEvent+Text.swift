internal import MdocSession
package import ReaderService
internal import Reports

extension PresentationEvent {
    /// The text where the phone's QR code was scanned: no phone was found yet.
    package var textAfterScan: String {
        self == .engaged ? "Connecting to the phone of this QR code: look at its screen." : text
    }

    /// What the person at the reader should know or do, for standard error.
    package var text: String {
        switch self {
        case .armed:
            "Ready: open your ID on the phone first (an iPhone shows other cards otherwise), then hold the phone to the reader."
        case .phoneLocked: "The phone shows no wallet: unlock it and open the ID."
        case .notAnID: "Open your ID on the phone, or remove the card."
        case .tapAgain(let reason): "Tap again. (\(reason.explanation))"
        case .liftAndTapAgain(let reason): "Lift your phone, then tap again. (\(reason.explanation))"
        case .confirmThenTapAgain: "Now confirm on your phone, then tap again."
        case .offerQR: "If taps keep failing, scan the phone's QR code: --qr 'mdoc:…'."
        case .bluetoothUnavailable(let fault):
            "No Bluetooth, NFC alone is used: \(fault.advice)."
        case .readerSilent:
            "The reader does not answer: if it does not recover, unplug it and plug it in again."
        case .engaged: "Phone found: look at its screen."
        case .mayLift: "You can lift your phone now."
        case .connecting: "Connecting to the phone…"
        case .checkBluetooth: "The phone has not connected yet: check that its Bluetooth is on."
        case .hold: "Keep the phone on the reader."
        case .awaitingConsent: "Waiting for the holder's consent…"
        case .receiving: "Receiving the answer…"
        case .verifying: "Checking the answer…"
        case .noted(let note): "Note (\(note.id.rawValue)): \(note.explanation)."
        }
    }
}
