package import BlueZTransport
internal import ErrorMapping
package import MdocModel
internal import MdocSession
internal import PortraitImage
package import ReaderService
package import Reports
package import RequestPlanner
internal import Transport

extension PresentationEvent {
    /// The text of this event after a scan of the phone's QR code. The event `engaged` then comes before the
    /// reader has found the phone.
    package var textAfterScan: String {
        self == .engaged ? "Connecting to the phone that showed this QR code: look at its screen." : text
    }

    /// The text that tells the person at the reader what happens or what to do, for standard error.
    package var text: String {
        switch self {
        case .armed:
            "Ready: open your ID on the phone first (otherwise an iPhone shows other cards), then hold the phone to the reader."
        case .phoneLocked: "The phone offers no wallet: unlock the phone and open the ID."
        case .notAnID: "Open your ID on the phone, or remove the card."
        case .tapAgain(let reason): "Tap again. (\(reason.explanation))"
        case .liftAndTapAgain(let reason): "Lift your phone, then tap again. (\(reason.explanation))"
        case .confirmThenTapAgain: "Now confirm on your phone, then tap again."
        case .offerQR: "If taps keep failing, scan the phone's QR code: --qr 'mdoc:…'."
        case .bluetoothUnavailable(let fault):
            "Bluetooth is not available, so only NFC is used: \(fault.advice)."
        case .readerSilent:
            "The reader does not answer. If it does not recover, unplug it and plug it in again."
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

extension ImageFormat {
    /// The name of the format, with a remark on JPEG 2000, which few programs display (Q155).
    fileprivate var name: String {
        self == .jpeg2000 ? "JPEG 2000, which most programs cannot display" : rawValue
    }
}

extension TransactionReport {
    /// Returns the report of a presentation.
    ///
    /// - Throws: Status 69 (unavailable) if no PC/SC reader could be used. No request was sent to a phone in
    ///   this case.
    package static func ended(
        _ presentation: Presentation, asking plan: RequestPlan, on day: FullDate
    ) throws(CommandFailure) -> TransactionReport {
        try mapping(TransactionReport(presentation, asking: plan, on: day)) { (error: ReaderFault) in
            CommandFailure.unavailable(error.advice)
        }
    }

    /// The report as text, with the portrait's size and format and the duration of each phase.
    package func presentationText(elements: ElementDisplay) -> String {
        var lines = [text(elements: elements)]
        if let portrait {
            let format = ImageFormat(portrait)?.name ?? "unknown format"
            lines.append("  portrait: received, \(portrait.count) bytes, \(format)")
        }
        if !phases.isEmpty {
            let times = phases.map { phase in
                "\(phase.name) \((phase.duration.milliseconds * 10).rounded() / 10) ms"
            }
            lines.append("  time: " + times.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }
}

extension DaemonFinding {
    /// Returns a text that says what is wrong with bluetoothd's settings and what follows from it.
    ///
    /// - Parameter file: The path of the settings file, if it is known.
    package func explanation(file: String?) -> String {
        let file = file ?? "main.conf"
        return switch self {
        case .missing(let requirement):
            "[\(requirement.group)] \(requirement.key) = \(requirement.value) is not set: \(requirement.id.harm)"
        case .configurationMalformed(let line):
            "line \(line) of \(file) cannot be parsed, so bluetoothd ignores the whole file"
        case .configurationChanged:
            "\(file) was changed after bluetoothd started: run systemctl restart bluetooth"
        case .configurationUnknown:
            "the settings of bluetoothd cannot be read: run this command as root and outside of containers"
        }
    }
}

extension DaemonRequirement.ID {
    /// The problem that occurs if this setting of bluetoothd is missing.
    fileprivate var harm: String {
        switch self {
        case .controllerMode: "bluetoothd may try classic Bluetooth, and then phones do not connect"
        case .reverseServiceDiscovery: "bluetoothd reads from the phone, which then asks its owner to pair"
        case .attributeCache: "cached services of earlier phones make connections fail"
        case .channels: "parts of a message may arrive in the wrong order"
        case .exchangeMTU: "the longest parts of a phone's message are lost"
        case .advertisementInterval:
            "phones take a second longer to find this computer, and some give up"
        case .connectionInterval:
            "answers take longer than necessary, or an iPhone refuses the connection interval and keeps a slower one"
        case .supervisionTimeout: "the connection to a phone is lost after 0.42 s out of reach"
        }
    }
}

/// A warning about settings of bluetoothd that make presentations fail, printed before the reader waits for a
/// phone.
struct SettingsWarning {
    let missing: [DaemonRequirement]
    let transport: RetrievalPlan.Transport

    /// The text of the warning, or `nil` if no setting is missing.
    ///
    /// Only the text for `--transport ble` says what to do. With other transports the presentation falls back
    /// to NFC and prints that advice itself.
    var text: String? {
        guard !missing.isEmpty else { return nil }
        let harms = missing.map { "  " + DaemonFinding.missing($0).explanation(file: nil) }
        let choice =
            transport == .bluetoothLE
            ? ["Bluetooth is used anyway because of --transport ble: \(RadioFault.settingsMissing.advice)."]
            : []
        return (["bluetoothd is not set up for phones:"] + harms + choice).joined(separator: "\n")
    }
}
