internal import MdocModel

/// The way in which a phone was met: the kind of its device engagement (ISO/IEC 18013-5, 8.2). It does not depend
/// on the way in which the answer is retrieved.
package enum EngagementKind: String, CaseIterable, Sendable {
    /// A tap with NFC handover, static or negotiated.
    case nfc
    /// A tap with NFC engagement of version 2 (draft of the second edition).
    case nfcV2
    /// A QR code on the phone's screen. The code proves no nearness: a photograph of it works as far as
    /// Bluetooth does.
    case qr

    /// The kind of engagement that led to a handover.
    init(_ handover: Handover) {
        self =
            switch handover {
            case .nfc: .nfc
            case .nfcVersion2: .nfcV2
            case .qr: .qr
            }
    }
}
