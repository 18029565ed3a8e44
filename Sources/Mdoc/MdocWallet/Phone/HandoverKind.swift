/// How a phone engages (ISO/IEC 18013-5 8.2).
package enum HandoverKind: String, CaseIterable, Sendable {
    case qr
    /// NFC: the first message is the Handover Select.
    case `static`
    /// NFC: the Handover Select answers the reader's Handover Request.
    case negotiated
}
