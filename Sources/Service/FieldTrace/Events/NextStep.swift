internal import MdocSession
internal import MdocTrust
internal import MdocVerification
internal import ReaderService

/// The advice for the next attempt, chosen from the result of a presentation.
package enum NextStep: String, CaseIterable, Sendable {
    /// No advice, because the presentation went well.
    case none
    case openIDFirst = "open_id_first"
    case holdPhoneToReader = "hold_phone_to_reader"
    case liftAndTapAgain = "lift_and_tap_again"
    /// Retrieve the answer over NFC only.
    case tryNFC = "try_transport_nfc"
    /// Retrieve the answer over Bluetooth only.
    case tryBluetooth = "try_transport_ble"
    /// Try both modes of Bluetooth at the same time.
    case tryRace = "try_ble_mode_race"
    case tryRequestVersion1 = "try_request_version_1"
    case trySignedRequest = "try_signed_request"
    /// Run `countersign doctor`, which reports the problems of this computer.
    case runDoctor = "run_doctor"
    case addIssuerRoot = "add_issuer_root"
    /// Send the trace, because a user can do nothing else.
    case sendTrace = "send_trace"
}

extension NextStep {
    package var text: String {
        switch self {
        case .none: "nothing: the presentation went well"
        case .openIDFirst: "unlock the phone and open the ID before you tap"
        case .holdPhoneToReader: "hold the phone to the reader, with its ID open"
        case .liftAndTapAgain: "lift the phone, wait a second, tap again and hold the phone still"
        case .tryNFC: "try --transport nfc, if the wallet can answer over NFC"
        case .tryBluetooth: "switch Bluetooth on in the phone, and try --transport ble"
        case .tryRace: "switch Bluetooth on in the phone, and try --ble-mode race"
        case .tryRequestVersion1: "try --request-version 1.0"
        case .trySignedRequest: "try with --identity: the wallet may not answer readers that it does not know"
        case .runDoctor: "run countersign doctor: something is missing on this computer"
        case .addIssuerRoot: "import the issuer's root with countersign trust import"
        case .sendTrace: "send this field trace: Documentation/field-trace.md says where"
        }
    }

    /// Creates the advice after a presentation.
    init(after presentation: Presentation) {
        switch presentation.result {
        case .success(let judgement): self = Self.after(judgement)
        case .failure(let failure): self = Self.after(failure)
        }
        // The phone could not decode an extended request, so its wallet may know only version 1.0 (Q168).
        if presentation.failedOnExtendedRequest { self = .tryRequestVersion1 }
    }

    /// Returns the advice after a judged answer; `none` if the answer was verified.
    private static func after(_ judgement: Judgement) -> NextStep {
        guard case .rejected(let response) = judgement else { return .none }
        let isUnknownIssuer = response.reports.flatMap(\.checks).contains { check in
            if case .failed(.issuerCertificate(.anchorNotFound)) = check.outcome { true } else { false }
        }
        return isUnknownIssuer ? .addIssuerRoot : .sendTrace
    }

    /// Returns the advice after a presentation without a judged answer.
    private static func after(_ failure: PresentationFailure) -> NextStep {
        switch failure {
        case .readerUnavailable, .radioUnavailable, .requestNotSigned: .runDoctor
        case .engagementOverdue(lastTap: nil): .holdPhoneToReader
        case .engagementOverdue(let tap?) where tap.fault == .noWalletYet: .openIDFirst
        case .engagementOverdue, .transfer, .linkLost, .bluetooth, .cancelled: .liftAndTapAgain
        case .noUsableRetrieval: .tryBluetooth
        case .connectionOverdue, .connection: .tryRace
        // Some wallets refuse an unsigned request without naming the reason (Q172).
        case .declined, .status, .consentOverdue: .trySignedRequest
        case .responseMalformed, .engagement, .messageTooLong, .benchLink, .session, .sessionOver,
            .otherDocument:
            .sendTrace
        }
    }
}
